//! New scores for old positions: each is searched again, and everything else of its record stays.
//!
//! Games are searched ply by ply with one table and histories, as when they were played. Positions
//! without games are searched in groups of 64 consecutive records of a file; the histories are
//! cleared between groups only, because clearing them costs about as much as a short search. So a
//! score depends on nothing outside its game or group, and the outputs of all shards, one after the
//! other, are the output of the undivided run.

mod block;
mod report;
mod scorer;
mod settings;
use std::io::{BufRead, Write};
use std::path::Path;

use crate::records::teacher::{Format, Record};
use crate::runs::Watch;
use crate::train::data::column::{Column, Positions};
use crate::train::data::pass::BadRecords;
use crate::train::data::steps::{Checkpoint, Steps};
use crate::train::data::{DataError, Output, Sources};

use block::Block;
pub use report::RescoreReport;
use scorer::Scorer;
use settings::check_formats;
pub use settings::{RescoreSettings, Rescoring, can_rescore, check_output};

/// Writes all records of a shard with new scores. `on_positions` gets the number of positions
/// searched so far, those before an interruption included.
///
/// # Errors
/// A file fails, the formats hold different kinds of data, there is too little memory, a thread
/// cannot be started, the work is stopped, or a record is invalid and such records are not skipped.
pub fn run(
    rescoring: &Rescoring<'_>,
    steps: &mut Steps<RescoreReport>,
    watch: &Watch<'_>,
    on_positions: &(dyn Fn(u64) + Sync),
) -> Result<RescoreReport, DataError> {
    check_formats(rescoring.sources, rescoring.output.1)?;
    let Rescoring {
        sources,
        output: (path, format),
        settings,
        ..
    } = *rescoring;
    let last = steps.take_last();
    if let Some(last) = last.as_ref().filter(|last| last.is_complete) {
        return Ok(last.report.clone());
    }
    let (from, length, positions) = last.as_ref().map_or_else(Default::default, |last| {
        (last.place, last.output, last.positions)
    });
    let mut report = last.map(|last| last.report).unwrap_or_default();
    let mut out = if steps.is_kept() {
        Output::resume(path, format, length, positions)?
    } else {
        Output::create(path, format)?
    };
    let mut block = Block::new(rescoring, watch.stop, on_positions);
    let division = rescoring.division();
    sources.read_part(steps.shard(), from, division, watch, |found| {
        if division.begins_group(found.place) && block.begin_group() {
            block.write(&mut report, &mut out)?;
            if steps.is_kept() {
                let (output, positions) = out.pause()?;
                let checkpoint = Checkpoint {
                    output,
                    positions,
                    ..Checkpoint::at(found.place, &report)
                };
                steps.keep(found.bytes, &checkpoint)?;
            }
        }
        let tally = &mut report.tally;
        if let Some(record) = tally.take(found.source, found.record, settings.bad_records)? {
            block.push(record);
        }
        Ok(())
    })?;
    block.write(&mut report, &mut out)?;
    let (length, _) = out.pause()?;
    report.tally.written = out.finish()?;
    let end = Checkpoint {
        output: length,
        ..Checkpoint::end(report.tally.written, &report)
    };
    steps.keep(0, &end)?;
    Ok(report)
}

/// Writes the positions that would get new scores, for another program, see
/// [`column`](crate::train::data::column). `path` is that of `out`, for messages.
///
/// # Errors
/// A file fails, the work is stopped, or a record is invalid and such records are not skipped.
pub fn write_positions(
    sources: &Sources,
    bad_records: BadRecords,
    (path, out): (&Path, &mut dyn Write),
    watch: &Watch<'_>,
) -> Result<RescoreReport, DataError> {
    let positions = Positions::new(out).map_err(DataError::scores(path))?;
    let scorer = Scorer::writing(positions);
    with_column(sources, bad_records, (path, scorer), &mut |_| Ok(()), watch)
}

/// Writes all records with the scores of another program in `column`, whose winning probabilities
/// have this `scale` in units of 1/90 pawn. `path` is that of the column, for messages.
///
/// # Errors
/// A file fails, the column has other positions or no good scores, the formats hold different kinds
/// of data, the work is stopped, or a record is invalid and such records are not skipped.
pub fn take_scores(
    sources: &Sources,
    bad_records: BadRecords,
    (path, column, scale): (&Path, &mut dyn BufRead, u16),
    (output, format): (&Path, Format),
    watch: &Watch<'_>,
) -> Result<RescoreReport, DataError> {
    check_formats(sources, format)?;
    let mut out = Output::create(output, format)?;
    let column = Column::new(column, scale).map_err(DataError::scores(path))?;
    let scorer = Scorer::reading(column);
    let put = &mut |record: &Record| out.write(record);
    let mut report = with_column(sources, bad_records, (path, scorer), put, watch)?;
    report.tally.written = out.finish()?;
    Ok(report)
}

/// Passes all records through a scorer that reads or writes the file `path`.
fn with_column(
    sources: &Sources,
    bad_records: BadRecords,
    (path, mut scorer): (&Path, Scorer<'_>),
    put: &mut dyn FnMut(&Record) -> Result<(), DataError>,
    watch: &Watch<'_>,
) -> Result<RescoreReport, DataError> {
    let mut report = RescoreReport::default();
    sources.read(watch, |source, record| {
        let Some(record) = report.tally.take(source, record, bad_records)? else {
            return Ok(());
        };
        let rescored = scorer.rescore(&record, &|| false);
        scorer.check().map_err(DataError::scores(path))?;
        rescored.map_or(Ok(()), |record| put(&record))
    })?;
    report.searches = scorer.finish().map_err(DataError::scores(path))?;
    Ok(report)
}

#[cfg(test)]
mod tests;
