//! Lists of positions: a line for each, as after the USI command `position`.

use std::fs;
use std::io::Read as _;
use std::path::Path;

use anyhow::Context;

use crate::position::Position;
use crate::records::sfen_line::SfenLine;

/// The lines of a file; `-` is standard input. Blank lines and those that begin with `#` are
/// skipped.
pub(super) fn read_lines(path: &Path) -> anyhow::Result<Vec<SfenLine>> {
    let mut bytes = Vec::new();
    if path.as_os_str() == "-" {
        std::io::stdin().lock().read_to_end(&mut bytes)?;
    } else {
        bytes = fs::read(path).with_context(|| path.display().to_string())?;
    }
    let text = String::from_utf8_lossy(&bytes);
    let mut lines = Vec::new();
    for (line, number) in text.trim_start_matches('\u{feff}').lines().zip(1..) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let parsed: Result<SfenLine, _> = line.parse();
        lines.push(parsed.with_context(|| format!("{} line {number}", path.display()))?);
    }
    Ok(lines)
}

/// All positions of a line, from its start to its end.
pub(super) fn positions(line: &SfenLine) -> impl Iterator<Item = Position> {
    let mut position = line.start.clone();
    let after = line.moves.clone().into_iter().map(move |mv| {
        position.do_move(mv);
        position.clone()
    });
    std::iter::once(line.start.clone()).chain(after)
}
