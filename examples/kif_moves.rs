//! Prints the moves of a record in USI notation: `cargo run --example kif_moves game.kif`
//!
//! Any text format is read: KIF, KI2, CSA, JKF, lines of USI, in UTF-8, Shift JIS or EUC-JP.

use std::path::Path;
use std::process::ExitCode;

use raicho::records::text::TextFormat;

fn main() -> ExitCode {
    let Some(name) = std::env::args().nth(1) else {
        eprintln!("error: no file is given, expected a record such as game.kif");
        return ExitCode::FAILURE;
    };
    let bytes = match std::fs::read(&name) {
        Ok(bytes) => bytes,
        Err(error) => {
            eprintln!("error: {name}: {error}");
            return ExitCode::FAILURE;
        }
    };
    let format =
        TextFormat::of_path(Path::new(&name)).map_or(TextFormat::Kif, |(format, _)| format);
    for record in format.read(&bytes) {
        match record {
            Ok(record) => {
                println!("{}", record.title());
                for (number, recorded) in (1..).zip(&record.moves) {
                    println!("{number:3} {}", recorded.mv);
                }
            }
            Err(error) => eprintln!("error: {name}: {error}"),
        }
    }
    ExitCode::SUCCESS
}
