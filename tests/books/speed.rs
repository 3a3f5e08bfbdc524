//! How long large books take: to load, to open on the fly, to look up. Run with
//! `cargo test --release --test integration -- books::speed --ignored --nocapture`.

use std::time::{Duration, Instant};

use super::on_the_fly::made_up_book;
use crate::folder::Folder;
use raicho::book::{Book, BookFormat, BookOptions, Library, probe};
use raicho::position::Position;

const POSITIONS: usize = 1_000_000;

/// The times of look-ups, in order: how long half of them take, 99 of 100, and all.
fn look_up(book: Book, positions: &[Position]) -> String {
    let library = Library::new(vec![book]);
    let options = BookOptions {
        max_ply: u32::MAX,
        ..BookOptions::default()
    };
    let time = |position: &Position| {
        let start = Instant::now();
        let found = probe(&library, position, &options);
        let time = start.elapsed();
        assert!(!found.moves.is_empty(), "{}", position.to_sfen());
        time
    };
    let mut times: Vec<Duration> = positions.iter().map(time).collect();
    times.sort_unstable();
    let [half, most, all] = [50, 99, 100].map(|part| times[(times.len() - 1) * part / 100]);
    let count = times.len();
    format!("{count} look-ups, median {half:.1?}, 99 of 100 {most:.1?}, longest {all:.1?}")
}

#[test]
#[ignore = "writes hundreds of megabytes; for measurements in a release build"]
fn speed() {
    let folder = Folder::new();
    for format in [BookFormat::Db, BookFormat::Ybb] {
        let (path, asked) = made_up_book(&folder, format, POSITIONS);
        let megabytes = path.metadata().expect("it was written").len() >> 20;
        for on_the_fly in [false, true] {
            let start = Instant::now();
            let book = Book::open(&path, on_the_fly).expect("a book");
            let opened = start.elapsed();
            let times = look_up(book, &asked);
            println!(
                "{format}, {megabytes} MB, on the fly {on_the_fly}: opened in {opened:.3?}, {times}"
            );
        }
    }
}
