//! Known leaf counts of whole trees.

use crate::common::{MATSURI, MOST_MOVES, position};
use raicho::movegen::perft::perft;
use raicho::position::START_SFEN;

const POSITIONS: [(&str, &[u64]); 3] = cases! {
    START_SFEN => &[1, 30, 900, 25_470, 719_731, 19_861_490, 547_581_517];
    MATSURI => &[1, 207, 28_684, 4_809_015, 516_925_165];
    MOST_MOVES => &[1, 593, 105_677, 53_393_368, 9_342_410_965];
};

fn check(is_asked: impl Fn(u64) -> bool) {
    for (sfen, counts) in POSITIONS {
        for (depth, &leaves) in (0..).zip(counts).filter(|&(_, &leaves)| is_asked(leaves)) {
            let found = perft(&position(sfen), depth);
            assert_eq!(found, leaves, "{sfen} depth {depth}");
        }
    }
}

#[test]
fn trees_have_the_known_numbers_of_leaves() {
    check(|leaves| leaves < 100_000_000);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "seconds in release, minutes with assertions")]
fn deep_trees_have_the_known_numbers_of_leaves() {
    check(|leaves| (100_000_000..1_000_000_000).contains(&leaves));
}

#[test]
#[ignore = "six seconds in release, 9 billion leaves"]
fn the_deepest_tree_has_the_known_number_of_leaves() {
    check(|leaves| leaves >= 1_000_000_000);
}
