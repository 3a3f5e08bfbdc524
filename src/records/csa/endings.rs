//! The words of CSA for the endings of games, which JKF uses too.

use crate::position::Position;
use crate::records::game::Ending;
use crate::types::{Color, Repetition};

/// The ending of a word such as `%TORYO`; `None` if the word is unknown. `illegal` is a move before
/// it that the rules forbid.
pub(in crate::records) fn ending_of_word(
    word: &str,
    position: &Position,
    illegal: Option<&str>,
) -> Option<Ending> {
    let loser = position.side_to_move();
    Some(match word {
        "%TORYO" => Ending::Resignation,
        "%TSUMI" => Ending::Checkmate,
        "%KACHI" => Ending::Declaration,
        "%SENNICHITE" => Ending::Repetition,
        "%OUTE_SENNICHITE" => Ending::PerpetualCheck { loser },
        "%JISHOGI" | "%MAX_MOVES" => Ending::MaxMoves,
        "%HIKIWAKE" => Ending::AdjudicatedDraw,
        "%TIME_UP" => Ending::TimeUp,
        "%ILLEGAL_MOVE" => illegal_move(position, illegal),
        "%+ILLEGAL_ACTION" => illegal_action(position, Color::Black, illegal),
        "%-ILLEGAL_ACTION" => illegal_action(position, Color::White, illegal),
        "%FUZUMI" => Ending::NoMate,
        "%CHUDAN" | "%MATTA" | "%ERROR" => Ending::Interrupted,
        _ => return None,
    })
}

/// Whether the word is another one when it is written again. It becomes a comment.
pub(in crate::records) fn is_renamed(word: &str) -> bool {
    ["%MAX_MOVES", "%MATTA", "%ERROR"].contains(&word)
}

/// An illegal move; without a `text`, perhaps the move that completed a perpetual check.
fn illegal_move(position: &Position, text: Option<&str>) -> Ending {
    match (text, position.rule_repetition()) {
        (None, Some(Repetition::Lose)) => Ending::PerpetualCheck {
            loser: position.side_to_move(),
        },
        (text, _) => Ending::IllegalMove {
            text: text.unwrap_or_default().to_owned(),
        },
    }
}

fn illegal_action(position: &Position, by: Color, illegal: Option<&str>) -> Ending {
    if by == position.side_to_move() {
        illegal_move(position, illegal)
    } else if position.rule_repetition() == Some(Repetition::Win) {
        Ending::PerpetualCheck { loser: by }
    } else {
        Ending::IllegalAction { loser: by }
    }
}

/// The word of the standard for an ending with `side` to move.
///
/// - Checkmate is `%TORYO` with a comment, as the loser resigns on servers: some readers take the
///   standard's `%TSUMI` for a draw.
/// - The maximum length is `%JISHOGI`, the draw that every reader knows; `%MAX_MOVES` is not in the
///   standard.
/// - An illegal move and a disconnection of the side to move are `%ILLEGAL_MOVE`. If the other side
///   gave perpetual check or acted illegally, it is `%±ILLEGAL_ACTION`; some readers confuse its
///   sides, so it has no other use.
/// - An adjudicated win is `%TORYO` if the loser is to move, otherwise `%CHUDAN`, as no other word
///   fits.
pub(in crate::records) fn word_of_ending(ending: &Ending, side: Color) -> Option<&'static str> {
    Some(match ending {
        Ending::Resignation | Ending::Checkmate => "%TORYO",
        Ending::Declaration => "%KACHI",
        Ending::Repetition => "%SENNICHITE",
        Ending::PerpetualCheck { loser } if *loser != side => action_word(*loser),
        Ending::IllegalAction { loser } => action_word(*loser),
        Ending::MaxMoves => "%JISHOGI",
        Ending::TimeUp => "%TIME_UP",
        Ending::PerpetualCheck { .. }
        | Ending::IllegalMove { .. }
        | Ending::IllegalDeclaration
        | Ending::Disconnection { .. } => "%ILLEGAL_MOVE",
        Ending::AdjudicatedWin { winner } | Ending::Forfeit { winner } if *winner != side => {
            "%TORYO"
        }
        Ending::AdjudicatedDraw => "%HIKIWAKE",
        Ending::NoMate => "%FUZUMI",
        Ending::AdjudicatedWin { .. } | Ending::Forfeit { .. } | Ending::Interrupted => "%CHUDAN",
        Ending::Unfinished => return None,
    })
}

/// Whether the word alone is read back as the ending.
pub(super) const fn is_exact(ending: &Ending) -> bool {
    match ending {
        Ending::Resignation
        | Ending::Declaration
        | Ending::Repetition
        | Ending::MaxMoves
        | Ending::TimeUp
        | Ending::IllegalAction { .. }
        | Ending::AdjudicatedDraw
        | Ending::NoMate
        | Ending::Interrupted
        | Ending::Unfinished => true,
        Ending::IllegalMove { text } => text.is_empty(),
        _ => false,
    }
}

const fn action_word(by: Color) -> &'static str {
    match by {
        Color::Black => "%+ILLEGAL_ACTION",
        Color::White => "%-ILLEGAL_ACTION",
    }
}
