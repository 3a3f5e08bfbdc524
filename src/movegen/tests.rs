//! Known leaf counts.

use super::perft::perft;
use super::*;

const MATSURI: &str = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";
const MOST_MOVES: &str = "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1";

fn counts(sfen: &str, expected: &[u64]) {
    let position = Position::from_sfen(sfen).unwrap();
    for (depth, &leaves) in expected.iter().enumerate() {
        assert_eq!(
            perft(&position, depth as u32),
            leaves,
            "{sfen} depth {depth}"
        );
    }
}

#[test]
fn leaf_counts_of_the_start_position() {
    counts(crate::position::START_SFEN, &[1, 30, 900, 25_470, 719_731]);
}

#[test]
fn leaf_counts_of_matsuri() {
    counts(MATSURI, &[1, 207, 28_684, 4_809_015]);
}

#[test]
fn leaf_counts_of_the_position_with_most_moves() {
    counts(MOST_MOVES, &[1, 593, 105_677]);
}
