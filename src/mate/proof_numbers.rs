//! Proof and disproof numbers of a node, what a solved node rests on, and the thresholds of df-pn.
//!
//! Numbers are those of Allis (1994): the least number of leaves that must be solved to prove, or
//! to disprove, a mate by the attacker. OR nodes are those where the attacker moves, AND nodes
//! those where the defender answers a check.

use crate::types::Hand;

/// Above every number of an unsolved node.
pub(super) const INFINITE: u32 = 1 << 30;
/// The largest number of an unsolved node; sums saturate here.
pub(super) const MAX_UNSOLVED: u32 = INFINITE - 1;
/// Plies left in a search without a limit on the length of the mate.
pub(super) const NO_LIMIT: i16 = i16::MAX;
/// [`ProofNumbers::repetition_start`] of a disproof that holds on every path.
pub(super) const NO_REPETITION: u16 = u16::MAX;
/// [`ProofNumbers::repetition_start`] of a node that was given up because the path became too long:
/// such a disproof is never stored.
pub(super) const PATH_TOO_LONG: u16 = 0;

/// Plies left after one more move: -1 after an interposition where no ply was left, which only a
/// capture can answer that shows it to be futile.
pub(super) const fn limit_after_move(limit: i16) -> i16 {
    if limit == NO_LIMIT { NO_LIMIT } else { limit - 1 }
}

/// What is known about a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ProofNumbers {
    /// 0 for a proven mate, [`INFINITE`] for a disproven one.
    pub(super) proof: u32,
    /// 0 for a disproven mate, [`INFINITE`] for a proven one.
    pub(super) disproof: u32,
    /// Of a proven node the proof hand: the smallest hand of the attacker known to mate. Of a
    /// disproven node the disproof hand: the largest hand known not to mate.
    pub(super) hand: Hand,
    /// Plies to mate of a proven node, an upper bound. -1 after an interposition that changes
    /// nothing.
    pub(super) length: i16,
    /// Of a proven node: whether no interposition was left out of its length as futile.
    pub(super) counts_all: bool,
    /// Of a disproven node: the number, counted from 1 at the root, of the shallowest position on
    /// the path that the disproof assumes disproven because a line repeats it; else
    /// [`NO_REPETITION`].
    pub(super) repetition_start: u16,
}

impl ProofNumbers {
    pub(super) const fn unsolved(proof: u32, disproof: u32) -> Self {
        Self {
            proof,
            disproof,
            hand: Hand::EMPTY,
            length: 0,
            counts_all: true,
            repetition_start: NO_REPETITION,
        }
    }

    pub(super) const fn proven(hand: Hand, length: i16) -> Self {
        Self {
            proof: 0,
            disproof: INFINITE,
            hand,
            length,
            counts_all: true,
            repetition_start: NO_REPETITION,
        }
    }

    pub(super) const fn disproven(hand: Hand, repetition_start: u16) -> Self {
        Self { proof: INFINITE, disproof: 0, hand, length: 0, counts_all: true, repetition_start }
    }

    pub(super) const fn is_proven(&self) -> bool {
        self.proof == 0
    }

    pub(super) const fn is_disproven(&self) -> bool {
        self.disproof == 0
    }

    pub(super) const fn is_solved(&self) -> bool {
        self.is_proven() || self.is_disproven()
    }

    /// Whether the disproof holds only on the path by which the node was reached.
    pub(super) const fn depends_on_path(&self) -> bool {
        self.is_disproven() && self.repetition_start != NO_REPETITION
    }

    /// The number that a parent minimises over its children: proof numbers at an OR node, disproof
    /// numbers at an AND node. `OR` is the kind of the parent. Nagai's φ of the parent.
    pub(super) const fn phi<const OR: bool>(&self) -> u32 {
        if OR { self.proof } else { self.disproof }
    }

    /// The other number, which a parent of kind `OR` accumulates over its children. Nagai's δ.
    pub(super) const fn delta<const OR: bool>(&self) -> u32 {
        if OR { self.disproof } else { self.proof }
    }
}

/// The search leaves a node as soon as one of its numbers reaches its threshold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thresholds {
    pub(super) proof: u32,
    pub(super) disproof: u32,
}

impl Thresholds {
    /// Only solved nodes reach these.
    pub(super) const INFINITE: Self = Self { proof: INFINITE, disproof: INFINITE };

    /// From the thresholds of φ and δ of a node of kind `OR`.
    pub(super) const fn from_phi_delta<const OR: bool>(phi: u32, delta: u32) -> Self {
        if OR { Self { proof: phi, disproof: delta } } else { Self { proof: delta, disproof: phi } }
    }

    pub(super) const fn phi<const OR: bool>(self) -> u32 {
        if OR { self.proof } else { self.disproof }
    }

    pub(super) const fn delta<const OR: bool>(self) -> u32 {
        if OR { self.disproof } else { self.proof }
    }
}
