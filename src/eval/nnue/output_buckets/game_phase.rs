//! The output buckets of our own networks: game phase by captured material, and one bucket for an
//! entering king.

use super::hand::points;
use crate::eval::perspective::seen_by;
use crate::position::Position;
use crate::types::{Color, Rank};

/// Number of output buckets of our own networks.
pub const OUTPUT_BUCKETS: usize = 8;

/// Upper bounds of the points in both hands together, for the buckets 0 to 5. Chosen so that the
/// buckets are about equally frequent in games.
const MAX_POINTS: [u32; 6] = [1, 5, 10, 16, 24, 35];

/// The bucket of positions in which either king has entered.
const ENTERING_KING: usize = OUTPUT_BUCKETS - 1;

const _: () = assert!(MAX_POINTS.len() + 2 == OUTPUT_BUCKETS);

/// The output bucket of a position in our own networks: 0 to 6 by the points in both hands (pawn 1,
/// lance and knight 2, silver and gold 3, bishop and rook 5), 7 where either king stands on the
/// ranks 1 to 4 as its own side counts them.
pub(crate) fn game_phase(position: &Position) -> usize {
    let is_entering = |side| {
        let king = position.king(side);
        king.is_some_and(|king| seen_by(king, side).rank() <= Rank::Rank4)
    };
    if Color::ALL.into_iter().any(is_entering) {
        return ENTERING_KING;
    }
    let [black, white] = Color::ALL.map(|side| position.hand(side));
    let in_hands = points(black.together_with(white));
    MAX_POINTS.partition_point(|&most| most < in_hands)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phase_of(sfen: &str) -> usize {
        game_phase(&Position::from_sfen(sfen).expect("the test gives a good position"))
    }

    #[test]
    fn points_in_both_hands_count() {
        let with_hands = |hands| phase_of(&format!("4k4/9/9/9/9/9/9/9/4K4 b {hands} 1"));
        for (hands, phase) in [
            ("-", 0),
            ("P", 0),
            ("Pp", 1),
            ("R", 1),
            ("Rp", 2),
            ("Bb", 2),
            ("Bbp", 3),
            ("RBgsp", 4),
            ("2R2b4p", 4),
            ("2R2b5p", 5),
            ("2R2b4g3p", 5),
            ("2R2b4g4p", 6),
            ("2R2b4g4s4n4l18p", 6),
        ] {
            assert_eq!(with_hands(hands), phase, "{hands}");
        }
    }

    #[test]
    fn an_entering_king_counts_more() {
        assert_eq!(phase_of("4k4/9/9/9/9/9/9/9/4K4 b - 1"), 0);
        assert_eq!(phase_of("4k4/9/9/9/4K4/9/9/9/9 b - 1"), 0);
        assert_eq!(phase_of("4k4/9/9/4K4/9/9/9/9/9 b - 1"), ENTERING_KING);
        assert_eq!(phase_of("9/9/9/9/9/4k4/9/9/4K4 w 2R2B 1"), ENTERING_KING);
        assert_eq!(phase_of("9/9/9/9/4k4/9/9/9/4K4 w - 1"), 0);
    }
}
