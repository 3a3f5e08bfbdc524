//! The text formats: `.sfen` and `.usi`, positions and games one a line; `.csa`, `.kif`, `.ki2` and
//! `.jkf`, game records.

use std::io::{self, BufRead, Read as _, Write};

use super::{Codec, check_kings, write_positions};
use crate::records::game::{Ending, GameRecord, GameResult, RecordedMove, Thought};
use crate::records::pack::{PackGame, PackReason};
use crate::records::teacher::{Fault, Record, TeacherGame};
use crate::records::{RecordError, encoding, score};
use crate::types::{Repetition, Score};
use crate::{movegen::legal_moves, position::Position, records::csa, records::packed::PackedSfen};
use crate::{records::sfen_line::SfenLine, records::text::TextFormat};

// --- Lines ---

/// The size of the longest line that is read, in bytes.
const LONGEST_LINE: u64 = 1 << 20;

/// The last word of a drawn game.
const DRAW: &str = "draw";
/// The last word of a game that the side to move won.
const WIN: &str = "win";
/// The last word of a game that the side to move lost.
const RESIGN: &str = "resign";

/// Positions and games one a line, and how a record is written.
pub(super) struct Lines(fn(&Record, &mut dyn Write) -> io::Result<u64>);

/// `.sfen`: positions are written.
pub(super) const SFEN: Lines = Lines(|record, out| {
    write_positions(record, out, |position| format!("{}\n", position.to_sfen()))
});

/// `.usi`: games are written.
pub(super) const USI: Lines = Lines(|record, out| {
    let Some(game) = record.game() else {
        return Ok(0);
    };
    writeln!(out, "{}", game_text(&game.game))?;
    Ok(game.game.moves.len() as u64)
});

impl Codec for Lines {
    fn read(&self, input: &mut dyn BufRead, _: &mut Position) -> Result<Option<Record>, Fault> {
        next_record(input)
    }

    fn write(&self, record: &Record, out: &mut dyn Write) -> io::Result<u64> {
        (self.0)(record, out)
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
    let line = SfenLine { start: game.start.clone(), moves };
    let side = line.position().side_to_move();
    let last = match game.result.for_side(side) {
        1 => WIN,
        -1 => RESIGN,
        _ => DRAW,
    };
    format!("{line} {last}")
}

// --- Game records ---

/// The size of the longest text of a game that is read, in bytes.
const LONGEST_RECORD: u64 = 1 << 24;

pub(super) struct Csa;

impl Codec for Csa {
    fn read(&self, input: &mut dyn BufRead, _: &mut Position) -> Result<Option<Record>, Fault> {
        loop {
            let bytes = next_game(input)?;
            if bytes.is_empty() {
                return Ok(None);
            }
            // A part of comments alone has no game.
            let games = csa::read(&encoding::decode(&bytes))?;
            if let Some(record) = games.first() {
                return Ok(Some(to_teacher(record)));
            }
        }
    }

    fn write(&self, record: &Record, out: &mut dyn Write) -> io::Result<u64> {
        let Some(game) = record.game() else {
            return Ok(0);
        };
        let text = csa::write(&to_record(&game.game));
        writeln!(out, "{text}{}", csa::SEPARATOR)?;
        Ok(game.game.moves.len() as u64)
    }
}

/// The bytes of the next game and its separator; none at the end of the input.
fn next_game(input: &mut dyn BufRead) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    loop {
        let begin = bytes.len();
        let length = input.take(LONGEST_RECORD).read_until(b'\n', &mut bytes)?;
        if bytes.len() as u64 > LONGEST_RECORD {
            return Err(Fault::LongLine(LONGEST_RECORD));
        }
        if length == 0 || bytes[begin..].trim_ascii() == csa::SEPARATOR.as_bytes() {
            return Ok(bytes);
        }
    }
}

/// A format whose files hold one game each here. `raicho convert` writes them from other games as
/// text; from teacher data they are not written.
pub(super) struct WholeFile(TextFormat);

pub(super) const KIF: WholeFile = WholeFile(TextFormat::Kif);
pub(super) const KI2: WholeFile = WholeFile(TextFormat::Ki2);
pub(super) const JKF: WholeFile = WholeFile(TextFormat::Jkf);

impl Codec for WholeFile {
    fn read(&self, input: &mut dyn BufRead, _: &mut Position) -> Result<Option<Record>, Fault> {
        let mut bytes = Vec::new();
        input.take(LONGEST_RECORD + 1).read_to_end(&mut bytes)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        if bytes.len() as u64 > LONGEST_RECORD {
            return Err(Fault::LongLine(LONGEST_RECORD));
        }
        let mut games = self.0.read(&bytes).into_iter();
        let game = games.next().transpose()?;
        if games.next().is_some() {
            const SEVERAL: &str =
                "several games in a file, expected one: raicho convert FILE --out FILE.usi first";
            return Err(RecordError::new(SEVERAL).into());
        }
        Ok(game.as_ref().map(to_teacher))
    }

    fn write(&self, _: &Record, _: &mut dyn Write) -> io::Result<u64> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

fn to_teacher(record: &GameRecord) -> Record {
    let game = TeacherGame::from(from_record(record));
    Record::Game(Box::new(game.with_ratings(record.ratings)))
}

/// Converts to a game of the archive. A move without a score gets 0.
fn from_record(record: &GameRecord) -> PackGame {
    let score = |recorded: &RecordedMove| {
        let thought = recorded.thought.as_ref();
        thought.and_then(|thought| thought.score).map_or(0, |score| match score {
            Score::Cp(cp) => score::clamp_centipawns(cp),
            Score::Mate(plies) => score::mate_score(plies),
        })
    };
    let reason = match &record.ending {
        Ending::Declaration => PackReason::DECLARATION_27,
        Ending::Repetition => PackReason::REPETITION,
        Ending::PerpetualCheck { .. } => PackReason::PERPETUAL_CHECK,
        Ending::MaxMoves | Ending::AdjudicatedDraw => PackReason::MAX_MOVES,
        Ending::TimeUp => PackReason::TIME_UP,
        Ending::IllegalMove { .. } | Ending::IllegalAction { .. } | Ending::IllegalDeclaration => {
            PackReason::ILLEGAL_MOVE
        }
        Ending::Disconnection { .. }
        | Ending::Interrupted
        | Ending::NoMate
        | Ending::Forfeit { .. }
        | Ending::Unfinished => PackReason::INTERRUPTED,
        Ending::Resignation | Ending::Checkmate | Ending::AdjudicatedWin { .. } => {
            PackReason::RESIGNATION
        }
    };
    let moves = record.moves.iter();
    PackGame {
        start: record.start.clone(),
        moves: moves.map(|played| (played.mv, score(played))).collect(),
        result: GameResult::of_winner(record.winner()),
        reason,
    }
}

/// Converts a game of the archive to a record without names and times.
fn to_record(game: &PackGame) -> GameRecord {
    let recorded = game.moves.iter().map(|&(mv, score)| RecordedMove {
        thought: Some(Thought { score: Some(score::to_score(score)), ..Thought::NOTHING }),
        ..RecordedMove::from(mv)
    });
    let mut record =
        GameRecord { moves: recorded.collect(), ..GameRecord::new(game.start.clone()) };
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
        (GameResult::Win(winner), PackReason::ILLEGAL_MOVE) => {
            Ending::IllegalAction { loser: !winner }
        }
        (
            GameResult::Win(winner),
            PackReason::DECLARATION_24 | PackReason::DECLARATION_27 | PackReason::TRY,
        ) if winner == side => Ending::Declaration,
        (GameResult::Win(winner), _) if winner == side => Ending::AdjudicatedWin { winner },
        (GameResult::Win(_), _) => Ending::Resignation,
    };
    record
}
