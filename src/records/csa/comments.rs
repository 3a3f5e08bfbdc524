//! The comments of floodgate with the ratings of the players.

use crate::types::Color;

/// The beginnings of the comments with the players' ratings, by [`Color::index`].
pub(super) const RATING_PREFIXES: [&str; Color::NUM] = ["'black_rate:", "'white_rate:"];

/// Parses the rating after the name, which may have colons: `AobaZero:3393` or `engine+7f:3382.0`.
pub(super) fn parse_rating(text: &str) -> Option<f64> {
    let (_, number) = text.rsplit_once(':')?;
    let rating: f64 = number.trim().parse().ok()?;
    rating.is_finite().then_some(rating)
}
