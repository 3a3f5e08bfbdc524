//! Walks over positions that visit what a search does: moves, null moves, and both taken back.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use raicho::movegen::legal_moves;
use raicho::position::Position;

/// Plays random moves and null moves from a position, undoes some of them, and shows most of the
/// positions to `check`, but few during stretches, as in a search whose positions are in the
/// transposition table.
pub(crate) fn walk(mut position: Position, seed: u64, mut check: impl FnMut(&Position)) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    for step in 0..160 {
        let moves = legal_moves(&position);
        if moves.is_empty() {
            break;
        }
        if random.random_bool(0.2) && position.moves_made() > 3 && !was_null(&position) {
            position.undo_move();
        } else if random.random_bool(0.05) && !position.in_check() {
            position.do_null_move();
        } else if was_null(&position) && random.random_bool(0.5) {
            position.undo_null_move();
        } else {
            position.do_move(moves[random.random_range(0..moves.len())]);
        }
        let shown = if step / 40 % 2 == 0 { 0.6 } else { 0.08 };
        if random.random_bool(shown) {
            check(&position);
        }
    }
}

fn was_null(position: &Position) -> bool {
    position.past_move(0).is_some_and(|past| past.mv.is_none())
}
