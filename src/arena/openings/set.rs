//! Writes sets of openings to files that [`Openings`] can read.

use std::collections::HashSet;
use std::io::Write;

use super::{OpeningError, OpeningSettings, Openings};
use crate::types::EnteringKingRule;
use crate::util::counted;

/// Writes the first `count` openings of the settings, one per line, after comments with `command`,
/// which reproduces the set. Positions in which a win can be declared stay: the rule is that of a
/// match, which leaves them out. Calls `on_progress` with the number of openings written so far.
///
/// Returns [`Openings::warning`].
///
/// # Errors
/// There are fewer openings, or `out` cannot be written.
pub fn write_set(
    settings: &OpeningSettings,
    count: usize,
    command: &str,
    out: &mut impl Write,
    mut on_progress: impl FnMut(usize),
) -> Result<Option<String>, OpeningError> {
    let mut openings = Openings::new(settings, EnteringKingRule::NoEnteringKing)?;
    let version = env!("CARGO_PKG_VERSION");
    let openings_count = counted(count, "opening");
    writeln!(out, "# {openings_count}, made by Raicho {version} with")?;
    writeln!(out, "# {command}")?;
    // Random openings may by chance be the same.
    let mut keys = HashSet::new();
    for index in 0.. {
        if keys.len() == count {
            break;
        }
        let opening = openings.get(index)?;
        if keys.insert(opening.position().key()) {
            writeln!(out, "{opening}")?;
            on_progress(keys.len());
        }
    }
    out.flush()?;
    Ok(openings.warning().map(str::to_owned))
}
