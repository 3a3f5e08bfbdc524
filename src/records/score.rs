//! Scores in 16 bits, as every teacher format stores them, and conversions between their units.
//!
//! hcpe, hcpe3 and `.pack` store centipawns (a pawn is 100); psv stores the units of `YaneuraOu` (a
//! pawn is 90). A mate in `n` plies is `32000 - n` in all of them, a mated position the negative.

use crate::types::{Score, Value, value::CENTIPAWNS};

/// The value of a pawn in psv.
const PSV_PAWN: i32 = 90;

/// Scores of at least this size are mates. They count plies, so no conversion scales them.
const MIN_MATE: i16 = 31_000;
/// The largest score that is not a mate.
const MAX_CENTIPAWNS: i16 = MIN_MATE - 1;
/// The score of a mate in 0 plies.
const MATE: i32 = 32_000;

/// Ninths of a centipawn in a centipawn. Both units are whole numbers of ninths.
pub const NINTHS: i64 = 9;

/// Whether a score of any format is a mate score.
pub const fn is_mate(score: i16) -> bool {
    score.unsigned_abs() >= MIN_MATE as u16
}

/// Clamps centipawns to the range of scores that are not mates, ±30999.
pub fn clamp_centipawns(centipawns: i32) -> i16 {
    let max = i32::from(MAX_CENTIPAWNS);
    centipawns.clamp(-max, max) as i16
}

/// The score of a mate in `plies`; the side to move is mated if `plies` is negative.
pub fn mate_score(plies: i32) -> i16 {
    let distance = plies.saturating_abs().min(MATE - i32::from(MIN_MATE));
    let size = MATE - distance;
    (if plies < 0 { -size } else { size }) as i16
}

/// The score of the side to move that a search found. Here alone a clamped score is 31000, as files
/// of self-play always had it.
pub fn of_value(value: Value) -> i16 {
    match Score::from_value(value) {
        Score::Cp(centipawns) => centipawns.clamp(-i32::from(MIN_MATE), i32::from(MIN_MATE)) as i16,
        Score::Mate(plies) if plies > 0 => (MATE - plies) as i16,
        Score::Mate(plies) => (-MATE - plies) as i16,
    }
}

/// The meaning of a score in centipawns.
pub fn to_score(centipawns: i16) -> Score {
    if !is_mate(centipawns) {
        return Score::Cp(centipawns.into());
    }
    let distance = (MATE - i32::from(centipawns).abs()).max(0);
    Score::Mate(if centipawns < 0 { -distance } else { distance })
}

/// Converts a psv score to centipawns, rounded; mate scores stay the same. Scores below 279 pawns
/// survive the way there and back.
pub fn psv_to_centipawns(score: i16) -> i16 {
    scale(score, CENTIPAWNS, PSV_PAWN)
}

/// Converts centipawns to a psv score, rounded; mate scores stay the same.
pub fn centipawns_to_psv(centipawns: i16) -> i16 {
    scale(centipawns, PSV_PAWN, CENTIPAWNS)
}

/// Converts a psv score to ninths of a centipawn, which is exact.
pub(super) fn psv_to_ninths(score: i16) -> i64 {
    let factor =
        if is_mate(score) { NINTHS } else { NINTHS * i64::from(CENTIPAWNS) / i64::from(PSV_PAWN) };
    i64::from(score) * factor
}

fn scale(score: i16, numerator: i32, denominator: i32) -> i16 {
    if is_mate(score) {
        return score;
    }
    let doubled = 2 * i32::from(score) * numerator;
    // Half away from zero, so that both sides are rounded symmetrically.
    let rounded = (doubled + denominator * doubled.signum()) / (2 * denominator);
    clamp_centipawns(rounded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::value::{MAX_EVALUATION, REPETITION_WIN, mate_in, mated_in};

    #[test]
    fn scores_come_back() {
        for score in -27_899..=27_899 {
            assert_eq!(centipawns_to_psv(psv_to_centipawns(score)), score);
            assert_eq!(psv_to_centipawns(-score), -psv_to_centipawns(score));
        }
        let found = [90, -1, 1, 0, 30_999, 31_990].map(psv_to_centipawns);
        assert_eq!(found, [100, -1, 1, 0, 30_999, 31_990]);
        assert_eq!(centipawns_to_psv(-31_995), -31_995);
    }

    #[test]
    fn mates_keep_their_distance() {
        for plies in [1, -2, 999, -1000] {
            assert_eq!(to_score(mate_score(plies)), Score::Mate(plies));
        }
        assert_eq!(mate_score(5000), MIN_MATE);
        assert_eq!(to_score(clamp_centipawns(i32::MAX)), Score::Cp(30_999));
    }

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
            assert_eq!(of_value(value), expected, "{value}");
        }
    }
}
