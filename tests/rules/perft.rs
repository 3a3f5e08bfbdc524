//! Known leaf counts of whole trees.

use crate::common::{MATSURI, MOST_MOVES, position};
use raicho::movegen::perft::perft;
use raicho::position::START_SFEN;

/// Leaf counts from depth 0 on.
fn check(sfen: &str, counts: &[u64]) {
    for (depth, &leaves) in counts.iter().enumerate() {
        let counted = perft(&position(sfen), depth as u32);
        assert_eq!(counted, leaves, "{sfen} depth {depth}");
    }
}

#[test]
fn start_position() {
    check(START_SFEN, &[1, 30, 900, 25_470, 719_731, 19_861_490]);
}

#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "seconds in release, minutes with assertions"
)]
fn start_position_deep() {
    assert_eq!(perft(&position(START_SFEN), 6), 547_581_517);
}

#[test]
fn matsuri() {
    check(MATSURI, &[1, 207, 28_684, 4_809_015]);
}

#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "seconds in release, minutes with assertions"
)]
fn matsuri_deep() {
    assert_eq!(perft(&position(MATSURI), 4), 516_925_165);
}

#[test]
fn most_moves() {
    check(MOST_MOVES, &[1, 593, 105_677, 53_393_368]);
}

#[test]
#[ignore = "six seconds in release, 9 billion leaves"]
fn most_moves_deep() {
    assert_eq!(perft(&position(MOST_MOVES), 4), 9_342_410_965);
}
