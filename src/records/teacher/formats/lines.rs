//! `.sfen` and `.usi`: positions and games, one a line. Both are read alike: a line is an SFEN, or
//! a game as USI writes it, whose last word may be its result. Empty lines and lines that begin
//! with `#` are skipped.

use std::io::{self, BufRead, Read as _, Write};

use crate::movegen::legal_moves;
use crate::position::Position;
use crate::records::game::GameResult;
use crate::records::pack::{PackGame, PackReason};
use crate::records::packed::PackedSfen;
use crate::records::sfen_line::{SfenLine, SfenLineError};
use crate::records::teacher::class;
use crate::records::teacher::codec::{Codec, check_kings, write_positions};
use crate::records::teacher::fault::{Fault, FormatFault};
use crate::records::teacher::record::Record;
use crate::types::Repetition;

/// The size of the longest line that is read, in bytes.
const LONGEST_LINE: u64 = 1 << 20;

/// The last word of a drawn game.
const DRAW: &str = "draw";
/// The last word of a game that the side to move won.
const WIN: &str = "win";
/// The last word of a game that the side to move lost.
const RESIGN: &str = "resign";

/// Writes positions.
pub(super) struct Sfen;

/// Writes games.
pub(super) struct Usi;

impl Codec for Sfen {
    fn read(&self, input: &mut dyn BufRead, _: &mut Position) -> Result<Option<Record>, Fault> {
        next_record(input)
    }

    fn write(&self, record: &Record, out: &mut dyn Write) -> io::Result<u64> {
        write_positions(record, out, |position| format!("{}\n", position.to_sfen()))
    }
}

impl Codec for Usi {
    fn read(&self, input: &mut dyn BufRead, _: &mut Position) -> Result<Option<Record>, Fault> {
        next_record(input)
    }

    fn write(&self, record: &Record, out: &mut dyn Write) -> io::Result<u64> {
        let Some(game) = record.game() else {
            return Ok(0);
        };
        writeln!(out, "{}", game_text(&game.game))?;
        Ok(game.game.moves.len() as u64)
    }
}

fn next_record(input: &mut dyn BufRead) -> Result<Option<Record>, Fault> {
    loop {
        let mut line = Vec::new();
        let length = input.take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        if length == 0 {
            return Ok(None);
        }
        if length as u64 == LONGEST_LINE && line.last() != Some(&b'\n') {
            return Err(Fault::LongLine(LONGEST_LINE));
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_start_matches('\u{feff}').trim();
        if !line.is_empty() && !line.starts_with('#') {
            return parse(line).map(Some);
        }
    }
}

fn parse(line: &str) -> Result<Record, Fault> {
    let (text, last) = match line.rsplit_once(char::is_whitespace) {
        Some((text, last @ (DRAW | WIN | RESIGN))) => (text, last),
        _ => (line, ""),
    };
    let game: SfenLine = text.parse()?;
    check_kings(&game.start)?;
    if game.moves.is_empty() {
        let ply = u16::try_from(game.start.game_ply()).unwrap_or(u16::MAX);
        return Ok(Record::Position(PackedSfen::of(&game.start), ply));
    }
    let (result, reason) = ending(&game.position(), last);
    Ok(Record::from(PackGame {
        start: game.start,
        moves: game.moves.into_iter().map(|mv| (mv, 0)).collect(),
        result,
        reason,
    }))
}

/// The result of a game that ended in this position with this last word. A game without a last word
/// that the rules did not end was interrupted.
fn ending(position: &Position, last: &str) -> (GameResult, PackReason) {
    let us = position.side_to_move();
    match last {
        DRAW => return (GameResult::Draw, PackReason::REPETITION),
        WIN => return (GameResult::Win(us), PackReason::DECLARATION_27),
        RESIGN => return (GameResult::Win(!us), PackReason::RESIGNATION),
        _ => {}
    }
    match position.rule_repetition() {
        Some(Repetition::Win) => (GameResult::Win(us), PackReason::PERPETUAL_CHECK),
        Some(Repetition::Lose) => (GameResult::Win(!us), PackReason::PERPETUAL_CHECK),
        Some(_) => (GameResult::Draw, PackReason::REPETITION),
        None if legal_moves(position).is_empty() => (GameResult::Win(!us), PackReason::RESIGNATION),
        None => (GameResult::Draw, PackReason::INTERRUPTED),
    }
}

/// The line of a game, without the line break.
fn game_text(game: &PackGame) -> String {
    let moves = game.moves.iter().map(|&(mv, _)| mv).collect();
    let line = SfenLine {
        start: game.start.clone(),
        moves,
    };
    let side = line.position().side_to_move();
    let last = match game.result.for_side(side) {
        1 => WIN,
        -1 => RESIGN,
        _ => DRAW,
    };
    format!("{line} {last}")
}

impl FormatFault for SfenLineError {
    fn class(&self) -> &'static str {
        match self {
            Self::Illegal { .. } => class::ILLEGAL_MOVE,
            _ => class::BAD_LINE,
        }
    }
}
