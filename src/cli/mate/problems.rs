//! Reads the problems: one of the command line, or those of a file.

use std::io::Read;

use anyhow::{Context, bail};

use super::arguments::Arguments;
use crate::cli::analyze::set_position;
use crate::cli::usage::as_usage;
use crate::engine::Engine;
use crate::position::Position;

/// A tsume problem.
pub(super) struct Problem {
    /// Number of the problem in the file, from 1.
    pub(super) number: u64,
    pub(super) position: Position,
}

pub(super) fn read_problems(arguments: &Arguments) -> anyhow::Result<Vec<Problem>> {
    let mut engine = Engine::new();
    if let Some(sfen) = &arguments.sfen {
        let set = set_position(&mut engine, sfen).context("--sfen");
        set.map_err(as_usage)?;
        let position = engine.position().clone();
        let number = 1;
        return Ok(vec![Problem { number, position }]);
    }
    let path = arguments.file.clone().unwrap_or_default();
    let mut bytes = Vec::new();
    if path.as_os_str() == "-" {
        std::io::stdin().lock().read_to_end(&mut bytes)?;
    } else {
        bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
    }
    let text = String::from_utf8_lossy(&bytes);
    let mut problems = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim().trim_start_matches('\u{feff}');
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let sfen = line
            .split('\t')
            .find(|column| column.matches('/').count() >= 8)
            .unwrap_or(line);
        let place = || format!("{} line {}", path.display(), index + 1);
        set_position(&mut engine, sfen).with_context(place)?;
        problems.push(Problem {
            number: problems.len() as u64 + 1,
            position: engine.position().clone(),
        });
    }
    if problems.is_empty() {
        bail!("{}: no problem, expected an SFEN a line", path.display());
    }
    Ok(problems)
}
