//! What is known about a position: proof and disproof numbers, and what a settled one rests on.

use crate::types::Hand;

/// Larger than every number of an open position.
pub(super) const INFINITE: u32 = 1 << 30;
/// The largest number of an open position.
pub(super) const LARGE: u32 = INFINITE - 1;
/// Plies left where nothing limits them.
pub(super) const NO_LIMIT: u16 = u16::MAX;
/// A refutation that depends on no position of the path.
pub(super) const NO_HORIZON: u16 = u16::MAX;
/// A refutation that must never be believed: the path became too long.
pub(super) const BEYOND: u16 = 0;

/// What is known about a position. The numbers are those of Allis: how many leaves must at least be settled before a mate is
/// proved, or refuted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Outlook {
    /// 0 where the mate is proved, [`INFINITE`] where it is refuted.
    pub(super) proof: u32,
    /// 0 where the mate is refuted, [`INFINITE`] where it is proved.
    pub(super) disproof: u32,
    /// Of a settled position: the least hand of the attacker that still mates, or the largest that still does not.
    pub(super) hand: Hand,
    /// Of a proved mate: its plies at most.
    pub(super) length: u16,
    /// Of a refutation: the number, from 1, of the shallowest position on the path that it assumes refuted, because a line
    /// comes back to it; else [`NO_HORIZON`].
    pub(super) horizon: u16,
}

impl Outlook {
    pub(super) const fn open(proof: u32, disproof: u32) -> Self {
        Self {
            proof,
            disproof,
            hand: Hand::EMPTY,
            length: 0,
            horizon: NO_HORIZON,
        }
    }

    pub(super) const fn mate(hand: Hand, length: u16) -> Self {
        Self {
            proof: 0,
            disproof: INFINITE,
            hand,
            length,
            horizon: NO_HORIZON,
        }
    }

    pub(super) const fn refuted(hand: Hand, horizon: u16) -> Self {
        Self {
            proof: INFINITE,
            disproof: 0,
            hand,
            length: 0,
            horizon,
        }
    }

    pub(super) const fn is_mate(&self) -> bool {
        self.proof == 0
    }

    pub(super) const fn is_refuted(&self) -> bool {
        self.disproof == 0
    }

    pub(super) const fn is_settled(&self) -> bool {
        self.is_mate() || self.is_refuted()
    }

    /// Whether the refutation holds only for those who came by this path.
    pub(super) const fn depends_on_path(&self) -> bool {
        self.is_refuted() && self.horizon != NO_HORIZON
    }

    /// What the side to move wants to bring to 0 when the position comes from a move of the attacker (`OR`) or of the
    /// defender.
    pub(super) const fn cost<const OR: bool>(&self) -> u32 {
        if OR { self.proof } else { self.disproof }
    }

    /// What the other side wants to bring to 0.
    pub(super) const fn rest<const OR: bool>(&self) -> u32 {
        if OR { self.disproof } else { self.proof }
    }
}

/// A node is left when one of its numbers comes so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thresholds {
    pub(super) proof: u32,
    pub(super) disproof: u32,
}

impl Thresholds {
    /// Only a settled node is left.
    pub(super) const NONE: Self = Self {
        proof: INFINITE,
        disproof: INFINITE,
    };

    pub(super) const fn of<const OR: bool>(cost: u32, rest: u32) -> Self {
        if OR {
            Self {
                proof: cost,
                disproof: rest,
            }
        } else {
            Self {
                proof: rest,
                disproof: cost,
            }
        }
    }

    pub(super) const fn cost<const OR: bool>(self) -> u32 {
        if OR { self.proof } else { self.disproof }
    }

    pub(super) const fn rest<const OR: bool>(self) -> u32 {
        if OR { self.disproof } else { self.proof }
    }
}
