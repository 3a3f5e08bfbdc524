//! A start position in packed form.

use crate::position::Position;
use crate::records::packed::HuffmanCodedPos;

/// A start position, without the moves that led to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Start {
    position: HuffmanCodedPos,
    ply: u16,
}

impl Start {
    pub(super) fn of(position: &Position) -> Self {
        Self {
            position: HuffmanCodedPos::of(position),
            ply: u16::try_from(position.game_ply()).unwrap_or(u16::MAX),
        }
    }

    pub(super) fn position(self) -> Position {
        let position = self.position.unpack(self.ply.into());
        position.expect("only what is a position becomes a start")
    }
}
