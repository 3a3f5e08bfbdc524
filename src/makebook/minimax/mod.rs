//! Minimax over the graph of a book: the values of the leaves are carried back to all positions.
//!
//! The result is that of `makebook peta_shock` of `YaneuraOu` on the same book, which is where the
//! rules come from: positions with the colours swapped are one node; every legal move that leads to
//! a position of the book is an edge, whether the book lists it or not; loops are draws, and loops
//! of perpetual check lose for the side that gives the checks; among equal values a win comes soon
//! and a loss late. It differs where that is wrong: moves that are illegal or `none` are left out.
//!
//! First the edges of the [`Graph`] are found. Phase I settles what reaches no loop, phase II finds
//! the loops of perpetual check, and phases III and IV start other loops as draws and carry values
//! around them ([`Solution`]). An option of ours gives loops their exact values.

mod graph;
mod loops;
mod solution;
#[cfg(test)]
mod tests;

use std::io::{self, Write as _};
use std::{fs::File, path::Path};

use anyhow::{Context as _, bail, ensure};

use crate::book::{
    Block, Blocks, BookEntry, BookFault, BookFormat, BookMove, BookPlace, BookReader, BookWriter,
    FaultLog, Line, lines, parse_position,
};
use crate::makebook::named;
use crate::position::Board;
use crate::records::PackedSfen;
use crate::runs::{OutputFile, Watch};
use crate::types::Move16;
use graph::{KeyTable, Lanes, Turned, node_key, turned};
use solution::MAX_VALUE;

use rayon::prelude::*;

pub use graph::Graph;
pub use solution::{Outcome, Solution};

/// What a run found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Positions of the book.
    pub positions: usize,
    /// Those without a move, which count as lost.
    pub without_moves: usize,
    /// Moves from one of them to another.
    pub edges: usize,
    /// Nodes from which a loop can be reached.
    pub in_loops: usize,
    /// Nodes in check on a loop of perpetual check.
    pub perpetual_checks: usize,
    /// Sets of such nodes with too many paths to walk over, which were solved by component.
    pub large_loops: usize,
    /// Rounds until no value changed.
    pub rounds: u32,
}

/// The result of a run.
#[derive(Debug)]
pub struct Summary {
    /// What was found.
    pub counts: Counts,
    /// What was left out.
    pub faults: FaultLog,
}

/// Reads a book, `.db` or `.ybb` by its content, and writes it with the values carried back, in the
/// same format and order. With `uses_components` loops are solved exactly, component by component,
/// instead of by passes over the nodes and by walking over all paths, as `YaneuraOu` does; the
/// results differ. `watch` gets bytes or positions, of three passes over the book.
///
/// # Errors
/// A file cannot be read or written, is of another format or not valid, or the end is requested.
/// Nothing is left of an incomplete output.
pub fn run(
    input: &Path,
    output: &Path,
    uses_components: bool,
    watch: &Watch<'_>,
) -> anyhow::Result<Summary> {
    let format = BookReader::open(input)?.format();
    ensure!(
        matches!(format, BookFormat::Db | BookFormat::Ybb),
        "{}: has the format {format}, expected .db or .ybb: convert it first",
        input.display()
    );
    let wanted = BookFormat::of_path(output).unwrap_or(format);
    ensure!(
        wanted == format,
        "{}: the book is written as it is read, expected the ending {format}",
        output.display()
    );
    let source = Source {
        path: input,
        format,
        watch,
    };
    // Created first: what cannot be written is better known before the work.
    let mut out = Output::create(output, format).with_context(named(output))?;
    let mut faults = FaultLog::default();
    let (graph, first_nodes) = {
        let table = source.keys()?;
        source.graph(&table, &mut faults)?
    };
    let solution = Solution::of(&graph, uses_components);
    let solved = Solved {
        graph: &graph,
        solution: &solution,
    };
    let mut first_nodes = first_nodes.into_iter();
    out.begin(&graph).with_context(named(output))?;
    source.for_all_parts(2, &mut FaultLog::default(), |parts| {
        let parts: Vec<(Part, usize)> = parts.into_iter().zip(first_nodes.by_ref()).collect();
        out.write(parts, &solved).with_context(named(output))
    })?;
    out.finish().with_context(named(output))?;
    Ok(Summary {
        counts: solution.counts,
        faults,
    })
}

// --- Reading ---

const PASSES: u64 = 3;
/// Parts that each thread gets at a time, so that none waits long for another.
const PARTS_PER_THREAD: usize = 16;
/// Entries of a part.
const PART: usize = 1 << 8;

/// A book that is read three times: for the keys, for the moves, and to be written back.
struct Source<'a> {
    path: &'a Path,
    format: BookFormat,
    watch: &'a Watch<'a>,
}

/// A part of a book, which a thread works on.
enum Part {
    /// A block of a `.db`, whose positions keep their text.
    Text(Vec<u8>),
    /// Entries of a `.ybb`, and where they are.
    Entries(Vec<(BookPlace, BookEntry)>),
}

impl Part {
    /// The keys of all good positions.
    fn keys(&self) -> Vec<Lanes> {
        match self {
            Self::Text(text) => {
                let positions = good_positions(text);
                positions.map(|(_, position)| key_of(position)).collect()
            }
            Self::Entries(entries) => {
                let entries = entries.iter();
                entries.map(|(_, entry)| key_of(entry.position)).collect()
            }
        }
    }

    /// Bytes of a text, number of entries.
    fn size(&self) -> u64 {
        match self {
            Self::Text(text) => text.len() as u64,
            Self::Entries(entries) => entries.len() as u64,
        }
    }
}

/// The texts of the positions of a block that can be read, and the positions.
fn good_positions(block: &[u8]) -> impl Iterator<Item = (&[u8], PackedSfen)> {
    lines(block).filter_map(|line| match line {
        Line::Position(text) => Some((text, parse_position(text).ok()?.0)),
        Line::Move(_) | Line::Nothing => None,
    })
}

/// Readers check positions, so that the empty board never takes the place of one.
fn board_of(position: PackedSfen) -> Board {
    position.unpack_board().unwrap_or(Board::EMPTY)
}

fn key_of(position: PackedSfen) -> Lanes {
    node_key(&board_of(position))
}

impl Source<'_> {
    /// Calls `work` for all parts of the book in order, several at a time. `pass` is the number of
    /// the pass.
    fn for_all_parts(
        &self,
        pass: u64,
        faults: &mut FaultLog,
        mut work: impl FnMut(Vec<Part>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let (mut parts, size) = Parts::open(self.path, self.format)?;
        let mut done = pass * size;
        loop {
            let some = parts.next(self.path, faults)?;
            if some.is_empty() {
                return Ok(());
            }
            done += some.iter().map(Part::size).sum::<u64>();
            work(some)?;
            self.watch.advance(done, PASSES * size)?;
        }
    }

    /// The table of the keys of all positions.
    fn keys(&self) -> anyhow::Result<KeyTable> {
        const MOST: usize = (u32::MAX / 2) as usize;
        let mut keys: Vec<Lanes> = Vec::new();
        self.for_all_parts(0, &mut FaultLog::default(), |parts| {
            let found: Vec<Vec<Lanes>> = parts.par_iter().map(Part::keys).collect();
            keys.extend(found.into_iter().flatten());
            Ok(())
        })?;
        ensure!(keys.len() < MOST, "the book has more than {MOST} positions");
        Ok(KeyTable::new(keys))
    }

    /// The graph, and the first node of each part.
    fn graph(
        &self,
        table: &KeyTable,
        faults: &mut FaultLog,
    ) -> anyhow::Result<(Graph, Vec<usize>)> {
        let mut graph = Graph::default();
        let mut first_nodes = Vec::new();
        let mut passed = 0;
        let mut of_moves = FaultLog::default();
        self.for_all_parts(1, faults, |parts| {
            let linked: Vec<Linked> = parts
                .par_iter()
                .map(|part| Linked::of(part, table))
                .collect();
            for part in linked {
                first_nodes.push(graph.len());
                graph.append(part.graph);
                for fault in part.faults {
                    of_moves.add(fault.after_lines(passed));
                }
                passed += part.lines;
            }
            Ok(())
        })?;
        faults.append(of_moves);
        Ok((graph, first_nodes))
    }
}

/// The parts of a book, one after another.
enum Parts {
    Text(Blocks<File>),
    Entries(BookReader),
}

impl Parts {
    /// Opens a book, and returns its bytes or positions.
    fn open(path: &Path, format: BookFormat) -> anyhow::Result<(Self, u64)> {
        if format == BookFormat::Db {
            let file = File::open(path).with_context(named(path))?;
            let size = file.metadata().with_context(named(path))?.len();
            return Ok((Self::Text(Blocks::new(file)), size));
        }
        let reader = BookReader::open(path)?;
        let size = reader.positions().unwrap_or(0);
        Ok((Self::Entries(reader), size))
    }

    /// The next parts, none at the end.
    fn next(&mut self, path: &Path, faults: &mut FaultLog) -> anyhow::Result<Vec<Part>> {
        let count = rayon::current_num_threads() * PARTS_PER_THREAD;
        let reader = match self {
            Self::Text(blocks) => {
                let blocks = blocks.take(count).map(|block| block.map(Part::Text));
                let parts: io::Result<Vec<Part>> = blocks.collect();
                return parts.with_context(named(path));
            }
            Self::Entries(reader) => reader,
        };
        let mut parts = Vec::new();
        for _ in 0..count {
            let mut part = Vec::with_capacity(PART);
            while part.len() < PART
                && let Some(entry) = reader.next()
            {
                match entry {
                    Ok(entry) => part.push((reader.place().entry, entry)),
                    Err(fault) if fault.is_end() => bail!("{}: {fault}", path.display()),
                    Err(fault) => faults.add(fault),
                }
            }
            if part.is_empty() {
                break;
            }
            parts.push(Part::Entries(part));
        }
        Ok(parts)
    }
}

/// The positions of a part.
#[derive(Default)]
struct Linked {
    graph: Graph,
    /// What is left out, in order.
    faults: Vec<BookFault>,
    /// Number of lines.
    lines: u64,
}

impl Linked {
    fn of(part: &Part, table: &KeyTable) -> Self {
        let mut linked = Self::default();
        match part {
            Part::Text(text) => {
                let block = Block::read(text, 0, false);
                for node in &block.nodes {
                    let moves = node.moves();
                    let lines = &block.move_lines[moves.clone()];
                    let place = |index: usize| BookPlace::Line(lines[index]);
                    linked.add(table, node.position, &block.moves[moves], place);
                }
                linked.faults.extend(block.faults);
                linked.faults.sort_by_key(|fault| fault.place);
                linked.lines = block.lines;
            }
            Part::Entries(entries) => {
                for (place, entry) in entries {
                    linked.add(table, entry.position, &entry.moves, |_| *place);
                }
            }
        }
        linked
    }

    /// Adds a position. `place` tells where a move is.
    fn add(
        &mut self,
        table: &KeyTable,
        position: PackedSfen,
        moves: &[BookMove],
        place: impl Fn(usize) -> BookPlace,
    ) {
        let node = Turned::new(board_of(position));
        let limit = i32::from(MAX_VALUE);
        let listed = moves.iter().filter_map(|known| {
            let value = known.value.clamp(-limit, limit) as i16;
            Some((node.turn(known.mv)?, value))
        });
        let listed: Vec<(Move16, i16)> = listed.collect();
        for mv in table.link(&node, &listed, &mut self.graph) {
            let is_it = |known: &BookMove| node.turn(known.mv) == Some(mv);
            let index = moves.iter().position(is_it).unwrap_or_default();
            self.faults
                .push(BookFault::new(place(index), node.illegal(mv)));
        }
    }
}

// --- Writing ---

/// The graph and the outcomes of its moves.
struct Solved<'a> {
    graph: &'a Graph,
    solution: &'a Solution,
}

impl Solved<'_> {
    /// The moves of a node as its book has them, the best first.
    fn moves(&self, node: usize) -> impl Iterator<Item = (Move16, Outcome)> {
        let moves = self.solution.moves(self.graph, node).into_iter();
        let is_white = self.graph.is_white(node);
        moves.filter_map(move |(mv, outcome)| Some((turned(mv, is_white)?, outcome)))
    }

    /// A block with the values carried back. Its positions are the nodes from `node` on.
    fn text(&self, block: &[u8], mut node: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(block.len());
        for (text, _) in good_positions(block) {
            out.extend(b"sfen ");
            out.extend(text);
            out.extend(b"\r\n");
            for (mv, outcome) in self.moves(node) {
                // A vector takes everything.
                let _ = write!(out, "{mv} none {} {}\r\n", outcome.value, outcome.depth);
            }
            node += 1;
        }
        out
    }

    fn entry(&self, entry: &BookEntry, node: usize) -> BookEntry {
        let moves = self.moves(node).map(|(mv, outcome)| BookMove {
            mv,
            ponder: None,
            value: outcome.value.into(),
            depth: outcome.depth.into(),
            count: 0,
        });
        BookEntry {
            moves: moves.collect(),
            ..*entry
        }
    }
}

/// A book that is written.
enum Output {
    Text(OutputFile),
    Entries(Box<BookWriter>),
}

impl Output {
    fn create(path: &Path, format: BookFormat) -> anyhow::Result<Self> {
        Ok(match format {
            BookFormat::Db => Self::Text(OutputFile::create(path)?),
            format => Self::Entries(Box::new(BookWriter::create(path, format)?)),
        })
    }

    fn begin(&mut self, graph: &Graph) -> io::Result<()> {
        let nodes = graph.len();
        match self {
            Self::Text(out) => write!(out, "#YANEURAOU-DB2016 1.00\r\n# NOE:{nodes}\r\n"),
            Self::Entries(_) => Ok(()),
        }
    }

    /// Writes parts, each with the number of its first node.
    fn write(&mut self, parts: Vec<(Part, usize)>, solved: &Solved<'_>) -> io::Result<()> {
        let out = match self {
            Self::Text(out) => {
                let texts: Vec<Vec<u8>> = parts
                    .par_iter()
                    .map(|(part, first)| match part {
                        Part::Text(block) => solved.text(block, *first),
                        Part::Entries(_) => Vec::new(),
                    })
                    .collect();
                return texts.iter().try_for_each(|text| out.write_all(text));
            }
            Self::Entries(out) => out,
        };
        for (part, first) in parts {
            let Part::Entries(entries) = part else {
                continue;
            };
            for ((_, entry), node) in entries.into_iter().zip(first..) {
                out.write(&solved.entry(&entry, node))?;
            }
        }
        Ok(())
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Self::Text(out) => out.finish(),
            Self::Entries(out) => out.finish().map(drop),
        }
    }
}
