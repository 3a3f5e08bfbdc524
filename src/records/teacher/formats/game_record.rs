//! Conversion between games of text formats and games of the archive.

use crate::records::game::{Ending, GameRecord, GameResult, RecordedMove, Thought};
use crate::records::pack::{PackGame, PackReason};
use crate::records::score;
use crate::types::Score;

/// The size of the longest text of a game that is read, in bytes.
pub(super) const LONGEST_RECORD: u64 = 1 << 24;

/// Converts to a game of the archive. A move without a score gets 0.
pub(super) fn from_record(record: &GameRecord) -> PackGame {
    let score = |recorded: &RecordedMove| {
        let thought = recorded.thought.as_ref();
        thought
            .and_then(|thought| thought.score)
            .map_or(0, |score| match score {
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

/// Converts a game of the archive to a record without names and times.
pub(super) fn to_record(game: &PackGame) -> GameRecord {
    let recorded = game.moves.iter().map(|&(mv, score)| RecordedMove {
        thought: Some(Thought {
            score: Some(score::to_score(score)),
            depth: None,
            nodes: None,
            pv: Vec::new(),
        }),
        ..RecordedMove::from(mv)
    });
    let mut record = GameRecord {
        moves: recorded.collect(),
        ..GameRecord::new(game.start.clone())
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
