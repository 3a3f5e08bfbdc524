//! Names of the classes of faults that several formats share.

use crate::position::InvalidPosition;
use crate::records::packed::PackedError;

pub(super) const UNREADABLE: &str = "unreadable";
pub(super) const TRUNCATED: &str = "cut off";
pub(super) const ILLEGAL_MOVE: &str = "illegal move";
pub(super) const BAD_RESULT: &str = "bad result";
pub(super) const BAD_LINE: &str = "bad line";

/// The class of an invalid position.
pub(super) const fn of_position(error: &PackedError) -> &'static str {
    match error {
        PackedError::King { .. } | PackedError::KingsTogether(_) => "bad king",
        PackedError::LongBoard | PackedError::Hand { .. } | PackedError::LongHands { .. } => {
            "no position"
        }
        PackedError::Impossible(invalid) => match invalid {
            InvalidPosition::TooMany { .. } | InvalidPosition::TooManyKings { .. } => {
                "too many pieces"
            }
            InvalidPosition::DoublePawn { .. } => "two pawns on a file",
            InvalidPosition::DeadEnd { .. } => "a piece that can never move",
            InvalidPosition::OpponentInCheck { .. } => "a king to be taken",
        },
    }
}
