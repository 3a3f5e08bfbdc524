//! Sets of openings as files that this module reads again.

use std::io::Write;

use super::{OpeningError, OpeningSettings, Openings};

/// Writes the first `count` openings of the settings, one a line, under comments that name `command`, with which
/// anybody can make the same set again. Calls `on_progress` with the number written after each.
///
/// # Errors
/// When there are not so many, or `out` fails.
pub fn write_set(
    settings: &OpeningSettings,
    count: usize,
    command: &str,
    out: &mut impl Write,
    mut on_progress: impl FnMut(usize),
) -> Result<(), OpeningError> {
    let mut openings = Openings::new(settings)?;
    let version = env!("CARGO_PKG_VERSION");
    writeln!(out, "# {count} openings, made by Raicho {version} with")?;
    writeln!(out, "# {command}")?;
    for index in 0..count {
        writeln!(out, "{}", openings.get(index)?)?;
        on_progress(index + 1);
    }
    out.flush()?;
    Ok(())
}
