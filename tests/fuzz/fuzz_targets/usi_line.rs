//! Any text as a line from a GUI: never a panic; what is understood writes itself and reads back; a
//! position that is set up has legal moves that are legal.

#![no_main]

use std::cell::RefCell;

use libfuzzer_sys::fuzz_target;
use raicho::engine::Engine;
use raicho::usi::command::{Command, ParsedLine, PositionCommand, Start};

thread_local! {
    static ENGINE: RefCell<Engine> = RefCell::new(Engine::new());
}

fuzz_target!(|line: &str| {
    let parsed = ParsedLine::parse(line);
    let strict = line.parse::<Command>();
    assert!(strict.is_err() || parsed.errors.is_empty(), "{line:?}");
    let Some(command) = parsed.command else {
        return;
    };
    let written = command.to_string();
    assert_eq!(
        written.parse::<Command>().as_ref(),
        Ok(&command),
        "{written:?}"
    );
    if let Command::Position(PositionCommand { start, moves }) = command {
        let sfen = match &start {
            Start::Startpos => None,
            Start::Sfen(sfen) => Some(sfen.as_str()),
        };
        ENGINE.with_borrow_mut(|engine| {
            let before = engine.position().to_sfen();
            if engine.set_position(sfen, &moves).is_err() {
                assert_eq!(engine.position().to_sfen(), before);
            }
        });
    }
});
