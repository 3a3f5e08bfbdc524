//! Books of a size at which a search on the fly reads in several places: the answers are those of
//! the book in memory.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use raicho::book::{Book, BookFormat, BookOptions, BookReader, Library, probe};
use raicho::makebook::SortedWriter;
use raicho::movegen::legal_moves;
use raicho::position::Position;

use crate::books::made_up;
use crate::folder::Folder;

/// Writes a made-up book in a format; every `STEP`th of its positions.
fn made_up_book(folder: &Folder, format: BookFormat, positions: usize) -> (PathBuf, Vec<Position>) {
    let mut text = Vec::new();
    made_up::write(&mut text, positions, 7);
    let source = folder.write("source.db", text);
    let path = folder.file(&format!("book{format}"));
    let mut writer = SortedWriter::new(&path, format, 1 << 26);
    let mut asked = Vec::new();
    for (index, entry) in BookReader::open(&source).expect("a book").enumerate() {
        let entry = entry.expect("an entry");
        writer.add(&entry).expect("it can be written");
        if index % STEP == 0 {
            asked.push(entry.position.unpack(entry.ply).expect("a position"));
        }
    }
    writer.write().expect("it can be written");
    (path, asked)
}

/// More than fifty blocks of each format.
const POSITIONS: usize = 20_000;
/// One position in this many is looked up.
const STEP: usize = 19;

#[test]
fn large_books_answer_as_they_do_in_memory() {
    let folder = Folder::new();
    for format in [BookFormat::Db, BookFormat::Ybb] {
        let (path, asked) = made_up_book(&folder, format, POSITIONS);
        check(&path, &asked);
    }
}

fn check(path: &Path, asked: &[Position]) {
    let open = |on_the_fly| Library::new(vec![Book::open(path, on_the_fly).expect("a book")]);
    let (in_memory, on_the_fly) = (open(false), open(true));
    let options = BookOptions { max_ply: u32::MAX, ..BookOptions::default() };
    let answer = |library: &Library, position: &Position| {
        let moves = probe(library, position, &options).moves;
        let texts = moves.iter().map(|known| format!("{known:?}"));
        texts.collect::<BTreeSet<String>>()
    };
    let mut misses = 0;
    for position in asked {
        let expected = answer(&in_memory, position);
        assert!(!expected.is_empty(), "{}", position.to_sfen());
        let found = answer(&on_the_fly, position);
        assert_eq!(found, expected, "{}", position.to_sfen());
        // A neighbour in the order of the book, which is hardly ever in it.
        let Some(&mv) = legal_moves(position).iter().next() else {
            continue;
        };
        let mut next = position.clone();
        next.do_move(mv);
        let expected = answer(&in_memory, &next);
        misses += usize::from(expected.is_empty());
        assert_eq!(answer(&on_the_fly, &next), expected, "{}", next.to_sfen());
    }
    let most = asked.len();
    assert!(misses > most / 4, "{misses} misses of {most}");
}

#[test]
fn a_book_that_cannot_be_read_is_reported_once() {
    let folder = Folder::new();
    let (path, _) = made_up_book(&folder, BookFormat::Db, 2000);
    let library = Library::new(vec![Book::open(&path, true).expect("a book")]);
    std::fs::write(&path, "").expect("it can be written");
    let options = BookOptions { finds_flipped: true, ..BookOptions::default() };
    let found = probe(&library, &Position::startpos(), &options);
    assert!(found.moves.is_empty());
    assert_eq!(found.faults.len(), 1, "{:?}", found.faults);
}
