//! How long large books take: to load, to open on the fly, to look up. Run with
//! `cargo test --release --test integration -- books::speed --ignored --nocapture`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::common::{Random, random_move};
use raicho::book::{
    Book, BookEntry, BookFormat, BookMove, BookOptions, BookWriter, Library, order_key, probe,
};
use raicho::movegen::legal_moves;
use raicho::position::{Position, START_SFEN};
use raicho::records::packed::PackedSfen;

const POSITIONS: usize = 1_000_000;
const LOOK_UPS: usize = 20_000;

/// Different positions of random games, with their plies.
fn positions(count: usize) -> BTreeMap<PackedSfen, u32> {
    let mut random = Random(1);
    let mut found = BTreeMap::new();
    while found.len() < count {
        let mut position = Position::from_sfen(START_SFEN).expect("a position");
        for _ in 0..60 {
            let moves = legal_moves(&position);
            if moves.is_empty() || found.len() == count {
                break;
            }
            found.insert(PackedSfen::of(&position), position.game_ply());
            position.do_move(random_move(&position, &moves, &mut random));
        }
    }
    found
}

/// Writes a book with the given number of moves for each position, in the order of its format.
fn write(positions: &BTreeMap<PackedSfen, u32>, moves: usize, path: &Path) {
    let format = BookFormat::of_path(path).expect("a format");
    let entry = |position: PackedSfen, ply: u32| {
        let whole = position.unpack(ply).expect("a position");
        let legal = legal_moves(&whole);
        let known = |index: usize| BookMove {
            mv: legal[index % legal.len()].to_move16(),
            ponder: None,
            value: 30 - index as i32,
            depth: 20,
            count: 1,
        };
        BookEntry {
            position,
            ply,
            moves: (0..moves.min(legal.len())).map(known).collect(),
        }
    };
    let order = positions.iter().map(|(&position, &ply)| {
        let entry = BookEntry {
            position,
            ply,
            moves: Vec::new(),
        };
        (order_key(format, &entry), position, ply)
    });
    let mut order: Vec<(Vec<u8>, PackedSfen, u32)> = order.collect();
    order.sort_unstable();
    let mut writer = BookWriter::create(path, format).expect("a file");
    for (_, position, ply) in order {
        let written = writer.write(&entry(position, ply));
        written.expect("room on the disk");
    }
    writer.finish().expect("room on the disk");
}

/// The times of look-ups, in order: how long half of them take, 99 of 100, and all.
fn look_up(book: Book, positions: impl Iterator<Item = Position>) -> String {
    let library = Library::new(vec![book]);
    let options = BookOptions {
        max_ply: u32::MAX,
        ..BookOptions::default()
    };
    let mut times: Vec<Duration> = positions
        .map(|position| {
            let start = Instant::now();
            let found = probe(&library, &position, &options);
            let time = start.elapsed();
            assert!(!found.moves.is_empty(), "{}", position.to_sfen());
            time
        })
        .collect();
    times.sort_unstable();
    let of_100 = |part: usize| times[(times.len() - 1) * part / 100];
    format!(
        "{} look-ups, median {:.1?}, 99 of 100 {:.1?}, longest {:.1?}",
        times.len(),
        of_100(50),
        of_100(99),
        of_100(100)
    )
}

#[test]
#[ignore = "writes gigabytes; for measurements in a release build"]
fn speed() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("books-speed");
    std::fs::create_dir_all(&folder).expect("a folder");
    let positions = positions(POSITIONS);
    for (name, moves) in [("four.db", 4), ("many.db", 40), ("many.ybb", 40)] {
        let path = folder.join(name);
        if !path.exists() {
            write(&positions, moves, &path);
        }
        let megabytes = path.metadata().expect("it was written").len() >> 20;
        for on_the_fly in [false, true] {
            let start = Instant::now();
            let book = Book::open(&path, on_the_fly).expect("a book");
            let opened = start.elapsed();
            let asked = positions.iter().step_by(positions.len() / LOOK_UPS);
            let asked = asked.map(|(packed, &ply)| packed.unpack(ply).expect("a position"));
            let times = look_up(book, asked);
            println!(
                "{name}, {megabytes} MB, on the fly {on_the_fly}: opened in {opened:.3?}, {times}"
            );
        }
    }
}
