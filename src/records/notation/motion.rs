//! How a piece goes to a square, as the player sees it who moves it.

use crate::types::{Color, Square};

/// A way to a square, as the mover sees it.
pub(super) struct Motion {
    /// Files to the right of the target where the piece stands, negative to the left.
    pub(super) files: i32,
    pub(super) vertical: Vertical,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Vertical {
    Forward,
    Sideways,
    Backward,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Middle,
    Right,
}

impl Motion {
    pub(super) fn new(color: Color, from: Square, to: Square) -> Self {
        let direction = match color {
            Color::Black => 1,
            Color::White => -1,
        };
        let files = to.file().index() as i32 - from.file().index() as i32;
        let ranks = to.rank().index() as i32 - from.rank().index() as i32;
        Self {
            files: direction * files,
            vertical: match direction * ranks {
                0 => Vertical::Sideways,
                ranks if ranks < 0 => Vertical::Forward,
                _ => Vertical::Backward,
            },
        }
    }

    pub(super) fn side(&self, reference: i32) -> Side {
        match self.files - reference {
            0 => Side::Middle,
            files if files < 0 => Side::Left,
            _ => Side::Right,
        }
    }

    /// The side's word followed by that of the motion.
    pub(super) fn words(&self, side: &str) -> &'static str {
        match (side, self.vertical) {
            ("左", Vertical::Forward) => "左上",
            ("左", Vertical::Sideways) => "左寄",
            ("左", Vertical::Backward) => "左引",
            ("右", Vertical::Forward) => "右上",
            ("右", Vertical::Sideways) => "右寄",
            ("右", Vertical::Backward) => "右引",
            (_, Vertical::Forward) => "上",
            (_, Vertical::Sideways) => "寄",
            (_, Vertical::Backward) => "引",
        }
    }
}
