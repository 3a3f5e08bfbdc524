//! Any text as a line from a GUI: never a panic, and a bad position keeps the one before.

#![no_main]

use std::cell::RefCell;

use libfuzzer_sys::fuzz_target;
use raicho::engine::Engine;
use raicho::usi::command::{Command, ParsedLine, PositionCommand, Start};

thread_local! {
    static ENGINE: RefCell<Engine> = RefCell::new(Engine::new());
}

fuzz_target!(|line: &str| {
    let command = ParsedLine::parse(line).command;
    if let Some(Command::Position(PositionCommand { start, moves })) = command {
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
