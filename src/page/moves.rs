//! Moves as the page has them: USI notation, and after it what the notation of the player's
//! language adds where several pieces can make the move.

use crate::position::Position;
use crate::records::notation::japanese::relative;
use crate::types::Move;

/// The moves in one text, `7g7f 3c3d 4i5h右`. What follows the USI notation distinguishes the move
/// from that of another piece of the same kind: `右`, `左`, `直`, `上`, `寄`, `引`, and `打` for a
/// drop.
pub fn move_list(start: &Position, moves: &[Move]) -> String {
    let mut position = start.clone();
    let mut text = String::new();
    for &mv in moves {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&mv.to_string());
        text.push_str(relative(&position, mv));
        position.do_move(mv);
    }
    text
}
