//! What a run is: files, limits of the searches, and how records are grouped.

use std::path::Path;

use crate::eval::Evaluator;
use crate::records::teacher::{Content, Format};
use crate::train::data::pass::BadRecords;
use crate::train::data::place::Place;
use crate::train::data::steps::Division;
use crate::train::data::{DataError, Sources};
use crate::train::gensfen::Effort;
use crate::types::Depth;

/// Records of positions without games that share histories.
pub(super) const GROUP: u64 = 64;

/// Nodes of all searches between two checkpoints, about 20 seconds of one core.
const BLOCK_NODES: u64 = 20_000_000;

/// Estimated nodes of a search of depth 0; each ply of depth doubles them.
const NODES_AT_DEPTH_0: u64 = 30;

/// Greatest depth of that estimate. A block holds a single group from there on.
const MAX_ESTIMATED_DEPTH: Depth = 20;

/// Positions between two checkpoints where none is searched, less than a second of one core.
const STATIC_BLOCK: u64 = 500_000;

/// The settings of a run.
#[derive(Clone, Debug)]
pub struct RescoreSettings {
    /// Search limits of each position; `None` takes the static evaluation, without a search.
    pub effort: Option<Effort>,
    /// Size of each thread's transposition table in MB.
    pub hash_mb: usize,
    /// Number of games or groups of positions at a time. Does not change the output.
    pub threads: usize,
    /// What to do with invalid records.
    pub bad_records: BadRecords,
}

/// What is searched, and how.
#[derive(Clone, Copy)]
pub struct Rescoring<'a> {
    /// The files to read. All formats must hold the same kind of data as the output.
    pub sources: &'a Sources,
    /// The file to write and its format.
    pub output: (&'a Path, Format),
    /// The settings.
    pub settings: &'a RescoreSettings,
    /// The evaluation.
    pub evaluator: &'a Evaluator,
}

/// Whether records of a format can get new scores and be written in the format of the output.
pub fn can_rescore(format: Format, output: Format) -> bool {
    format.content() == output.content() && output.keeps_scores()
}

/// Checks that new scores can be written in the format of the output.
///
/// # Errors
/// It has no scores, or cannot be written.
pub fn check_output(format: Format) -> Result<(), DataError> {
    let is_fit = |format: Format| format.keeps_scores() && format.is_writable();
    if is_fit(format) {
        return Ok(());
    }
    let expected = Format::names(is_fit);
    Err(DataError::Unwritable { format, expected })
}

/// Checks that all files can get new scores and be written in the format of the output.
pub(super) fn check_formats(sources: &Sources, output: Format) -> Result<(), DataError> {
    check_output(output)?;
    let mut files = sources.files().iter();
    match files.find(|source| !can_rescore(source.format, output)) {
        Some(source) => Err(DataError::OtherKind {
            path: source.path.clone(),
            found: source.format,
            output,
        }),
        None => Ok(()),
    }
}

impl Rescoring<'_> {
    /// Where groups begin.
    pub(super) fn division(&self) -> Division {
        if self.output.1.content() == Content::Games {
            Division::Records
        } else {
            Division::Blocks(GROUP)
        }
    }

    /// Positions between two checkpoints.
    pub(super) fn block_positions(&self) -> u64 {
        let Some(effort) = &self.settings.effort else {
            return STATIC_BLOCK;
        };
        let of_depth = |depth: Depth| NODES_AT_DEPTH_0 << depth.clamp(0, MAX_ESTIMATED_DEPTH);
        let nodes = effort.nodes.or_else(|| effort.depth.map(of_depth));
        let nodes = nodes.unwrap_or(BLOCK_NODES);
        (BLOCK_NODES / nodes.max(1)).max(GROUP)
    }
}

impl Division {
    /// Whether a group begins at a place.
    pub(super) const fn begins_group(self, place: Place) -> bool {
        match self {
            Self::Blocks(length) => place.records.is_multiple_of(length),
            Self::Records | Self::Games => true,
        }
    }
}
