//! The comments of floodgate: ratings of the players, and scores of their engines.

use crate::types::{Color, Score};

/// The score that stands for a mate in 0 plies; each ply is one less. It fits in 16 bits, because
/// readers store it so.
pub(super) const MATE_SCORE: i32 = 32_000;

/// The largest score that is not a mate.
pub(super) const MAX_SCORE: i32 = 30_000;

/// The beginnings of the comments with the players' ratings, by [`Color::index`].
pub(super) const RATING_PREFIXES: [&str; Color::NUM] = ["'black_rate:", "'white_rate:"];

/// Parses the rating after the name, which may have colons: `AobaZero:3393` or `engine+7f:3382.0`.
pub(super) fn parse_rating(text: &str) -> Option<f64> {
    let (_, number) = text.rsplit_once(':')?;
    let rating: f64 = number.trim().parse().ok()?;
    rating.is_finite().then_some(rating)
}

/// Converts the number of a score comment. Numbers beyond [`MATE_SCORE`], which some programs
/// write, are not mates and are clamped to [`MAX_SCORE`].
pub(super) fn parse_score(score: i64) -> Score {
    let [max, mate] = [MAX_SCORE, MATE_SCORE].map(i64::from);
    let size = score.saturating_abs();
    if size > max && size <= mate {
        let distance = (mate - size) as i32;
        Score::Mate(if score < 0 { -distance } else { distance })
    } else {
        Score::Cp(score.clamp(-max, max) as i32)
    }
}

/// The number of a score comment: the score of the side that moved, from black's point of view.
/// Centipawns are clamped to ±30,000; a mate in `n` plies is ±(32,000 - n).
pub fn black_score(score: Score, mover: Color) -> i32 {
    let for_mover = match score {
        Score::Cp(centipawns) => centipawns.clamp(-MAX_SCORE, MAX_SCORE),
        Score::Mate(plies) => {
            let distance = plies.saturating_abs().min(MATE_SCORE - MAX_SCORE - 1);
            (MATE_SCORE - distance) * if plies < 0 { -1 } else { 1 }
        }
    };
    match mover {
        Color::Black => for_mover,
        Color::White => -for_mover,
    }
}
