//! How a game ended, from the notices of the server.

use super::game::Game;
use super::server_line::{Notice, Reason, Verdict};
use crate::movegen::legal_moves;
use crate::position::Position;
use crate::records::game::Ending;
use crate::types::Color;

/// A game that is over for us.
#[derive(Debug)]
pub struct FinishedGame {
    /// The game.
    pub game: Game,
    /// How it ended.
    pub ending: Ending,
    /// The notices of the server, such as `#RESIGN #WIN`; `broken off` if there was none.
    pub notices: String,
    /// Our result; `None` if the server named none.
    pub verdict: Option<Verdict>,
    /// Whether the server ended the game. Otherwise the connection was lost.
    pub is_complete: bool,
}

/// What is known about the end of a game, besides its position.
#[derive(Clone, Default, Debug)]
pub(super) struct End {
    pub(super) reason: Option<Reason>,
    pub(super) verdict: Option<Verdict>,
    /// A move or word of ours that the server has not echoed.
    pub(super) unanswered: Option<String>,
}

impl FinishedGame {
    pub(super) fn new(game: Game, end: &End) -> Self {
        let notices = [
            end.reason.map(Notice::Reason),
            end.verdict.map(Notice::Verdict),
        ];
        let texts = notices
            .into_iter()
            .flatten()
            .map(|notice| notice.to_string());
        let notices = texts.collect::<Vec<_>>().join(" ");
        Self {
            ending: ending(&game, end),
            notices: if notices.is_empty() {
                "broken off".to_owned()
            } else {
                notices
            },
            verdict: end.verdict,
            is_complete: end.reason.is_some() || end.verdict.is_some(),
            game,
        }
    }
}

fn ending(game: &Game, end: &End) -> Ending {
    let position = game.position();
    let mover = position.side_to_move();
    let winner = match end.verdict {
        Some(Verdict::Win) => Some(game.side()),
        Some(Verdict::Lose) => Some(!game.side()),
        _ => None,
    };
    let Some(reason) = end.reason else {
        return match (winner, end.verdict) {
            (Some(winner), _) => Ending::AdjudicatedWin { winner },
            (None, Some(Verdict::Draw)) => Ending::AdjudicatedDraw,
            // The connection was lost, or the server counts the game for nobody. As the ending of a
            // record a disconnection is a loss of the side to move.
            (None, _) => Ending::Interrupted,
        };
    };
    let ending = by_reason(reason, winner.unwrap_or(mover), position, end);
    // The endings of records refer to the side to move.
    match (end.verdict, winner) {
        (_, Some(winner)) if ending.winner(mover) != Some(winner) => {
            Ending::AdjudicatedWin { winner }
        }
        (Some(Verdict::Draw), _) if ending.winner(mover).is_some() => Ending::AdjudicatedDraw,
        _ => ending,
    }
}

fn by_reason(reason: Reason, winner: Color, position: &Position, end: &End) -> Ending {
    match reason {
        Reason::Resign if legal_moves(position).is_empty() => Ending::Checkmate,
        Reason::Resign => Ending::Resignation,
        Reason::TimeUp => Ending::TimeUp,
        Reason::IllegalMove if end.unanswered.as_deref() == Some("%KACHI") => {
            Ending::IllegalDeclaration
        }
        Reason::IllegalMove | Reason::IllegalAction => Ending::IllegalMove {
            text: end.unanswered.clone().unwrap_or_default(),
        },
        Reason::Repetition => Ending::Repetition,
        Reason::PerpetualCheck => Ending::PerpetualCheck { loser: !winner },
        Reason::Declaration => Ending::Declaration,
        Reason::MaxMoves => Ending::MaxMoves,
        Reason::Interrupted | Reason::Abnormal => Ending::Interrupted,
    }
}
