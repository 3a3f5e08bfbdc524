//! The book inside the executable.

use std::path::Path;

use raicho::book::{Book, BookOptions, BookReader, Checker, Library, probe};
use raicho::records::sfen_line::SfenLine;

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/nets/book.ybb");
/// Most bytes that the book may add to the executable.
const MAX_BYTES: u64 = 300_000;

#[test]
fn every_move_is_legal_and_passes_the_usual_limits() {
    let path = Path::new(PATH);
    assert!(path.metadata().expect("the book").len() <= MAX_BYTES);
    let mut reader = BookReader::open_strictly(path).expect("a book");
    let mut checker = Checker::new(reader.format());
    let options = BookOptions::default();
    let (mut positions, mut faults) = (0, Vec::new());
    while let Some(entry) = reader.next() {
        let mut entry = entry.expect("an entry");
        assert!(checker.check(&mut entry, reader.place(), &mut faults));
        assert!(faults.is_empty(), "{faults:?}");
        assert!(entry.moves[0].depth >= options.depth_limits[0], "{entry:?}");
        positions += 1;
    }
    assert!(positions >= 2_000, "{positions}");
    let book = Book::embedded().expect("a book");
    assert_eq!(book.positions(), Some(positions));
}

#[test]
fn the_main_openings_are_known_by_default() {
    let library = Library::new(Book::embedded().into_iter().collect());
    for moves in ", 7g7f, 2g2f, 5g5f, 7g7f 3c3d, 7g7f 8c8d, 2g2f 8c8d, 2g2f 3c3d, 7g7f 3c3d 2g2f, \
        7g7f 3c3d 2g2f 4c4d, 7g7f 3c3d 2g2f 5c5d, 7g7f 3c3d 6g6f, \
        7g7f 8c8d 2g2f 8d8e 8h7g 3c3d, 2g2f 8c8d 2f2e 8d8e"
        .split(", ")
    {
        let line = format!("startpos moves {moves}");
        let line: SfenLine = line.trim_end().parse().expect("a line");
        let found = probe(&library, &line.position(), &BookOptions::default());
        assert!(!found.moves.is_empty(), "{moves}");
    }
}
