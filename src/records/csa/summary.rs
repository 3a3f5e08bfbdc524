//! The comment of shogi-server on the end of a game:
//! `'summary:toryo:Titanda_L lose:HarrySan win`. Its older records have no other ending.

use crate::movegen::legal_moves;
use crate::position::Position;
use crate::records::game::Ending;
use crate::types::{Color, Repetition};

/// The beginning of the comment.
const PREFIX: &str = "'summary:";

/// A summary comment.
pub(super) struct Summary {
    /// The word for the ending, such as `toryo`.
    reason: String,
    /// The players' names and results: `win`, `lose` or `draw`.
    players: Vec<(String, String)>,
}

impl Summary {
    pub(super) fn parse(comment: &str) -> Option<Self> {
        let mut parts = comment.strip_prefix(PREFIX)?.split(':');
        let reason = parts.next()?.to_owned();
        let player = |part: &str| {
            let (name, result) = part.rsplit_once(' ')?;
            Some((name.to_owned(), result.to_owned()))
        };
        let players = parts.filter_map(player).collect();
        Some(Self { reason, players })
    }

    /// The ending of a game between `names` that ended at `position`; `None` if its word is unknown
    /// and nobody won.
    pub(super) fn ending(
        &self,
        names: &[String; Color::NUM],
        position: &Position,
    ) -> Option<Ending> {
        let side = position.side_to_move();
        let winner = Color::ALL.into_iter().find(|color| {
            let name = &names[color.index()];
            let won = |(player, result): &(String, String)| player == name && result == "win";
            self.players.iter().any(won)
        });
        let side_to_move_lost = winner == Some(!side);
        Some(match (self.reason.as_str(), winner) {
            // Servers recorded some perpetual checks as draws.
            ("sennichite", _) => by_repetition(position).unwrap_or(Ending::Repetition),
            ("oute_sennichite", Some(winner)) => Ending::PerpetualCheck { loser: !winner },
            ("max_moves" | "jishogi", None) => Ending::MaxMoves,
            ("kachi" | "jishogi", Some(winner)) if winner == side => Ending::Declaration,
            ("toryo", _) if side_to_move_lost => Ending::Resignation,
            ("time up" | "time_up", _) if side_to_move_lost => Ending::TimeUp,
            ("illegal kachi", _) if side_to_move_lost => Ending::IllegalDeclaration,
            ("uchifuzume" | "illegal move", _) if side_to_move_lost => Ending::IllegalMove {
                text: self.reason.clone(),
            },
            ("abnormal", _) if side_to_move_lost => Ending::Disconnection {
                reason: self.reason.clone(),
            },
            (_, winner) => Ending::AdjudicatedWin { winner: winner? },
        })
    }
}

/// The ending by the rules of a record without an ending.
pub(in crate::records) fn by_the_rules(position: &Position) -> Ending {
    if legal_moves(position).is_empty() {
        return Ending::Checkmate;
    }
    by_repetition(position).unwrap_or(Ending::Unfinished)
}

fn by_repetition(position: &Position) -> Option<Ending> {
    let us = position.side_to_move();
    Some(match position.rule_repetition()? {
        Repetition::Win => Ending::PerpetualCheck { loser: !us },
        Repetition::Lose => Ending::PerpetualCheck { loser: us },
        _ => Ending::Repetition,
    })
}
