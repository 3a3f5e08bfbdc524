//! The right to act in a game, as a value: a `Turn` exists only from the moment at which the
//! server gives us the turn until we act or the game ends, and acting consumes it.
//!
//! Servers keep a move that comes out of turn and play it later, so a stray move loses games. As
//! only a turn can make an [`OwnAction`], and only an action can be sent, there is none.

use std::{fmt, time::Instant};

use crate::position::{Declaration, Position};
use crate::records::csa::move_text;
use crate::types::{EnteringKingRule, Move};

/// Our turn. It cannot be copied.
#[derive(Debug)]
pub(super) struct Turn {
    /// When the server gave us the turn.
    since: Instant,
}

/// A move, a resignation or a declaration of ours.
#[derive(PartialEq, Eq, Debug)]
pub struct OwnAction(Action);

#[derive(PartialEq, Eq, Debug)]
enum Action {
    Move { mv: Move, comment: String },
    Resign,
    Declare,
}

impl Turn {
    /// The turn that the server gave us at `since`.
    pub(super) const fn given(since: Instant) -> Self {
        Self { since }
    }

    /// When the server gave us the turn.
    pub(super) const fn since(&self) -> Instant {
        self.since
    }

    /// Plays a move. `comment` is sent with it, unless it is empty.
    ///
    /// # Errors
    /// The move is illegal in the position; the turn is returned.
    pub(super) fn play(
        self,
        position: &Position,
        mv: Move,
        comment: String,
    ) -> Result<OwnAction, Self> {
        if position.is_legal(mv) { Ok(OwnAction(Action::Move { mv, comment })) } else { Err(self) }
    }

    /// Gives the game up.
    pub(super) fn resign(self) -> OwnAction {
        let Self { .. } = self;
        OwnAction(Action::Resign)
    }

    /// Declares a win by entering king.
    ///
    /// # Errors
    /// The position does not allow it, and a false declaration loses; the turn is returned.
    pub(super) fn declare(
        self,
        position: &Position,
        rule: EnteringKingRule,
    ) -> Result<OwnAction, Self> {
        if position.declaration(rule) == Some(Declaration::Win) {
            Ok(OwnAction(Action::Declare))
        } else {
            Err(self)
        }
    }
}

/// The line as sent.
impl fmt::Display for OwnAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Action::Move { mv, comment } => {
                f.write_str(&move_text(*mv))?;
                if comment.is_empty() {
                    return Ok(());
                }
                write!(f, ",{comment}")
            }
            Action::Resign => f.write_str("%TORYO"),
            Action::Declare => f.write_str("%KACHI"),
        }
    }
}
