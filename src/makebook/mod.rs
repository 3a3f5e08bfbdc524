//! Making opening books: [`games`] counts the moves of games, [`think`] searches positions,
//! [`extend`] grows a book from roots, [`minimax`] carries the values of the leaves back over the
//! graph of a book, and [`merge`] makes one book of several. Memory is bounded: what is larger is
//! sorted in files ([`SortedWriter`]).

pub mod extend;
pub mod games;
pub mod minimax;
mod sorter;
pub mod think;

use std::cmp::Reverse;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::book::{BookEntry, BookFormat, BookMove, BookReader, FaultLog, Losses, UNKNOWN_DEPTH};
use crate::{runs::Watch, types::Color};
use sorter::{Sorter, key, pack, unpack, write_book};

pub use sorter::SortedWriter;

/// Calls `take` for each entry of the book `path`. What is wrong with it goes to `faults`.
///
/// # Errors
/// The file is not a book or cannot be read to its end, or `take` fails.
pub fn for_each_entry(
    path: &Path,
    faults: &mut FaultLog,
    mut take: impl FnMut(BookEntry) -> Result<()>,
) -> Result<()> {
    for entry in BookReader::open(path)? {
        match entry {
            Ok(entry) => take(entry)?,
            Err(fault) if fault.is_end() => bail!("{}: {fault}", path.display()),
            Err(fault) => faults.add(fault),
        }
    }
    Ok(())
}

// --- Merging and sorting books ---

/// Entries between two reports of the progress.
const BATCH: u64 = 1 << 14;
/// Bytes before the entry in a record: the number of the book.
const SOURCE_BYTES: usize = 4;

/// Which entry of several books counts for a position that is in more than one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MergeRule {
    /// The one whose first move was searched deeper; then the one with more moves, then that of the
    /// earlier book. Entries without moves never count. Formats without depths count as unsearched.
    #[default]
    Deeper,
    /// That of the later book. Entries without moves never count.
    Newer,
    /// All of them: counts are added, values are means weighted by the counts, and depths are the
    /// greatest.
    Weighted,
}

/// The settings of a merge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MergeSettings {
    /// Which entry counts for a position that is in several books.
    pub rule: MergeRule,
    /// The side to move of the positions that count in each book, in the order of the books; `None`
    /// and a missing entry mean both.
    pub sides: Vec<Option<Color>>,
    /// Memory for entries in bytes.
    pub memory: u64,
}

/// The result of a merge.
#[derive(Debug)]
pub struct MergeSummary {
    /// Entries of all books that were read.
    pub entries: u64,
    /// Positions of the book that was written.
    pub positions: u64,
    /// What was wrong in each of the books, in their order.
    pub faults: Vec<FaultLog>,
    /// What the output could not hold.
    pub losses: Losses,
}

/// Merges the books `inputs` of any formats into `output`, in the format of its extension. A single
/// book is sorted. `watch` gets the entries read, and then the positions written.
///
/// # Errors
/// A file cannot be read or written, is no book, or the end is requested. Nothing is left of an
/// incomplete output.
pub fn merge(
    inputs: &[PathBuf],
    output: (&Path, BookFormat),
    settings: &MergeSettings,
    watch: &Watch<'_>,
) -> Result<MergeSummary> {
    let (path, format) = output;
    // Half for the records, half for what sorts and reads them.
    let mut sorter = Sorter::new(path, settings.memory / 2);
    let mut entries = 0_u64;
    let mut faults = Vec::new();
    for (input, number) in inputs.iter().zip(0_u32..) {
        let side = settings.sides.get(number as usize).copied().flatten();
        let mut log = FaultLog::default();
        for_each_entry(input, &mut log, |entry| {
            entries += 1;
            if side.is_none_or(|side| entry.position.side_to_move() == side) {
                let mut value = number.to_le_bytes().to_vec();
                value.extend(pack(&entry));
                sorter.push(&key(format, entry.position), &value)?;
            }
            if entries.is_multiple_of(BATCH) {
                watch.advance(entries, 2 * entries)?;
            }
            Ok(())
        })?;
        watch.advance(entries, 2 * entries)?;
        faults.push(log);
    }
    let (mut done, mut groups) = (0, 0);
    let (positions, losses) = write_book(sorter, output, |group| {
        done += group.len() as u64;
        groups += 1;
        if groups % BATCH == 0 {
            watch.advance(entries + done, 2 * entries)?;
        }
        let group = group.iter().filter_map(|value| read(value));
        let entry = combine(group.collect(), settings.rule);
        Ok(entry.filter(|entry| !entry.moves.is_empty()))
    })?;
    Ok(MergeSummary { entries, positions, faults, losses })
}

/// Makes one entry of all for a position, which come in the order of the books.
fn combine(group: Vec<(u32, BookEntry)>, rule: MergeRule) -> Option<BookEntry> {
    let mut books: Vec<(u32, Vec<BookEntry>)> = Vec::new();
    for (source, entry) in group {
        match books.last_mut() {
            Some((last, entries)) if *last == source => entries.push(entry),
            _ => books.push((source, vec![entry])),
        }
    }
    let entries = books.into_iter();
    let entries = entries.filter_map(|(_, entries)| of_one_book(&entries));
    of_several_books(entries.collect(), rule)
}

fn read(value: &[u8]) -> Option<(u32, BookEntry)> {
    let (source, entry) = value.split_first_chunk::<SOURCE_BYTES>()?;
    Some((u32::from_le_bytes(*source), unpack(entry)?))
}

/// Sorts moves as the engine prefers them: the most frequent first, then the best.
fn order(moves: &mut [BookMove]) {
    moves.sort_by_key(|known| (Reverse(known.count), Reverse(known.value)));
}

/// The depth that books of games give all their moves, with the value 0, so that `BookDepthLimit`
/// lets them pass: `YaneuraOu`'s convention.
const GAMES_DEPTH: i32 = 32;

/// Whether moves were counted in games and not searched.
fn is_of_games(moves: &[BookMove]) -> bool {
    moves.iter().all(|known| (known.value, known.depth) == (0, GAMES_DEPTH))
}

/// Sorts plies; a missing one, 0, comes after all others.
const fn ply_rank(ply: u32) -> u32 {
    ply.wrapping_sub(1)
}

/// One entry of those of one book: only those of the smallest ply count. A move that stands there
/// again replaces the earlier one, and the counts are added. `None` of nothing.
fn of_one_book(entries: &[BookEntry]) -> Option<BookEntry> {
    let ply_of = |entry: &BookEntry| ply_rank(entry.ply);
    let ply = entries.iter().map(ply_of).min()?;
    let mut same = entries.iter().filter(|entry| ply_of(entry) == ply);
    let first = same.next()?;
    let mut whole = BookEntry { moves: Vec::new(), ..*first };
    whole.merge(first);
    same.for_each(|entry| whole.merge(entry));
    order(&mut whole.moves);
    Some(whole)
}

/// One entry of those of several books, in the order of the books. It has the smallest ply of all.
fn of_several_books(entries: Vec<BookEntry>, rule: MergeRule) -> Option<BookEntry> {
    let plies = entries.iter().map(|entry| ply_rank(entry.ply));
    let ply = plies.min()?.wrapping_add(1);
    let depth = |entry: &BookEntry| {
        let first = entry.moves.first()?.depth;
        Some(if first == UNKNOWN_DEPTH { 0 } else { first })
    };
    let chosen = match rule {
        MergeRule::Deeper => {
            // Of equal ones the last is the greatest, so the order is turned.
            let turned = entries.into_iter().rev();
            turned.max_by_key(|entry| (depth(entry), entry.moves.len()))
        }
        MergeRule::Newer => {
            let last = entries.iter().rposition(|entry| !entry.moves.is_empty());
            let last = last.unwrap_or(entries.len() - 1);
            entries.into_iter().nth(last)
        }
        MergeRule::Weighted => weighted(entries),
    };
    chosen.map(|entry| BookEntry { ply, ..entry })
}

fn weighted(entries: Vec<BookEntry>) -> Option<BookEntry> {
    struct Sum {
        known: BookMove,
        /// Of values times weights.
        values: i128,
        weights: i128,
        /// The greatest count so far, whose answer is kept.
        most: u64,
    }
    let mut entries = entries.into_iter();
    let mut whole = entries.next()?;
    let first = std::mem::take(&mut whole.moves);
    let mut sums: Vec<Sum> = Vec::new();
    for known in first.into_iter().chain(entries.flat_map(|entry| entry.moves)) {
        // A move without a count was seen once.
        let weight = i128::from(known.count.max(1));
        let value = i128::from(known.value) * weight;
        let Some(sum) = sums.iter_mut().find(|sum| sum.known.mv == known.mv) else {
            sums.push(Sum { known, values: value, weights: weight, most: known.count });
            continue;
        };
        sum.values += value;
        sum.weights += weight;
        sum.known.depth = sum.known.depth.max(known.depth);
        sum.known.count = sum.known.count.saturating_add(known.count);
        if known.ponder.is_some() && (sum.known.ponder.is_none() || known.count > sum.most) {
            sum.known.ponder = known.ponder;
            sum.most = known.count;
        }
    }
    whole.moves = sums
        .into_iter()
        .map(|sum| {
            let half = sum.weights / 2 * sum.values.signum();
            let mean = (sum.values + half) / sum.weights;
            BookMove { value: i32::try_from(mean).unwrap_or(sum.known.value), ..sum.known }
        })
        .collect();
    order(&mut whole.moves);
    Some(whole)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use super::*;
    use crate::position::Position;
    use crate::records::packed::PackedSfen;
    use crate::util::TestFolder;

    fn entry(ply: u32, moves: &[(&str, i32, i32, u64)]) -> BookEntry {
        let moves = moves.iter().map(|&(mv, value, depth, count)| BookMove {
            mv: mv.parse().expect("a move"),
            ponder: None,
            value,
            depth,
            count,
        });
        BookEntry { position: PackedSfen::of(&Position::startpos()), ply, moves: moves.collect() }
    }

    #[test]
    fn within_a_book_the_smallest_ply_counts_and_moves_are_united() {
        let entries = vec![
            entry(3, &[("9g9f", 9, 9, 9)]),
            entry(1, &[("2g2f", 5, 5, 1), ("7g7f", 1, 2, 3)]),
            entry(0, &[("1g1f", 0, 0, 7)]),
            entry(1, &[("2g2f", 6, 4, 4)]),
        ];
        let expected = entry(1, &[("2g2f", 6, 4, 5), ("7g7f", 1, 2, 3)]);
        assert_eq!(of_one_book(&entries), Some(expected));
        assert_eq!(of_one_book(&[]), None);
    }

    #[test]
    fn each_rule_chooses_its_entry() {
        let old = entry(5, &[("7g7f", 10, 20, 3)]);
        let new = entry(3, &[("7g7f", 41, 18, 1), ("2g2f", 0, 18, 0)]);
        let both = vec![old.clone(), new.clone()];
        let of = |rule| of_several_books(both.clone(), rule);
        let mut earlier = old.clone();
        earlier.ply = 3;
        assert_eq!(of(MergeRule::Deeper), Some(earlier.clone()));
        assert_eq!(of(MergeRule::Newer), Some(new));
        let weighted = entry(3, &[("7g7f", 18, 20, 4), ("2g2f", 0, 18, 0)]);
        assert_eq!(of(MergeRule::Weighted), Some(weighted));
        for rule in [MergeRule::Deeper, MergeRule::Newer] {
            let twice = of_several_books(vec![old.clone(), old.clone()], rule);
            assert_eq!(twice, Some(old.clone()), "{rule:?}");
        }
        // Entries without moves never count, and a depth that no search reached is none.
        let empty = entry(1, &[]);
        earlier.ply = 1;
        for rule in [MergeRule::Deeper, MergeRule::Newer] {
            for both in [vec![empty.clone(), old.clone()], vec![old.clone(), empty.clone()]] {
                let found = of_several_books(both, rule);
                assert_eq!(found.as_ref(), Some(&earlier), "{rule:?}");
            }
        }
        let unknown = entry(5, &[("2g2f", 0, UNKNOWN_DEPTH, 1)]);
        let deeper = of_several_books(vec![unknown, old.clone()], MergeRule::Deeper);
        assert_eq!(deeper, Some(old));
    }

    /// The folder of the books, unless there is none.
    fn books() -> Option<PathBuf> {
        let folder = std::env::var_os("RAICHO_CORPORA");
        if folder.is_none() {
            eprintln!("skipped: RAICHO_CORPORA is not set");
        }
        Some(Path::new(&folder?).join("books"))
    }

    fn merged(inputs: &[PathBuf], rule: MergeRule, memory: u64) -> String {
        merged_sides(inputs, (rule, &[]), memory)
    }

    fn merged_sides(
        inputs: &[PathBuf],
        (rule, sides): (MergeRule, &[Option<Color>]),
        memory: u64,
    ) -> String {
        let folder = TestFolder::new();
        let out = folder.file("out.db");
        let settings = MergeSettings { rule, sides: sides.to_vec(), memory };
        let watch = Watch::of_nobody();
        merge(inputs, (&out, BookFormat::Db), &settings, &watch).expect("a book");
        fs::read_to_string(&out).expect("the book")
    }

    /// The lines of the moves by position.
    fn nodes(text: &str) -> BTreeMap<String, Vec<String>> {
        let mut nodes: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut open = String::new();
        for line in text.lines().map(str::trim_end) {
            if line.starts_with("sfen ") {
                line.clone_into(&mut open);
            } else if !line.starts_with('#') {
                nodes.entry(open.clone()).or_default().push(line.to_owned());
            }
        }
        nodes
    }

    const LARGE: u64 = 1 << 30;

    #[test]
    fn a_book_is_sorted_as_yaneuraou_sorts_it() {
        let Some(books) = books() else { return };
        let expected = fs::read_to_string(books.join("games_sorted.db")).expect("a book");
        let input = [books.join("games.db")];
        for memory in [LARGE, 0] {
            let found = merged(&input, MergeRule::Deeper, memory);
            assert_eq!(found, expected.replace("\r\n", "\n"));
        }
    }

    #[test]
    fn books_are_merged_as_yaneuraou_merges_them() {
        let Some(books) = books() else { return };
        let inputs = ["games_sorted.db", "from_sfen.db"].map(|name| books.join(name));
        let expected = fs::read_to_string(books.join("merged.db")).expect("a book");
        let found = merged(&inputs, MergeRule::Deeper, LARGE);
        assert_eq!(nodes(&found), nodes(&expected));
        let expected = fs::read_to_string(books.join("merged_bw.db")).expect("a book");
        let sides = [Some(Color::Black), Some(Color::White)];
        let found = merged_sides(&inputs, (MergeRule::Deeper, &sides), LARGE);
        assert_eq!(nodes(&found), nodes(&expected));
    }

    #[test]
    fn merging_a_book_with_itself_changes_nothing() {
        let Some(books) = books() else { return };
        let input = books.join("games.db");
        let once = std::slice::from_ref(&input);
        let sorted = merged(once, MergeRule::Deeper, LARGE);
        for rule in [MergeRule::Deeper, MergeRule::Newer] {
            let twice = [input.clone(), input.clone()];
            assert_eq!(merged(&twice, rule, LARGE), sorted);
        }
    }
}
