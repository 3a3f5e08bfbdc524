//! Games and positions as text. A line is an SFEN, or a game as USI writes it, whose last word may say how it ended; CSA
//! takes a few lines more.

use std::io::{self, BufRead, Read as _, Write};

use super::{Fault, Record};
use crate::movegen::legal_moves;
use crate::position::Position;
use crate::records::csa;
use crate::records::encoding;
use crate::records::game::{Ending, GameRecord, GameResult, RecordedMove, Thought};
use crate::records::kif;
use crate::records::pack::{PackGame, PackReason};
use crate::records::packed::PackedSfen;
use crate::records::psv;
use crate::records::sfen_line::SfenLine;
use crate::types::{Color, Repetition, Score};

/// No game makes a longer line, in bytes.
const LONGEST_LINE: u64 = 1 << 20;

/// The last word of a drawn game.
const DRAW: &str = "draw";
/// The last word of a game that the side to move won.
const WIN: &str = "win";
/// The last word of a game that the side to move lost.
const RESIGN: &str = "resign";

/// The record of the next line that is neither empty nor a comment; `None` at the end of the input. `offset` grows by what
/// was read.
pub(super) fn next_line(
    input: &mut impl BufRead,
    offset: &mut u64,
) -> Result<Option<Record>, Fault> {
    loop {
        let mut line = Vec::new();
        let length = input.take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        *offset += length as u64;
        if length == 0 {
            return Ok(None);
        }
        if length as u64 == LONGEST_LINE && line.last() != Some(&b'\n') {
            return Err(Fault::LongLine(LONGEST_LINE));
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_start_matches('\u{feff}').trim();
        if !line.is_empty() && !line.starts_with('#') {
            return read(line).map(Some);
        }
    }
}

fn read(line: &str) -> Result<Record, Fault> {
    let line = line.trim();
    let (text, last) = match line.rsplit_once(char::is_whitespace) {
        Some((text, last @ (DRAW | WIN | RESIGN))) => (text, last),
        _ => (line, ""),
    };
    let game: SfenLine = text.parse()?;
    for color in Color::ALL {
        if game.start.king(color).is_none() {
            return Err(Fault::NoKing { color });
        }
    }
    if game.moves.is_empty() {
        let ply = u16::try_from(game.start.game_ply()).unwrap_or(u16::MAX);
        return Ok(Record::Position(PackedSfen::of(&game.start), ply));
    }
    let (result, reason) = ending(&game.position(), last);
    Ok(Record::Game(Box::new(PackGame {
        start: game.start,
        moves: game.moves.into_iter().map(|mv| (mv, 0)).collect(),
        result,
        reason,
    })))
}

/// How a game ended at this position, when `last` was said. A game that nothing ended was broken off.
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

/// The line of a game, without the end of the line.
pub(super) fn of_game(game: &PackGame) -> String {
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

// --- CSA and KIF ---

/// No record of a game is longer, in bytes.
const LONGEST_RECORD: u64 = 1 << 24;
/// The line between two games.
const SEPARATOR: &str = "/";

/// The next game of CSA; `None` at the end of the input. `offset` grows by what was read.
pub(super) fn next_csa(
    input: &mut impl BufRead,
    offset: &mut u64,
) -> Result<Option<PackGame>, Fault> {
    loop {
        let bytes = csa_bytes(input)?;
        *offset += bytes.len() as u64;
        if bytes.is_empty() {
            return Ok(None);
        }
        // Comments alone are no game.
        let games = csa::read(&encoding::decode(&bytes))?;
        if let Some(record) = games.first() {
            return Ok(Some(of_record(record)));
        }
    }
}

/// The bytes of a game with the line that separates it from the next one; none at the end of the input.
fn csa_bytes(input: &mut impl BufRead) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    loop {
        let begin = bytes.len();
        let length = input.take(LONGEST_RECORD).read_until(b'\n', &mut bytes)?;
        if bytes.len() as u64 > LONGEST_RECORD {
            return Err(Fault::LongLine(LONGEST_RECORD));
        }
        if length == 0 || bytes[begin..].trim_ascii() == SEPARATOR.as_bytes() {
            return Ok(bytes);
        }
    }
}

/// The game of a file of KIF; `None` at its end.
pub(super) fn next_kif(
    input: &mut impl BufRead,
    offset: &mut u64,
) -> Result<Option<PackGame>, Fault> {
    let mut bytes = Vec::new();
    input.take(LONGEST_RECORD + 1).read_to_end(&mut bytes)?;
    *offset += bytes.len() as u64;
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.len() as u64 > LONGEST_RECORD {
        return Err(Fault::LongLine(LONGEST_RECORD));
    }
    Ok(Some(of_record(&kif::read(&encoding::decode(&bytes))?)))
}

fn of_record(record: &GameRecord) -> PackGame {
    let score = |recorded: &RecordedMove| {
        let thought = recorded.thought.as_ref();
        thought
            .and_then(|thought| thought.score)
            .map_or(0, |score| match score {
                Score::Cp(cp) => psv::bounded(cp),
                Score::Mate(plies) => psv::of_mate(plies),
            })
    };
    let reason = match &record.ending {
        Ending::Declaration => PackReason::DECLARATION_27,
        Ending::Repetition => PackReason::REPETITION,
        Ending::PerpetualCheck { .. } => PackReason::PERPETUAL_CHECK,
        Ending::MaxMoves | Ending::AdjudicatedDraw => PackReason::MAX_MOVES,
        Ending::TimeUp => PackReason::TIME_UP,
        Ending::IllegalMove { .. } | Ending::IllegalDeclaration => PackReason::ILLEGAL_MOVE,
        Ending::Disconnection { .. } | Ending::Interrupted => PackReason::INTERRUPTED,
        Ending::Resignation | Ending::Checkmate | Ending::AdjudicatedWin { .. } => {
            PackReason::RESIGNATION
        }
    };
    PackGame {
        start: record.start.clone(),
        moves: record
            .moves
            .iter()
            .map(|played| (played.mv, score(played)))
            .collect(),
        result: GameResult::of_winner(record.winner()),
        reason,
    }
}

/// Writes a game of CSA and the line that separates it from the next.
pub(super) fn write_csa(game: &PackGame, out: &mut impl Write) -> io::Result<()> {
    let recorded = game.moves.iter().map(|&(mv, score)| RecordedMove {
        mv,
        time: None,
        thought: Some(Thought {
            score: Some(psv::to_score(score)),
            depth: None,
            nodes: None,
            pv: Vec::new(),
        }),
    });
    let mut record = GameRecord {
        event: String::new(),
        players: Default::default(),
        ratings: [None; Color::NUM],
        started_at: None,
        time_limit: None,
        start: game.start.clone(),
        moves: recorded.collect(),
        ending: Ending::Interrupted,
    };
    let side = record.side_to_move_at_end();
    record.ending = match (game.result, game.reason) {
        (_, PackReason::INTERRUPTED) => Ending::Interrupted,
        (GameResult::Draw, PackReason::MAX_MOVES) => Ending::MaxMoves,
        (GameResult::Draw, _) => Ending::Repetition,
        (GameResult::Win(winner), PackReason::PERPETUAL_CHECK) => {
            Ending::PerpetualCheck { loser: !winner }
        }
        (GameResult::Win(winner), PackReason::TIME_UP) if winner != side => Ending::TimeUp,
        (GameResult::Win(winner), PackReason::ILLEGAL_MOVE) if winner != side => {
            let text = String::new();
            Ending::IllegalMove { text }
        }
        (GameResult::Win(winner), _) if winner == side => Ending::Declaration,
        (GameResult::Win(_), _) => Ending::Resignation,
    };
    csa::write(&record, out)?;
    writeln!(out, "{SEPARATOR}")
}
