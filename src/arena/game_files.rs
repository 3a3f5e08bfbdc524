//! The files of a finished game: its journal entry, its record, and the dialogue of an engine at
//! fault.

use std::path::PathBuf;

use super::game::PlayedGame;
use super::journal::{GameEntry, Overhead};
use super::openings::Opening;
use super::optimism::Optimism;
use super::referee::{Reason, Verdict};
use super::settings::{Fixture, MatchSettings};
use crate::records::csa;
use crate::records::game::{Ending, GameRecord, RecordedMove};
use crate::types::Color;

/// What is written to disk about a game.
pub(super) struct GameFiles {
    pub(super) entry: GameEntry,
    /// The record in CSA format.
    pub(super) record: Vec<u8>,
}

/// Composes the journal entry and the record of a game.
pub(super) fn compose(
    settings: &MatchSettings,
    fixture: Fixture,
    opening: &Opening,
    played: &PlayedGame,
    started_at: &jiff::Zoned,
) -> GameFiles {
    let names = fixture
        .players
        .map(|engine| settings.engines[engine].name.clone());
    let stem = format!(
        "{:06}-{}-{}",
        fixture.game,
        file_name(&names[0]),
        file_name(&names[1])
    );
    let record = record_of(names.clone(), opening, played, started_at);
    let mut text = Vec::new();
    // Writing to memory cannot fail.
    let _ = csa::write(&record, &mut text);
    let is_fault = played.verdict.reason.is_fault();
    let [black, white] = names;
    let (sum, longest, count) = played.overhead;
    let entry = GameEntry {
        game: fixture.game,
        black,
        white,
        winner: played.verdict.winner,
        reason: played.verdict.reason,
        detail: played.verdict.detail.clone(),
        line: record.line().to_string(),
        moves: played.moves.len() as u32,
        opening_moves: opening.moves().len() as u32,
        figures: played.figures.clone(),
        optimism: Optimism::of(&played.moves),
        overhead: Overhead {
            sum,
            longest,
            count: count.into(),
        },
        time_loss: played.time_loss,
        dialogue: is_fault.then(|| PathBuf::from(format!("faults/{stem}.txt"))),
        record: PathBuf::from(format!("csa/{stem}.csa")),
    };
    GameFiles {
        entry,
        record: text,
    }
}

fn record_of(
    players: [String; 2],
    opening: &Opening,
    played: &PlayedGame,
    started_at: &jiff::Zoned,
) -> GameRecord {
    let opening_moves = opening.moves().iter().copied().map(RecordedMove::from);
    let mut record = GameRecord {
        players,
        started_at: Some(started_at.strftime("%Y/%m/%d %H:%M:%S").to_string()),
        moves: opening_moves.chain(played.moves.iter().cloned()).collect(),
        ..GameRecord::new(opening.line.start.clone())
    };
    let side = record.side_to_move_at_end();
    let ending = ending_of(&played.verdict, side);
    // The endings of CSA refer to the side to move, but a game can also end by a fault of the other
    // side.
    record.ending = match played.verdict.winner {
        Some(winner) if ending.winner(side) != Some(winner) => Ending::AdjudicatedWin { winner },
        _ => ending,
    };
    record
}

fn ending_of(verdict: &Verdict, side: Color) -> Ending {
    let winner = verdict.winner.unwrap_or(side);
    match verdict.reason {
        Reason::Resignation => Ending::Resignation,
        Reason::Checkmate => Ending::Checkmate,
        Reason::Declaration | Reason::Try => Ending::Declaration,
        Reason::Repetition => Ending::Repetition,
        Reason::PerpetualCheck => Ending::PerpetualCheck { loser: !winner },
        Reason::MaxMoves => Ending::MaxMoves,
        Reason::AdjudicatedWin => Ending::AdjudicatedWin { winner },
        Reason::AdjudicatedDraw => Ending::AdjudicatedDraw,
        Reason::TimeLoss => Ending::TimeUp,
        Reason::IllegalMove => Ending::IllegalMove {
            text: illegal_answer(&verdict.detail).to_owned(),
        },
        Reason::FalseDeclaration => Ending::IllegalDeclaration,
        Reason::Hang | Reason::Crash | Reason::NotReady => Ending::Disconnection {
            reason: verdict.detail.clone(),
        },
    }
}

/// The answer in the detail of a verdict on an illegal move.
fn illegal_answer(detail: &str) -> &str {
    detail.strip_prefix("illegal move ").unwrap_or(detail)
}

/// The text of the dialogue file: the last lines sent to and received from each engine, by
/// [`Color::index`]; `None` for an engine that did not run.
pub(super) fn dialogue_text(entry: &GameEntry, dialogues: [Option<Vec<String>>; 2]) -> String {
    let mut text = format!(
        "game {}, {} (black) against {} (white): {}\nposition {}\n",
        entry.game,
        entry.black,
        entry.white,
        entry.verdict(),
        entry.line
    );
    for (dialogue, name) in dialogues.into_iter().zip([&entry.black, &entry.white]) {
        text.push('\n');
        text.push_str(name);
        text.push_str(": > to the engine, < from it, ! its error output\n");
        for line in dialogue.unwrap_or_default() {
            text += &line;
            text.push('\n');
        }
    }
    text
}

/// The name with characters replaced that some file system does not allow.
fn file_name(name: &str) -> String {
    let plain = |c: char| {
        if c.is_alphanumeric() || "._+".contains(c) {
            c
        } else {
            '_'
        }
    };
    name.chars().take(40).map(plain).collect()
}
