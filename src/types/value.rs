//! Search values, in which a pawn is 90, and scores for output, in which a pawn is 100.

use super::piece::PieceType;

/// A value in the internal unit: a pawn is [`PAWN_VALUE`], 90.
pub type Value = i32;

/// Remaining search depth in plies.
pub type Depth = i32;

/// Distance from the root in plies.
pub type Ply = usize;

/// Value of a pawn in the internal unit.
pub const PAWN_VALUE: Value = 90;

/// Piece values by piece code: `YaneuraOu`'s material values (level 1). Kings count 0.
pub const PIECE_VALUES: [Value; PieceType::NUM] =
    [0, PAWN_VALUE, 315, 405, 495, 855, 990, 540, 0, 540, 540, 540, 540, 945, 1395];

/// Value of a piece on the board, see [`PIECE_VALUES`].
#[inline]
pub const fn piece_value(kind: PieceType) -> Value {
    PIECE_VALUES[kind.index()]
}

/// Longest line that the search follows, in plies.
pub const MAX_PLY: usize = 246;

/// Value of a mate at the root; a mate in `ply` is `MATE - ply`.
pub const MATE: Value = 32_000;

/// Bound above every value.
pub const INFINITE: Value = 32_001;

/// "No value" in storage; outside of the range of values.
pub const NONE: Value = 32_002;

/// Least value of a proven mate.
pub const MATE_IN_MAX_PLY: Value = MATE - MAX_PLY as Value;

/// Largest magnitude of an evaluation, and the value of a superior repetition (the same board with
/// a better hand). Values between this and [`MATE_IN_MAX_PLY`] are wins by a rule without a proven
/// mate: perpetual check by the opponent.
pub const MAX_EVALUATION: Value = 29_999;

/// Win by the rule on perpetual check. Below the mate range, so that `mate N` is always proven: a
/// mate, or a win by declaration, which counts as a mate by the next move.
pub const REPETITION_WIN: Value = 31_000;

/// Value of giving mate at `ply` from the root.
#[inline]
pub const fn mate_in(ply: Ply) -> Value {
    MATE - ply as Value
}

/// Value of being mated at `ply` from the root.
#[inline]
pub const fn mated_in(ply: Ply) -> Value {
    ply as Value - MATE
}

/// Whether the value is a proven mate for either side.
#[inline]
pub const fn is_mate(value: Value) -> bool {
    value.abs() >= MATE_IN_MAX_PLY && value.abs() <= MATE
}

/// Whether the value is a win by mate or by a rule.
#[inline]
pub const fn is_win(value: Value) -> bool {
    value > MAX_EVALUATION
}

/// Whether the value is a loss by mate or by a rule.
#[inline]
pub const fn is_loss(value: Value) -> bool {
    value < -MAX_EVALUATION
}

/// Whether the value is a win or a loss.
#[inline]
pub const fn is_decisive(value: Value) -> bool {
    value.abs() > MAX_EVALUATION
}

/// Converts a value for the transposition table: mates are counted from the node instead of from
/// the root.
#[inline]
pub const fn to_table(value: Value, ply: Ply) -> Value {
    if value == NONE {
        value
    } else if value >= MATE_IN_MAX_PLY {
        value + ply as Value
    } else if value <= -MATE_IN_MAX_PLY {
        value - ply as Value
    } else {
        value
    }
}

/// Inverse of [`to_table`]. [`NONE`] for a mate too distant to lie in the mate range when counted
/// from the root.
#[inline]
pub const fn from_table(value: Value, ply: Ply) -> Value {
    if !is_mate(value) {
        return value;
    }
    let from_root = if value > 0 { value - ply as Value } else { value + ply as Value };
    if is_mate(from_root) { from_root } else { NONE }
}

/// Largest score in centipawns: below every mate of the files that write one in `n` plies as
/// 32,000 − n.
pub const MAX_CENTIPAWNS: i32 = 31_000;

/// Centipawns of a pawn.
pub const CENTIPAWNS: i32 = 100;

/// A value in centipawns.
pub const fn centipawns(value: Value) -> i64 {
    value as i64 * CENTIPAWNS as i64 / PAWN_VALUE as i64
}

/// A score for output, from the point of view of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// Centipawns: a pawn is 100. At most [`MAX_CENTIPAWNS`] either way.
    Cp(i32),
    /// Mate in this many plies; negative when the side to move is mated.
    Mate(i32),
}

impl Score {
    /// The score of a search value at the root.
    pub const fn from_value(value: Value) -> Self {
        if value >= MATE_IN_MAX_PLY {
            Self::Mate(MATE - value)
        } else if value <= -MATE_IN_MAX_PLY {
            Self::Mate(-MATE - value)
        } else {
            let centipawns = centipawns(value) as i32;
            Self::Cp(if centipawns > MAX_CENTIPAWNS {
                MAX_CENTIPAWNS
            } else if centipawns < -MAX_CENTIPAWNS {
                -MAX_CENTIPAWNS
            } else {
                centipawns
            })
        }
    }
}

/// Kind of a value from alpha-beta search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum Bound {
    /// The true value is at most this one (all moves failed low).
    Upper = 1,
    /// The true value is at least this one (a move failed high).
    Lower = 2,
    /// The true value of the position.
    Exact = 3,
}

impl Bound {
    /// The bound of the negated value.
    #[must_use]
    pub const fn flipped(self) -> Self {
        match self {
            Self::Upper => Self::Lower,
            Self::Lower => Self::Upper,
            Self::Exact => Self::Exact,
        }
    }

    /// The bound of two stored bits, `None` for 0.
    #[inline]
    pub const fn from_bits(bits: u8) -> Option<Self> {
        match bits & 3 {
            1 => Some(Self::Upper),
            2 => Some(Self::Lower),
            3 => Some(Self::Exact),
            _ => None,
        }
    }
}

/// Whether a stored `value` of kind `bound` decides a window whose upper end is `beta`.
#[inline]
pub const fn decides(value: Value, bound: Bound, beta: Value) -> bool {
    match bound {
        Bound::Exact => true,
        Bound::Lower => value >= beta,
        Bound::Upper => value < beta,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_counted_in_plies() {
        assert_eq!(Score::from_value(mate_in(3)), Score::Mate(3));
        assert_eq!(Score::from_value(mated_in(2)), Score::Mate(-2));
        assert_eq!(Score::from_value(90), Score::Cp(100));
        assert_eq!(Score::from_value(REPETITION_WIN), Score::Cp(MAX_CENTIPAWNS));
        let expected = Score::Cp(-MAX_CENTIPAWNS);
        assert_eq!(Score::from_value(-REPETITION_WIN), expected);
        assert!(MAX_CENTIPAWNS < 32_000 - MAX_PLY as i32);
        assert!(!is_mate(REPETITION_WIN) && is_mate(mated_in(MAX_PLY)));
    }

    #[test]
    fn table_values_round_trip() {
        for value in [0, 1500, mate_in(7), mated_in(8), REPETITION_WIN, NONE] {
            assert_eq!(from_table(to_table(value, 5), 5), value);
        }
        let far = MATE_IN_MAX_PLY + 3;
        assert_eq!(from_table(far, 3), MATE_IN_MAX_PLY);
        assert_eq!(from_table(far, 4), NONE);
        assert_eq!(from_table(-far, 4), NONE);
    }
}
