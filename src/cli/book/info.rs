//! `raicho book info`: counts what is in a book.

use std::fmt;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::book::{BookEntry, BookFormat, BookReader, order_key};
use crate::cli::output;
use crate::lang::Lang;

/// Example: `raicho book info user_book1.db`
#[derive(Args)]
#[command(before_help = "Example: raicho book info user_book1.db")]
pub(super) struct Arguments {
    /// Books, of any format
    #[arg(required = true, value_name = "BOOK")]
    books: Vec<PathBuf>,
}

pub(super) fn run(arguments: &Arguments, lang: Lang) -> anyhow::Result<()> {
    for path in &arguments.books {
        let summary = Summary::of(path)?;
        output::print(format_args!("{}\n{}", path.display(), summary.text(lang)))?;
    }
    Ok(())
}

/// The least and the greatest of some numbers.
#[derive(Clone, Copy, Default)]
struct Range<T>(Option<(T, T)>);

impl<T: Ord + Copy> Range<T> {
    fn add(&mut self, number: T) {
        let (least, most) = self.0.unwrap_or((number, number));
        self.0 = Some((least.min(number), most.max(number)));
    }
}

impl<T: fmt::Display> Range<T> {
    fn text(&self, lang: Lang) -> String {
        match &self.0 {
            Some((least, most)) => lang.range(least, most),
            None => "-".to_owned(),
        }
    }
}

/// A book and its counts.
struct Summary {
    format: BookFormat,
    bytes: u64,
    counts: Counts,
    faults: u64,
    is_sorted: bool,
    last_key: Vec<u8>,
}

#[derive(Default)]
struct Counts {
    positions: u64,
    without_moves: u64,
    moves: u64,
    ponder_moves: u64,
    plies: Range<u32>,
    moves_each: Range<usize>,
    values: Range<i32>,
    depths: Range<i32>,
    played: u64,
}

impl Summary {
    fn of(path: &Path) -> anyhow::Result<Self> {
        let reader = BookReader::open(path)?;
        let mut summary = Self {
            format: reader.format(),
            bytes: path.metadata()?.len(),
            counts: Counts::default(),
            faults: 0,
            is_sorted: true,
            last_key: Vec::new(),
        };
        for entry in reader {
            match entry {
                Ok(entry) => summary.add(&entry),
                Err(_) => summary.faults += 1,
            }
        }
        Ok(summary)
    }

    fn add(&mut self, entry: &BookEntry) {
        let counts = &mut self.counts;
        counts.positions += 1;
        counts.without_moves += u64::from(entry.moves.is_empty());
        counts.moves += entry.moves.len() as u64;
        counts.plies.add(entry.ply);
        counts.moves_each.add(entry.moves.len());
        for known in &entry.moves {
            counts.ponder_moves += u64::from(known.ponder.is_some());
            if self.format.has_values() {
                counts.values.add(known.value);
            }
            if self.format.has_depths() {
                counts.depths.add(known.depth);
            }
            counts.played = counts.played.saturating_add(known.count);
        }
        let key = order_key(self.format, entry);
        self.is_sorted &= self.last_key <= key;
        self.last_key = key;
    }

    /// Whether the entries come in the order of the file, and the format has one.
    const fn has_order(&self) -> bool {
        matches!(self.format, BookFormat::Db | BookFormat::Ybb)
    }

    /// The counts, a line each.
    fn text(&self, lang: Lang) -> String {
        let counts = &self.counts;
        let mut positions = lang.info_positions(counts.positions);
        if counts.without_moves > 0 {
            positions += &lang.info_without_moves(counts.without_moves);
        }
        let mut lines = vec![
            lang.info_format(self.format, self.bytes),
            positions,
            lang.info_moves(counts.moves, counts.moves_each.text(lang)),
            lang.info_answers(counts.ponder_moves),
            lang.info_plies(counts.plies.text(lang)),
            lang.info_values(counts.values.text(lang)),
            lang.info_depths(counts.depths.text(lang)),
            lang.info_counts(counts.played),
        ];
        if self.has_order() {
            lines.push(if self.is_sorted {
                lang.info_sorted()
            } else {
                lang.info_not_sorted()
            });
        }
        if counts.positions > 1 && counts.plies.0 == Some((1, 1)) {
            lines.push(lang.info_plies_are_1());
        }
        if self.faults > 0 {
            lines.push(lang.info_faults(self.faults));
        }
        lines.join("\n") + "\n"
    }
}
