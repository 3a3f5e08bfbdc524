//! Any bytes as an opening book, and good books with bytes changed and their ends cut off: refused,
//! or a book that is read, checked and probed.

#![no_main]

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use raicho::book::{
    Book, BookEntry, BookFormat, BookOptions, BookReader, BookWriter, Checker, Library, probe,
};
use raicho::position::Position;

/// Most bytes of a book that are changed.
const BYTES: usize = 4096;

const FORMATS: [BookFormat; 4] = [
    BookFormat::Db,
    BookFormat::Ybb,
    BookFormat::Bin,
    BookFormat::Sbk,
];

static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("raicho-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the folder for such files can be written");
    folder
});

/// A small book in each format.
static BOOKS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let db = FOLDER.join("good.db");
    let text = "#YANEURAOU-DB2016 1.00\n\
        sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2\n\
        3c3d 2g2f 5 8 3\n8c8d none -10 8 1\n\
        sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n\
        2g2f 8c8d 50 10 7\n7g7f 3c3d 40 10 2\n";
    std::fs::write(&db, text).expect("a file");
    FORMATS.map(|format| converted(&db, format)).to_vec()
});

/// The book in a format, whose order is one of the two that two entries have.
fn converted(db: &Path, format: BookFormat) -> Vec<u8> {
    let mut entries: Vec<BookEntry> = BookReader::open(db).expect("a book").flatten().collect();
    written(&entries, format).unwrap_or_else(|| {
        entries.reverse();
        written(&entries, format).expect("one of both orders")
    })
}

fn written(entries: &[BookEntry], format: BookFormat) -> Option<Vec<u8>> {
    let path = FOLDER.join(format!("good-{format:?}"));
    let _ = std::fs::remove_file(&path);
    let mut writer = BookWriter::create(&path, format).expect("a file");
    for entry in entries {
        writer.write(entry).ok()?;
    }
    writer.finish().expect("a book");
    Some(std::fs::read(&path).expect("a file"))
}

fn check(bytes: &[u8]) {
    let path = FOLDER.join("any");
    std::fs::write(&path, bytes).expect("a file");
    for reader in [BookReader::open(&path), BookReader::open_strictly(&path)] {
        let Ok(mut reader) = reader else {
            continue;
        };
        let mut checker = Checker::new(reader.format());
        let mut faults = Vec::new();
        while let Some(entry) = reader.next() {
            if let Ok(mut entry) = entry {
                checker.check(&mut entry, reader.place(), &mut faults);
            }
        }
    }
    for on_the_fly in [false, true] {
        if let Ok(book) = Book::open(&path, on_the_fly) {
            let library = Library::new(vec![book]);
            probe(&library, &Position::startpos(), &BookOptions::default());
        }
    }
}

fuzz_target!(|input: (&[u8], u8, Vec<(u16, u8)>, u16)| {
    let (raw, number, changes, cut) = input;
    check(raw);
    let mut bytes = BOOKS[usize::from(number) % BOOKS.len()].clone();
    let length = bytes.len().min(BYTES);
    for (offset, byte) in changes {
        bytes[usize::from(offset) % length] = byte;
    }
    if cut % 2 == 1 {
        bytes.truncate(bytes.len() - usize::from(cut) % bytes.len());
    }
    check(&bytes);
});
