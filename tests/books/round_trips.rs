//! Books from one format to another and back, and files that are damaged at random.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use proptest::collection::vec;
use proptest::prelude::{
    Just, ProptestConfig, Strategy, any, prop_assert_eq, prop_oneof, proptest,
};

use crate::common::{Random, TWO_KINGS, corpora, playouts};
use crate::folder::Folder;
use raicho::book::{
    Book, BookEntry, BookFormat, BookMove, BookOptions, BookReader, Library, Losses, UNKNOWN_DEPTH,
    probe,
};
use raicho::makebook::SortedWriter;
use raicho::movegen::legal_moves;
use raicho::position::Position;
use raicho::records::packed::PackedSfen;
use raicho::types::Move16;

fn books() -> Option<PathBuf> {
    Some(corpora()?.join("books"))
}

fn entries(path: &Path) -> Vec<BookEntry> {
    let reader = BookReader::open(path).expect("a book");
    reader.filter_map(Result::ok).collect()
}

fn write(entries: &[BookEntry], path: &Path) -> Losses {
    let format = BookFormat::of_path(path).expect("a format");
    let mut writer = SortedWriter::new(path, format, 1 << 20);
    for entry in entries {
        writer.add(entry).expect("a file beside the output");
    }
    writer.write().expect("a folder to write to").1
}

/// The moves by position, each list sorted, with only what `keep` leaves.
fn content(
    entries: &[BookEntry],
    keep: impl Fn(BookMove) -> BookMove,
) -> BTreeMap<PackedSfen, Vec<String>> {
    let text = |known: &BookMove| format!("{:?}", keep(*known));
    let with_moves = entries.iter().filter(|entry| !entry.moves.is_empty());
    let sorted = |entry: &BookEntry| {
        let mut moves: Vec<String> = entry.moves.iter().map(text).collect();
        moves.sort_unstable();
        (entry.position, moves)
    };
    with_moves.map(sorted).collect()
}

/// Compares the content of two books; shows the first position where they differ.
fn assert_same(ours: &[BookEntry], theirs: &[BookEntry], keep: impl Fn(BookMove) -> BookMove) {
    let (ours, theirs) = (content(ours, &keep), content(theirs, &keep));
    assert_eq!(ours.len(), theirs.len());
    for (position, moves) in &ours {
        assert_eq!(Some(moves), theirs.get(position), "{position:?}");
    }
}

#[test]
fn other_writers_write_the_same_bytes() {
    let Some(books) = books() else { return };
    let folder = Folder::new();
    let entries = entries(&books.join("games_sorted.db"));
    assert_eq!(entries.len(), 900);
    for name in ["games.ybb", "games.bin"] {
        let path = folder.file(name);
        let losses = write(&entries, &path);
        assert!(losses.ponder_moves > 0, "{losses:?}");
        let expected = fs::read(books.join(name)).expect("a corpus");
        assert!(folder.bytes(name) == expected, "{name}");
    }
    let path = folder.file("games.db");
    assert_eq!(write(&entries, &path), Losses::default());
    let theirs = fs::read_to_string(books.join("games_sorted.db")).expect("text");
    assert!(folder.text("games.db").lines().eq(theirs.lines()));
}

#[test]
fn positions_of_apery_are_found_as_by_the_scripts() {
    let Some(books) = books() else { return };
    let ours = entries(&books.join("games.bin"));
    let theirs = entries(&books.join("from_apery.db"));
    assert_eq!(ours.len(), 325);
    // The scripts reach one position later than need be, and so miss an answer.
    let without_ponder = |known: BookMove| BookMove { ponder: None, ..known };
    assert_same(&ours, &theirs, without_ponder);
}

/// Only what every program stores in a `.sbk`: moves and counts.
fn moves_and_counts(known: BookMove) -> BookMove {
    BookMove { ponder: None, value: 0, depth: 0, ..known }
}

#[test]
fn the_graph_of_shogihome_has_the_moves_of_its_text() {
    let Some(books) = books() else { return };
    let graph = entries(&books.join("shogihome.sbk"));
    let text = entries(&books.join("shogihome.db"));
    assert_same(&graph, &text, moves_and_counts);
    let are_roots = graph.iter().all(|entry| entry.ply == 1);
    assert!(are_roots, "it has many roots");
    let folder = Folder::new();
    let path = folder.file("ours.sbk");
    write(&text, &path);
    let ours = entries(&path);
    assert_same(&ours, &text, moves_and_counts);
}

#[test]
fn a_small_graph_is_read_as_described() {
    let Some(books) = books() else { return };
    let folder = books.join("malformed");
    let rows = fs::read_to_string(folder.join("base_sbk.tsv")).expect("a corpus");
    let mut expected = BTreeMap::new();
    for row in rows.lines().filter(|row| !row.starts_with('#')) {
        let fields: Vec<&str> = row.split('\t').collect();
        let position = Position::from_sfen(fields[0]).expect("a position");
        let moves = fields[5].split(' ').map(|text| {
            let [mv, count, ..] = text.split(':').collect::<Vec<_>>()[..] else {
                panic!("not a move: {text}");
            };
            format!("{mv}:{count}")
        });
        expected.insert(PackedSfen::of(&position), moves.collect::<Vec<_>>());
    }
    for name in ["base.sbk", "trailing_zero.sbk", "unknown_field.sbk"] {
        let found = entries(&folder.join(name)).into_iter().map(|entry| {
            let moves = entry.moves.iter();
            let moves = moves.map(|known| format!("{}:{}", known.mv, known.count));
            (entry.position, moves.collect::<Vec<_>>())
        });
        assert_eq!(found.collect::<BTreeMap<_, _>>(), expected, "{name}");
    }
}

/// A cycle without a way in still has a root.
#[test]
fn a_cycle_comes_back_from_a_graph() {
    let mut position = Position::startpos();
    let mut entries = Vec::new();
    for text in ["5i5h", "5a5b", "5h5i", "5b5a"] {
        let mv = text.parse().expect("a move");
        entries.push(BookEntry {
            position: PackedSfen::of(&position),
            ply: position.game_ply(),
            moves: vec![known(mv)],
        });
        position.do_move(position.to_move(mv).expect("it is possible"));
    }
    let folder = Folder::new();
    let path = folder.file("cycle.sbk");
    assert_eq!(write(&entries, &path).plies, 0);
    let read = self::entries(&path);
    assert_same(&read, &entries, moves_and_counts);
    // Plies are known from the start position only.
    assert_eq!(write(&entries[1..], &path).plies, 3);
    assert!(self::entries(&path).iter().all(|entry| entry.ply == 1));
}

fn known(mv: Move16) -> BookMove {
    BookMove { mv, ponder: None, value: 0, depth: 0, count: 1 }
}

// --- Properties ---

/// Positions of random games with up to six of their moves.
fn random_entries(seed: u64) -> Vec<BookEntry> {
    let mut by_position = BTreeMap::new();
    let mut random = Random(seed);
    let start = TWO_KINGS[random.below(TWO_KINGS.len())];
    let games = 2 + random.below(3) as u64;
    playouts([start], games, 20, |position, moves, random| {
        if moves.is_empty() || random.one_in(3) {
            return;
        }
        let mut entry = BookEntry {
            position: PackedSfen::of(position),
            ply: position.game_ply(),
            moves: Vec::new(),
        };
        for _ in 0..=random.below(6) {
            let mv = random.choose(moves).to_move16();
            if entry.moves.iter().all(|known| known.mv != mv) {
                entry.moves.push(random_move(position, mv, random));
            }
        }
        by_position.insert(entry.position, entry);
    });
    by_position.into_values().collect()
}

fn random_move(position: &Position, mv: Move16, random: &mut Random) -> BookMove {
    let mut after = position.clone();
    after.do_move(position.to_move(mv).expect("it is possible"));
    let answers = legal_moves(&after);
    let has_ponder = !answers.is_empty() && random.one_in(2);
    BookMove {
        mv,
        ponder: has_ponder.then(|| random.choose(&answers).to_move16()),
        value: random.next() as i32 >> random.below(24),
        depth: random.below(400) as i32,
        count: random.next() >> random.below(64),
    }
}

/// What a format keeps of a move.
fn kept(format: BookFormat, known: BookMove) -> BookMove {
    let without_ponder = BookMove { ponder: None, ..known };
    match format {
        BookFormat::Db => BookMove { count: known.count.min(i64::MAX as u64), ..known },
        BookFormat::Ybb => BookMove {
            value: known.value.clamp(i16::MIN.into(), i16::MAX.into()),
            count: 0,
            ..without_ponder
        },
        // The answers are found anew.
        BookFormat::Bin => BookMove {
            depth: UNKNOWN_DEPTH,
            count: known.count.min(u16::MAX.into()),
            ..without_ponder
        },
        BookFormat::Sbk => BookMove {
            value: 0,
            depth: UNKNOWN_DEPTH,
            count: known.count.min(i32::MAX as u64),
            ..without_ponder
        },
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn entries_come_back_from_every_format(seed in any::<u64>()) {
        let entries = random_entries(seed);
        let folder = Folder::new();
        // In a `.bin` positions of other starts cannot be found.
        for format in BookFormat::ALL.into_iter().filter(|&format| format != BookFormat::Bin) {
            let path = folder.file(&format!("book{format}"));
            write(&entries, &path);
            let found = self::entries(&path);
            let expected = content(&entries, |known| kept(format, known));
            prop_assert_eq!(content(&found, |known| known), expected, "{}", format);
        }
    }

    #[test]
    fn damaged_files_never_panic(
        (name, cuts, bytes) in damage(),
    ) {
        let entries = random_entries(1);
        let folder = Folder::new();
        let path = folder.file(&name);
        write(&entries, &path);
        let mut content = fs::read(&path).expect("it was written");
        for (place, byte) in bytes {
            let index = place % content.len();
            content[index] = byte;
        }
        content.truncate(content.len() - cuts % content.len());
        fs::write(&path, &content).expect("it can be written");
        if let Ok(reader) = BookReader::open_strictly(&path) {
            for entry in reader.filter_map(Result::ok) {
                prop_assert_eq!(entry.position.unpack_board().is_ok(), true);
            }
        }
        for on_the_fly in [false, true] {
            if let Ok(book) = Book::open(&path, on_the_fly) {
                let library = Library::new(vec![book]);
                let options = BookOptions::default();
                let position = Position::startpos();
                let _ = probe(&library, &position, &options);
            }
        }
    }
}

/// A file name, bytes to cut off at the end, and bytes to overwrite.
fn damage() -> impl Strategy<Value = (String, usize, Vec<(usize, u8)>)> {
    let names = BookFormat::ALL.map(|format| format!("book{format}"));
    let cuts = prop_oneof![Just(0), any::<usize>()];
    let bytes = vec((any::<usize>(), any::<u8>()), 0..8);
    (proptest::sample::select(names.to_vec()), cuts, bytes)
}
