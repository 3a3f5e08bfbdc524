//! What floodgate says in comments: ratings of the players, and scores of their engines.

use super::{LARGEST_SCORE, MATE_SCORE};
use crate::types::{Color, Score};

/// What the comments with the players' ratings begin with, by [`Color::index`].
pub(super) const RATING_PREFIXES: [&str; Color::NUM] = ["'black_rate:", "'white_rate:"];

/// The number behind the name, which may have colons in it: `AobaZero:3393` or `engine+7f:3382.0`.
pub(super) fn rating_of(text: &str) -> Option<f64> {
    let (_, number) = text.rsplit_once(':')?;
    let rating: f64 = number.trim().parse().ok()?;
    rating.is_finite().then_some(rating)
}

/// The reverse of what the writer does with mates; larger numbers, which some programs write, are only large.
pub(super) fn understand_score(score: i64) -> Score {
    let [largest, mate] = [LARGEST_SCORE, MATE_SCORE].map(i64::from);
    let size = score.saturating_abs();
    if size > largest && size <= mate {
        let distance = (mate - size) as i32;
        Score::Mate(if score < 0 { -distance } else { distance })
    } else {
        Score::Cp(score.clamp(-largest, largest) as i32)
    }
}
