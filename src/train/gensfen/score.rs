//! Conversion of search values to the scores of teacher data: centipawns in 16 bits.

use crate::types::{Score, Value};

/// A mate in `n` plies is `32000 - n`, as in the data of `YaneuraOu`.
const MATE: i32 = 32_000;
/// Scores that are not mates are clamped to this size.
const MAX_CENTIPAWNS: i32 = 31_000;

/// The score of the side to move in centipawns; ±(32000 − `plies`) for a mate.
pub(in crate::train) fn centipawns(value: Value) -> i16 {
    let score = match Score::from_value(value) {
        Score::Cp(score) => score.clamp(-MAX_CENTIPAWNS, MAX_CENTIPAWNS),
        Score::Mate(plies) if plies > 0 => MATE - plies,
        Score::Mate(plies) => -MATE - plies,
    };
    score as i16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::value::{MAX_EVALUATION, REPETITION_WIN, mate_in, mated_in};

    #[test]
    fn mates_stand_above_all_scores() {
        for (value, expected) in [
            (0, 0),
            (90, 100),
            (-45, -50),
            (MAX_EVALUATION, 31_000),
            (REPETITION_WIN, 31_000),
            (mate_in(1), 31_999),
            (mated_in(2), -31_998),
            (mated_in(246), -31_754),
        ] {
            assert_eq!(centipawns(value), expected, "{value}");
        }
    }
}
