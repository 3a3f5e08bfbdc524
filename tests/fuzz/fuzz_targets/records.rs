//! Any bytes as a game record of each text format: errors, or games that every format writes, with
//! their start and ending, and that the line of USI keeps.

#![no_main]

use libfuzzer_sys::fuzz_target;
use raicho::records::sfen_line::SfenLine;
use raicho::records::text::{TextEncoding, TextFormat};
use raicho::records::{Ending, GameRecord};

fuzz_target!(|input: (u8, &[u8])| {
    let (number, bytes) = input;
    let format = TextFormat::ALL[usize::from(number) % TextFormat::ALL.len()];
    for game in format.read(bytes).into_iter().flatten() {
        let line = game.line().to_string();
        let again: SfenLine = line.parse().expect("a written line reads back");
        assert_eq!(again.to_string(), line);
        for other in TextFormat::ALL {
            for encoding in [TextEncoding::Utf8, TextEncoding::ShiftJis] {
                let written = other.write(&game, encoding);
                let mut games = other.read(&written.bytes);
                assert_eq!(games.len(), 1, "{other}: {line}");
                let read = games.pop().expect("one game");
                let read = read.unwrap_or_else(|error| panic!("{other}: {error} in {line}"));
                assert_eq!(read.line().moves, game.line().moves, "{other}: {line}");
                assert_eq!(start(&read), start(&game), "{other}: {line}");
                // Lines of USI have no ending, and CSA has no word for none.
                if other != TextFormat::Usi && game.ending != Ending::Unfinished {
                    assert_eq!(read.ending, game.ending, "{other}: {line}");
                }
            }
        }
    }
});

/// The start without its ply, which CSA and JKF lack.
fn start(game: &GameRecord) -> String {
    let sfen = game.start.to_sfen();
    let start = sfen.rsplit_once(' ').map_or("", |(start, _)| start);
    start.to_owned()
}
