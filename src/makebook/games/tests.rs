//! Books of small sets of games, and of the games of the corpora.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::book::{BookEntry, BookFormat, BookMove, BookReader};
use crate::records::packed::PackedSfen;
use crate::records::teacher::Format;
use crate::runs::{Stop, Watch};
use crate::types::Color;

fn settings() -> GamesSettings {
    GamesSettings {
        filter: GameFilter {
            plies: 16,
            min_rating: None,
            min_count: 1,
            side: None,
        },
        has_values: false,
        skips_bad: false,
        memory: 1 << 30,
    }
}

/// Makes a book of a text in a folder of its own; returns the book and the table of results.
fn make(name: &str, games: &str, settings: &GamesSettings) -> (String, String) {
    let folder = std::env::temp_dir().join(format!("raicho-games-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let path = |name: &str| folder.join(name);
    fs::write(path("games.usi"), games).expect("games");
    let files = [GameFile {
        path: path("games.usi"),
        format: Format::Usi,
    }];
    let (book, results) = (path("out.db"), path("out.tsv"));
    let output = GamesOutput {
        path: &book,
        format: BookFormat::Db,
        results: Some(&results),
    };
    let watch = Watch {
        stop: &Stop::new(),
        progress: &|_, _| {},
    };
    from_games(&files, &output, settings, &watch).expect("a book");
    let read = |path: &Path| fs::read_to_string(path).expect("an output");
    let texts = (read(&book), read(&results));
    fs::remove_dir_all(&folder).expect("the folder is there");
    texts
}

const GAMES: &str = "startpos moves 7g7f 3c3d 2g2f resign\n\
    startpos moves 7g7f 8c8d 2g2f win\n\
    startpos moves 2g2f 8c8d 7g7f\n";

#[test]
fn moves_are_counted_with_their_results() {
    let (book, results) = make("counts", GAMES, &settings());
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    let of_start = book.split("sfen ").find(|node| node.starts_with(start));
    assert_eq!(
        of_start.expect("the start"),
        format!("{start}\n7g7f 8c8d 0 32 2\n2g2f 8c8d 0 32 1\n")
    );
    let of_start: Vec<&str> = results
        .lines()
        .filter(|line| line.starts_with(start))
        .collect();
    // White resigned in the first game and won the second.
    assert_eq!(
        of_start,
        [
            format!("{start}\t7g7f\t2\t1\t0\t1\t0\t0.500000"),
            format!("{start}\t2g2f\t1\t0\t0\t0\t1\t-"),
        ]
    );
}

#[test]
fn a_move_that_a_game_repeats_counts_once() {
    let shuffle = "2h3h 8b7b 3h2h 7b8b ".repeat(2);
    let game = format!("startpos moves {shuffle}2g2f resign\n");
    let (book, results) = make("repeated", &game, &settings());
    assert!(book.contains("2h3h 8b7b 0 32 1\n"), "{book}");
    assert!(results.contains("\t2h3h\t1\t"), "{results}");
    assert_eq!(book.matches(" 0 32 1\n").count(), 5, "{book}");
}

#[test]
fn filters_leave_moves_out() {
    let mut settings = settings();
    settings.filter.min_count = 2;
    assert_eq!(make("least", GAMES, &settings).0.matches("sfen").count(), 1);
    settings.filter = GameFilter {
        side: Some(Color::White),
        plies: 2,
        ..self::settings().filter
    };
    let (book, _) = make("side", GAMES, &settings);
    assert_eq!(book.matches(" w - 2").count(), book.matches("sfen").count());
}

#[test]
fn little_memory_gives_the_same_book() {
    let Some(folder) = std::env::var_os("RAICHO_CORPORA") else {
        eprintln!("skipped: RAICHO_CORPORA is not set");
        return;
    };
    let games = fs::read_to_string(Path::new(&folder).join("games_usi.txt")).expect("games");
    let small = GamesSettings {
        memory: 100_000,
        ..settings()
    };
    assert_eq!(
        make("large", &games, &settings()),
        make("small", &games, &small)
    );
}

/// The moves of a book by position and move.
type Moves = BTreeMap<(PackedSfen, u16), (u32, BookMove)>;

fn moves(path: &Path) -> Moves {
    let entries = BookReader::open(path).expect("a book");
    let entries = entries.map(|entry| entry.expect("an entry"));
    let moves = |entry: BookEntry| {
        let known = entry.moves.into_iter();
        known.map(move |known| ((entry.position, known.mv.to_bits()), (entry.ply, known)))
    };
    entries.flat_map(moves).collect()
}

/// The moves of a book that is made of `games`.
fn made(name: &str, games: &str, settings: &GamesSettings) -> Moves {
    let (book, _) = make(name, games, settings);
    let path = std::env::temp_dir().join(format!("raicho-{name}-{}.db", std::process::id()));
    fs::write(&path, book).expect("the book");
    let moves = moves(&path);
    fs::remove_file(&path).expect("the book is there");
    moves
}

/// All moves of `expected` are found; only the last moves of games are missing there.
fn assert_found(found: &Moves, expected: &Moves) {
    assert!(!expected.is_empty());
    for (place, known) in expected {
        assert_eq!(found.get(place), Some(known));
    }
    let more = found
        .iter()
        .filter(|(place, _)| !expected.contains_key(*place));
    assert!(
        more.into_iter()
            .all(|(_, (_, known))| known.ponder.is_none())
    );
}

#[test]
fn the_book_of_the_corpora_has_the_moves_and_counts_that_yaneuraou_finds() {
    let Some(folder) = std::env::var_os("RAICHO_CORPORA") else {
        eprintln!("skipped: RAICHO_CORPORA is not set");
        return;
    };
    let books: PathBuf = Path::new(&folder).join("books");
    let games = fs::read_to_string(books.join("games60.sfen")).expect("games");
    let found = made("corpora", &games, &settings());
    assert_found(&found, &moves(&books.join("from_sfen.db")));

    // 12 plies; the moves of Black in the first 30 games, and of White in the others.
    let lines: Vec<&str> = games.lines().collect();
    let side = |name: &str, lines: &[&str], side: Color| {
        let mut settings = settings();
        settings.filter.plies = 12;
        settings.filter.side = Some(side);
        made(name, &lines.join("\n"), &settings)
    };
    let mut found = side("black", &lines[..30], Color::Black);
    found.extend(side("white", &lines[30..], Color::White));
    assert_found(&found, &moves(&books.join("from_sfen_bw.db")));
}
