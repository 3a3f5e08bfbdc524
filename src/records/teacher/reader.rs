//! Reads any format.

use std::io::BufRead;

use super::codec::{Codec, check_kings};
use super::fault::{Fault, TeacherError};
use super::formats::Format;
use super::record::Record;
use super::span::Skipped;
use crate::position::Position;
use crate::records::counted::Counted;

/// Reads one record after the other. An invalid record is an error, and the iterator goes on with
/// the next one if the format tells where it begins.
pub struct TeacherReader<R: BufRead> {
    input: Counted<R>,
    codec: &'static dyn Codec,
    /// Records begun so far.
    records: u64,
    is_over: bool,
    /// Whether games without a result by play are errors.
    needs_results: bool,
    scratch: Position,
}

impl<R: BufRead> TeacherReader<R> {
    /// Reads `input` from its beginning.
    pub fn new(input: R, format: Format) -> Self {
        Self::resume(input, format, 0, 0)
    }

    /// Reads the rest of an input, which stands at `offset` bytes and behind as many `records`.
    pub fn resume(input: R, format: Format, offset: u64, records: u64) -> Self {
        Self {
            input: Counted::new(input, offset),
            codec: format.codec(),
            records,
            is_over: false,
            needs_results: false,
            scratch: Position::startpos(),
        }
    }

    /// Makes games without a result by play or by the rules errors.
    #[must_use]
    pub fn needing_results(mut self) -> Self {
        self.needs_results = true;
        self
    }

    /// The offset of the next record, in bytes.
    pub fn offset(&self) -> u64 {
        self.input.count()
    }

    /// Records before the next one.
    pub const fn records(&self) -> u64 {
        self.records
    }

    /// The position of the last record, if that is a single valid position.
    pub const fn position(&mut self) -> &mut Position {
        &mut self.scratch
    }

    /// Goes past the next record, whose moves need not be checked, and returns what it holds;
    /// `None` at the end of the input.
    ///
    /// # Errors
    /// The input fails, or the record is invalid.
    pub fn skip_record(&mut self) -> Result<Option<Skipped>, TeacherError> {
        self.next_of(|reader| {
            reader
                .codec
                .skip_record(&mut reader.input, &mut reader.scratch)
        })
        .transpose()
    }

    fn read(&mut self) -> Result<Option<Record>, Fault> {
        let record = self.codec.read(&mut self.input, &mut self.scratch)?;
        if let Some(record) = &record {
            if let Some(game) = record.game() {
                check_kings(&game.game.start)?;
            }
            if self.needs_results && !record.is_finished() {
                return Err(Fault::Unfinished);
            }
        }
        Ok(record)
    }

    /// The next record by `read`, unless the end of an earlier one is unknown.
    fn next_of<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<Option<T>, Fault>,
    ) -> Option<Result<T, TeacherError>> {
        if self.is_over {
            return None;
        }
        let offset = self.offset();
        self.records += 1;
        let record = read(self).map_err(|fault| TeacherError {
            record: self.records,
            offset,
            fault,
        });
        self.is_over = match &record {
            Ok(record) => record.is_none(),
            Err(error) => error.fault.is_fatal(),
        };
        record.transpose()
    }
}

impl<R: BufRead> Iterator for TeacherReader<R> {
    type Item = Result<Record, TeacherError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_of(Self::read)
    }
}
