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
    /// The notices of the server, such as `#RESIGN #WIN`; `resigned` or `broken off` if there was
    /// none.
    pub notices: String,
    /// Our result; `None` if the server named none and we did not resign.
    pub verdict: Option<Verdict>,
    /// Whether the server ended the game, or we did. Otherwise the connection was lost.
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

impl End {
    /// Whether the server has said nothing about it.
    const fn has_no_notice(&self) -> bool {
        self.reason.is_none() && self.verdict.is_none()
    }
}

impl FinishedGame {
    pub(super) fn new(game: Game, end: &End) -> Self {
        let mut end = end.clone();
        // A resignation needs no answer: it cannot be taken back.
        let has_resigned = end.has_no_notice() && end.unanswered.as_deref() == Some("%TORYO");
        if has_resigned {
            end.verdict = Some(Verdict::Lose);
        }
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
            ending: if has_resigned {
                Ending::Resignation
            } else {
                ending(&game, &end)
            },
            notices: match notices.as_str() {
                _ if has_resigned => "resigned".to_owned(),
                "" => "broken off".to_owned(),
                _ => notices,
            },
            verdict: end.verdict,
            is_complete: !end.has_no_notice(),
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
