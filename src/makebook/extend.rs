//! Grows a book from given roots, best first: searches the positions just outside of the book that
//! good play really reaches, carries the values back, and goes on. After each batch of searches the
//! next positions are chosen.
//!
//! From each root the moves of the book are followed, those that lose least first, in the order of
//! what all moves of the line have lost together. A position is passed once, on the line that loses
//! least, so that transpositions count once and repetitions not at all. Both sides lose: a line on
//! which both play their best moves loses nothing.

use std::collections::{BinaryHeap, HashMap, HashSet};
use std::{cmp::Reverse, path::Path};

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

use super::minimax::{Graph, Solution};
use super::sorter::{Sorter, pack, unpack, write_book};
use super::think::{Task, Thinking, Thought};
use super::{for_each_entry, of_one_book};
use crate::book::{BookEntry, BookFormat, FaultLog, Losses, rotated_move};
use crate::position::{Board, Position};
use crate::runs::{Plan, RunFolder};
use crate::types::{Color, Move16, MoveList};
use crate::{movegen::legal_on_board, records::PackedSfen};

/// Positions that are chosen at a time, before values are carried back.
const BATCH: usize = 64;
/// How many of its best moves the side that uses the book considers, and its opponent.
const WIDTHS: [usize; 2] = [2, 4];
/// Most centipawns that a followed move of that side loses, and of its opponent.
const LOSSES: [i32; 2] = [20, 80];
/// Positions that are better or worse than this, in centipawns, are decided: no line goes on.
const DECIDED: i32 = 500;

/// A book and what is searched next.
///
/// What is chosen depends on the book and the settings only: not on the number of threads, nor on
/// where a run was interrupted.
pub struct Growth<'a> {
    book: GrowingBook,
    roots: &'a [Position],
    reach: &'a Reach,
    /// Positions to search in all.
    most: u64,
    folder: Option<RunFolder>,
    /// Results that are not in the book yet: those of the batch, and of an earlier part of the run.
    results: HashMap<u64, Thought>,
    batch: Vec<Leaf>,
    /// Number of the first leaf of the batch.
    first: u64,
    /// Leaves of the batch that were handed out or are known.
    handed: usize,
    progress: &'a (dyn Fn(u64, i32) + Sync),
}

impl<'a> Growth<'a> {
    /// Begins with `book`, to search `most` positions in all. `known` are the results of an earlier
    /// part of the run; `progress` gets the number of positions searched, and what the line to the
    /// last of the batch has lost.
    ///
    /// # Errors
    /// A known result belongs to another position: the run had other settings.
    pub fn new(
        book: GrowingBook,
        roots: &'a [Position],
        reach: &'a Reach,
        most: u64,
        folder: Option<RunFolder>,
        known: Vec<Thought>,
        progress: &'a (dyn Fn(u64, i32) + Sync),
    ) -> Result<Self> {
        let known = known.into_iter();
        let mut growth = Self {
            book,
            roots,
            reach,
            most,
            folder,
            results: known.map(|thought| (thought.number, thought)).collect(),
            batch: Vec::new(),
            first: 0,
            handed: 0,
            progress,
        };
        growth.choose()?;
        Ok(growth)
    }

    /// Takes the results of whole batches into the book and chooses the next batch.
    fn choose(&mut self) -> Result<()> {
        loop {
            self.batch = leaves(&self.book, self.roots, self.reach, BATCH);
            self.handed = 0;
            for (number, leaf) in (self.first..).zip(&self.batch) {
                if let Some(Thought { position, .. }) = self.results.get(&number) {
                    let expected = leaf.task.position.unpack_board()?.to_sfen();
                    ensure!(
                        *position == expected,
                        "result {number} of the run is for {position}, expected {expected}: it \
                         began otherwise"
                    );
                }
            }
            if self.batch.is_empty() || self.searched_of_batch() < self.batch.len() {
                return Ok(());
            }
            self.take_results()?;
        }
    }

    /// Adds the results of the batch to the book.
    fn take_results(&mut self) -> Result<()> {
        for (number, leaf) in (self.first..).zip(&self.batch) {
            if let Some(thought) = self.results.remove(&number) {
                self.book.add(leaf.task.entry(&thought))?;
            }
        }
        self.first += self.batch.len() as u64;
        self.batch.clear();
        Ok(())
    }

    fn searched_of_batch(&self) -> usize {
        let numbers = (self.first..).take(self.batch.len());
        let is_known = |number: &u64| self.results.contains_key(number);
        numbers.filter(is_known).count()
    }

    /// Number of positions that were searched.
    pub fn searched(&self) -> u64 {
        self.first + self.searched_of_batch() as u64
    }

    /// The book with all results so far.
    ///
    /// # Errors
    /// Never: positions were checked when they were chosen.
    pub fn into_book(mut self) -> Result<GrowingBook> {
        self.take_results()?;
        Ok(self.book)
    }
}

impl Plan<Thinking<'_>> for Growth<'_> {
    fn next(&mut self) -> Result<Option<(u64, Task)>> {
        while let Some(leaf) = self.batch.get(self.handed) {
            let number = self.first + self.handed as u64;
            if number >= self.most {
                break;
            }
            self.handed += 1;
            if !self.results.contains_key(&number) {
                return Ok(Some((number, leaf.task)));
            }
        }
        Ok(None)
    }

    fn keep(&mut self, (number, _): (u64, Task), thought: Thought) -> Result<()> {
        if let Some(folder) = &mut self.folder {
            folder.append(&thought)?;
        }
        self.results.insert(number, thought);
        let loss = self.batch.last().map_or(0, |leaf| leaf.loss);
        (self.progress)(self.searched(), loss);
        if self.searched_of_batch() == self.batch.len() {
            self.take_results()?;
            self.choose()?;
        }
        Ok(())
    }
}

/// Who will use a book.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum User {
    /// Black only.
    Black,
    /// White only.
    White,
    /// Both sides.
    Both,
}

impl User {
    const fn colors(self) -> &'static [Color] {
        match self {
            Self::Black => &[Color::Black],
            Self::White => &[Color::White],
            Self::Both => &Color::ALL,
        }
    }
}

/// How far a book is followed and extended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reach {
    /// Who will use the book.
    pub user: User,
    /// Most centipawns that all moves of a line lose together.
    pub line_loss: i32,
    /// Most plies from a root.
    pub plies: usize,
}

/// A position outside of the book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// The position and its ply.
    pub task: Task,
    /// What all moves of the line have lost, in centipawns.
    pub loss: i32,
}

/// The next `count` leaves, those that lose least first; equal ones in an order that depends on the
/// book alone.
pub fn leaves(book: &GrowingBook, roots: &[Position], reach: &Reach, count: usize) -> Vec<Leaf> {
    let graph = book.graph();
    let solution = Solution::of(&graph, false);
    let mut found: HashMap<PackedSfen, Leaf> = HashMap::new();
    for &user in reach.user.colors() {
        let mut walk = Walk {
            book,
            graph: &graph,
            solution: &solution,
            reach,
            user,
            queue: BinaryHeap::new(),
            passed: HashSet::new(),
            leaves: Vec::new(),
            wanted: count,
        };
        walk.run(roots);
        for leaf in walk.leaves {
            let known = found.entry(leaf.task.position).or_insert(leaf);
            if leaf.loss < known.loss {
                *known = leaf;
            }
        }
    }
    let mut leaves: Vec<Leaf> = found.into_values().collect();
    leaves.sort_by_key(|leaf| (leaf.loss, leaf.task.ply, leaf.task.position));
    leaves.truncate(count);
    leaves
}

/// A position on the way: what its line has lost, plies from the root, its packed form, which
/// decides between equal ones, and its ply in the game.
type Step = Reverse<(i32, usize, PackedSfen, u32)>;

struct Walk<'a> {
    book: &'a GrowingBook,
    graph: &'a Graph,
    solution: &'a Solution,
    reach: &'a Reach,
    /// The side that uses the book.
    user: Color,
    queue: BinaryHeap<Step>,
    /// Positions that were passed or are leaves.
    passed: HashSet<PackedSfen>,
    leaves: Vec<Leaf>,
    wanted: usize,
}

impl Walk<'_> {
    fn run(&mut self, roots: &[Position]) {
        for root in roots {
            let packed = PackedSfen::of(root);
            self.queue.push(Reverse((0, 0, packed, root.game_ply())));
        }
        while let Some(Reverse((loss, plies, packed, ply))) = self.queue.pop() {
            if self.leaves.len() >= self.wanted {
                return;
            }
            // Whatever is in the queue was packed from a board.
            let Ok(board) = packed.unpack_board() else {
                continue;
            };
            let turned = PackedSfen::of_board(&board.rotated());
            let is_new = self.passed.insert(packed);
            match self.book.find(&board) {
                Some((number, is_turned)) if is_new => {
                    self.follow(&board, number, is_turned, (loss, plies, ply));
                }
                // With the colours swapped it would be the same search.
                None if is_new && !self.passed.contains(&turned) => {
                    self.leaves.push(Leaf { task: Task { position: packed, ply }, loss });
                }
                _ => {}
            }
        }
    }

    /// Puts the positions after the good moves of a position of the book into the queue.
    fn follow(
        &mut self,
        board: &Board,
        number: usize,
        is_turned: bool,
        (loss, plies, ply): (i32, usize, u32),
    ) {
        let Some(best) = self.solution.best(self.graph, number) else {
            return;
        };
        let best = i32::from(best.value);
        if plies >= self.reach.plies || best.abs() > DECIDED {
            return;
        }
        let side = usize::from(board.side_to_move() != self.user);
        // The node shows its moves from black's view.
        let is_white = self.book.board(number).side_to_move() == Color::White;
        let moves = self.solution.outcomes(self.graph, number);
        for &(mv, outcome) in moves.iter().take(WIDTHS[side]) {
            let worse = best - i32::from(outcome.value);
            let loss = loss.saturating_add(worse);
            if worse > LOSSES[side] || loss > self.reach.line_loss {
                break;
            }
            if let Some(after) = after(board, mv, is_white != is_turned) {
                let packed = PackedSfen::of_board(&after);
                if !self.passed.contains(&packed) {
                    self.queue.push(Reverse((loss, plies + 1, packed, ply + 1)));
                }
            }
        }
    }
}

/// The board after a legal move, which is given from the other side's view if `is_rotated`.
fn after(board: &Board, mv: Move16, is_rotated: bool) -> Option<Board> {
    let mv = if is_rotated { rotated_move(mv)? } else { mv };
    let mv = board.to_move(mv)?;
    let mut after = board.clone();
    after.apply(mv);
    Some(after)
}

/// The greatest value that counts.
const MAX_VALUE: i32 = 32_000;

/// Positions in the order in which they came.
#[derive(Clone, Debug, Default)]
pub struct GrowingBook {
    entries: Vec<BookEntry>,
    boards: Vec<Board>,
    numbers: HashMap<PackedSfen, usize>,
}

impl GrowingBook {
    /// The positions of a file, without those that have legal moves but none in the book: they are
    /// searched like positions outside of it. `faults` gets what is wrong with the file.
    ///
    /// # Errors
    /// The file cannot be read or is no book.
    pub fn read(path: &Path, faults: &mut FaultLog) -> Result<Self> {
        let mut book = Self::default();
        for_each_entry(path, faults, |entry| {
            if entry.moves.is_empty() && has_moves(&entry)? {
                return Ok(());
            }
            book.add(entry)
        })?;
        Ok(book)
    }

    /// Adds a position, or more moves to one.
    ///
    /// # Errors
    /// The bytes of the position are not valid.
    pub fn add(&mut self, entry: BookEntry) -> Result<()> {
        if let Some(&number) = self.numbers.get(&entry.position) {
            let earlier = &mut self.entries[number];
            let both = vec![earlier.clone(), entry];
            if let Some(united) = of_one_book(&both) {
                *earlier = united;
            }
            return Ok(());
        }
        self.boards.push(entry.position.unpack_board()?);
        self.numbers.insert(entry.position, self.entries.len());
        self.entries.push(entry);
        Ok(())
    }

    /// The number of a position, and whether it stands there with the colours swapped.
    fn find(&self, board: &Board) -> Option<(usize, bool)> {
        let as_is = self.numbers.get(&PackedSfen::of_board(board));
        if let Some(&number) = as_is {
            return Some((number, false));
        }
        let turned = PackedSfen::of_board(&board.rotated());
        self.numbers.get(&turned).map(|&number| (number, true))
    }

    /// The position with this number.
    fn board(&self, number: usize) -> &Board {
        &self.boards[number]
    }

    /// The graph of all positions. Its nodes have their numbers.
    fn graph(&self) -> Graph {
        Graph::of_positions(&self.boards, |number| {
            let moves = self.entries[number].moves.iter().map(|known| {
                let value = known.value.clamp(-MAX_VALUE, MAX_VALUE) as i16;
                (known.mv, value)
            });
            moves.collect()
        })
    }

    /// A checksum of all positions and moves.
    pub fn checksum(&self) -> u32 {
        let mut checksum = crc32fast::Hasher::new();
        for entry in &self.entries {
            checksum.update(&pack(entry));
        }
        checksum.finalize()
    }

    /// Writes the positions that have moves, in the order of the format. Returns their number and
    /// what the format could not hold.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path, format: BookFormat) -> Result<(u64, Losses)> {
        let mut sorter = Sorter::new(path, u64::MAX);
        for entry in &self.entries {
            sorter.push_entry(format, entry)?;
        }
        write_book(sorter, (path, format), |group| {
            Ok(unpack(&group[0]).filter(|entry| !entry.moves.is_empty()))
        })
    }
}

/// Whether the side to move has a legal move.
fn has_moves(entry: &BookEntry) -> Result<bool> {
    let mut moves = MoveList::new();
    legal_on_board::<true>(&entry.position.unpack_board()?, &mut moves);
    Ok(!moves.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::BookMove;
    use crate::makebook::think::ThoughtMove;
    use crate::movegen::legal_moves;

    fn reach() -> Reach {
        Reach { user: User::Black, line_loss: 100, plies: 10 }
    }

    /// A book of one position with moves and values.
    fn book(entries: &[(&str, &[(&str, i32)])]) -> GrowingBook {
        let mut book = GrowingBook::default();
        for (line, moves) in entries {
            let position = position(line);
            let moves = moves.iter().map(|&(mv, value)| BookMove {
                mv: mv.parse().expect("a move"),
                ponder: None,
                value,
                depth: 1,
                count: 1,
            });
            book.add(BookEntry {
                position: PackedSfen::of(&position),
                ply: position.game_ply(),
                moves: moves.collect(),
            })
            .expect("a position");
        }
        book
    }

    fn position(moves: &str) -> Position {
        let line = format!("startpos moves {moves}");
        let line: crate::records::sfen_line::SfenLine = line.trim_end().parse().expect("a line");
        line.position()
    }

    /// The leaves as what each has lost and whether it is the position after one of `lines`.
    fn found(book: &GrowingBook, reach: &Reach, lines: &[&str]) -> Vec<(i32, usize)> {
        let all = leaves(book, &[Position::startpos()], reach, 100);
        let place = |leaf: &Leaf| {
            let mut lines = lines.iter();
            let is_it = |line: &&str| PackedSfen::of(&position(line)) == leaf.task.position;
            (leaf.loss, lines.position(is_it).unwrap_or(usize::MAX))
        };
        all.iter().map(place).collect()
    }

    #[test]
    fn an_empty_book_begins_with_its_roots() {
        let book = GrowingBook::default();
        assert_eq!(found(&book, &reach(), &["", "7g7f"]), [(0, 0)]);
    }

    #[test]
    fn lines_are_followed_as_far_as_width_and_loss_allow() {
        let book = book(&cases! {
            "" => &[("7g7f", 30), ("2g2f", 5), ("5g5f", 4)];
            "7g7f" => &[("3c3d", -30), ("8c8d", -60), ("4a3b", -70), ("5a4b", -80), ("5a6b", -80)];
        });
        let lines = "7g7f 3c3d|7g7f 8c8d|7g7f 4a3b|7g7f 5a4b|7g7f 5a6b|2g2f|5g5f".split('|');
        let lines: Vec<&str> = lines.collect();
        // The second move loses too much for black. White considers four moves.
        let black = [(0, 0), (30, 1), (40, 2), (50, 3)];
        assert_eq!(found(&book, &reach(), &lines), black);
        // As white's opponent black considers three moves, and white one.
        let mut white = reach();
        white.user = User::White;
        assert_eq!(found(&book, &white, &lines), [(0, 0), (25, 5), (26, 6)]);
        let mut short = reach();
        short.line_loss = 35;
        assert_eq!(found(&book, &short, &lines), [(0, 0), (30, 1)]);
        let mut root = reach();
        root.plies = 0;
        assert_eq!(found(&book, &root, &lines), []);
    }

    #[test]
    fn a_decided_position_is_not_followed() {
        let decided = book(&[("", &[("7g7f", DECIDED + 1)])]);
        assert_eq!(found(&decided, &reach(), &["7g7f"]), []);
    }

    #[test]
    fn transpositions_count_once_and_loops_end() {
        let book = book(&[
            ("", &[("7g7f", 0), ("2g2f", 0)]),
            ("7g7f", &[("3c3d", 0)]),
            ("2g2f", &[("3c3d", 0)]),
            ("7g7f 3c3d", &[("2g2f", 0)]),
            ("2g2f 3c3d", &[("7g7f", 0)]),
        ]);
        assert_eq!(found(&book, &reach(), &["7g7f 3c3d 2g2f"]), [(0, 0)]);
    }

    /// A search that takes no time: the first legal moves with values made of their bits.
    fn quick(number: u64, task: &Task) -> Thought {
        let position = task.position.unpack(task.ply).expect("a position");
        let moves = legal_moves(&position).into_iter().take(4);
        Thought {
            number,
            position: position.board().to_sfen(),
            moves: moves
                .map(|mv| ThoughtMove {
                    mv: mv.to_string(),
                    reply: None,
                    value: (mv.to_bits() % 61) as i32 - 30,
                    depth: 1,
                })
                .collect(),
        }
    }

    /// Grows a book up to `until` positions, with `known` results, and returns all results.
    fn grow(until: u64, known: Vec<Thought>, held_back: usize) -> (u32, Vec<Thought>) {
        let roots = [Position::startpos()];
        let reach = Reach { user: User::Both, line_loss: 150, plies: 40 };
        let mut all = known.clone();
        let start = GrowingBook::default();
        let mut growth =
            Growth::new(start, &roots, &reach, until, None, known, &|_, _| {}).expect("a growth");
        // Several pieces run at a time, and end in the opposite order.
        let mut running = Vec::new();
        loop {
            match growth.next().expect("a piece") {
                Some(piece) if running.len() < held_back => running.push(piece),
                next => {
                    running.extend(next);
                    let Some((number, task)) = running.pop() else {
                        break;
                    };
                    let thought = quick(number, &task);
                    all.push(thought.clone());
                    growth.keep((number, task), thought).expect("kept");
                }
            }
        }
        assert_eq!(growth.searched(), until);
        (growth.into_book().expect("a book").checksum(), all)
    }

    #[test]
    fn the_book_depends_neither_on_interruptions_nor_on_the_number_of_threads() {
        let (whole, results) = grow(143, Vec::new(), 0);
        assert_eq!(results.len(), 143);
        assert_eq!(grow(143, Vec::new(), 3).0, whole);
        for done in [1, 64, 100, 142] {
            // Results are kept in the order in which searches end.
            let mut known = grow(143, Vec::new(), 3).1;
            known.truncate(done);
            assert_eq!(grow(143, known, 2).0, whole, "{done}");
            let (_, known) = grow(done as u64, Vec::new(), 1);
            assert_eq!(grow(143, known, 0).0, whole, "grown from {done}");
        }
    }
}
