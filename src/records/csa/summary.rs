//! What shogi-server says about the end of a game, in a comment behind it:
//! `'summary:toryo:Titanda_L lose:HarrySan win`. Its older records say it nowhere else.

use crate::movegen::legal_moves;
use crate::position::Position;
use crate::records::game::Ending;
use crate::types::{Color, Repetition};

/// The beginning of the comment.
const PREFIX: &str = "'summary:";

/// A comment of this kind.
pub(super) struct Summary {
    why: String,
    /// Names and what became of them: `win`, `lose` or `draw`.
    players: Vec<(String, String)>,
}

impl Summary {
    pub(super) fn parse(comment: &str) -> Option<Self> {
        let mut parts = comment.strip_prefix(PREFIX)?.split(':');
        let why = parts.next()?.to_owned();
        let player = |part: &str| {
            let (name, result) = part.rsplit_once(' ')?;
            Some((name.to_owned(), result.to_owned()))
        };
        let players = parts.filter_map(player).collect();
        Some(Self { why, players })
    }

    /// The ending of a game of `names` that stands at `position`; `None` where the words are unknown and nobody won.
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
        let lost_by_the_side_to_move = winner == Some(!side);
        Some(match (self.why.as_str(), winner) {
            // The servers took some perpetual checks for draws.
            ("sennichite", _) => by_repetition(position).unwrap_or(Ending::Repetition),
            ("oute_sennichite", Some(winner)) => Ending::PerpetualCheck { loser: !winner },
            ("max_moves" | "jishogi", None) => Ending::MaxMoves,
            ("kachi" | "jishogi", Some(winner)) if winner == side => Ending::Declaration,
            ("toryo", _) if lost_by_the_side_to_move => resignation(position),
            ("time up" | "time_up", _) if lost_by_the_side_to_move => Ending::TimeUp,
            ("illegal kachi", _) if lost_by_the_side_to_move => Ending::IllegalDeclaration,
            ("uchifuzume" | "illegal move", _) if lost_by_the_side_to_move => Ending::IllegalMove {
                text: self.why.clone(),
            },
            ("abnormal", _) if lost_by_the_side_to_move => Ending::Disconnection {
                reason: self.why.clone(),
            },
            (_, winner) => Ending::AdjudicatedWin { winner: winner? },
        })
    }
}

/// The ending by the rules of a game of whose end nothing is said.
pub(super) fn by_the_rules(position: &Position) -> Ending {
    if legal_moves(position).is_empty() {
        return Ending::Checkmate;
    }
    by_repetition(position).unwrap_or(Ending::Interrupted)
}

/// The side to move resigned; servers record a mate so, too.
pub(super) fn resignation(position: &Position) -> Ending {
    if legal_moves(position).is_empty() {
        Ending::Checkmate
    } else {
        Ending::Resignation
    }
}

fn by_repetition(position: &Position) -> Option<Ending> {
    let us = position.side_to_move();
    Some(match position.rule_repetition()? {
        Repetition::Win => Ending::PerpetualCheck { loser: !us },
        Repetition::Lose => Ending::PerpetualCheck { loser: us },
        _ => Ending::Repetition,
    })
}
