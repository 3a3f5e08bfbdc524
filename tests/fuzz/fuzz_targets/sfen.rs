//! Any text as an SFEN: an error or a position that writes itself, reads back, and can be played
//! on.

#![no_main]

use libfuzzer_sys::fuzz_target;
use raicho::movegen::legal_moves;
use raicho::position::Position;

fuzz_target!(|text: &str| {
    let Ok(mut position) = Position::from_sfen(text) else {
        return;
    };
    let sfen = position.to_sfen();
    let again = Position::from_sfen(&sfen).expect("a written SFEN reads back");
    assert_eq!(again.to_sfen(), sfen);
    assert_eq!(again.key(), position.key());
    for mv in legal_moves(&position) {
        position.do_move(mv);
        assert_eq!(
            (position.board_key(), position.key()),
            (position.board().board_key(), position.board().key())
        );
        position.undo_move();
    }
    assert_eq!(position.to_sfen(), sfen);
});
