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
#[cfg(test)]
mod tests;

use std::io::{self, Write as _};
use std::{collections::VecDeque, fs::File, path::Path};

use anyhow::{Result, bail, ensure};
use graph::{Bits, KeyTable, Lanes, Parents, Turned, node_key, turned};
use loops::{Arena, CheckLoops, solve};

use crate::book::{
    Block, Blocks, BookEntry, BookFault, BookFormat, BookMove, BookPlace, BookReader,
};
use crate::book::{BookWriter, FaultLog, Line, lines, parse_position};
use crate::runs::{OutputFile, Watch};
use crate::{position::Board, records::PackedSfen, types::Move16, util::AtPath};

use rayon::prelude::*;

pub use graph::Graph;

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
    /// Positions, moves and loops that were found.
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
) -> Result<Summary> {
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
    let source = Source { path: input, format, watch };
    // Created first: what cannot be written is better known before the work.
    let mut out = Output::create(output, format).at(output)?;
    let mut faults = FaultLog::default();
    let (graph, first_nodes) = {
        let table = source.keys()?;
        source.graph(&table, &mut faults)?
    };
    let solution = Solution::of(&graph, uses_components);
    let solved = Solved { graph: &graph, solution: &solution };
    let mut first_nodes = first_nodes.into_iter();
    out.begin(&graph).at(output)?;
    source.for_all_parts(2, &mut FaultLog::default(), |parts| {
        let parts: Vec<(Part, usize)> = parts.into_iter().zip(first_nodes.by_ref()).collect();
        out.write(parts, &solved).at(output)
    })?;
    out.finish().at(output)?;
    Ok(Summary { counts: solution.counts, faults })
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
        mut work: impl FnMut(Vec<Part>) -> Result<()>,
    ) -> Result<()> {
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
    fn keys(&self) -> Result<KeyTable> {
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
    fn graph(&self, table: &KeyTable, faults: &mut FaultLog) -> Result<(Graph, Vec<usize>)> {
        let mut graph = Graph::default();
        let mut first_nodes = Vec::new();
        let mut passed = 0;
        let mut of_moves = FaultLog::default();
        self.for_all_parts(1, faults, |parts| {
            let linked = parts.par_iter().map(|part| Linked::of(part, table));
            let linked: Vec<Linked> = linked.collect();
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
    fn open(path: &Path, format: BookFormat) -> Result<(Self, u64)> {
        if format == BookFormat::Db {
            let file = File::open(path).at(path)?;
            let size = file.metadata().at(path)?.len();
            return Ok((Self::Text(Blocks::new(file)), size));
        }
        let reader = BookReader::open(path)?;
        let size = reader.positions().unwrap_or(0);
        Ok((Self::Entries(reader), size))
    }

    /// The next parts, none at the end.
    fn next(&mut self, path: &Path, faults: &mut FaultLog) -> Result<Vec<Part>> {
        let count = rayon::current_num_threads() * PARTS_PER_THREAD;
        let reader = match self {
            Self::Text(blocks) => {
                let blocks = blocks.take(count).map(|block| block.map(Part::Text));
                let parts: io::Result<Vec<Part>> = blocks.collect();
                return parts.at(path);
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
            self.faults.push(BookFault::new(place(index), node.illegal(mv)));
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
        BookEntry { moves: moves.collect(), ..*entry }
    }
}

/// A book that is written.
enum Output {
    Text(OutputFile),
    Entries(BookWriter),
}

impl Output {
    fn create(path: &Path, format: BookFormat) -> Result<Self> {
        Ok(match format {
            BookFormat::Db => Self::Text(OutputFile::create(path)?),
            format => Self::Entries(BookWriter::create(path, format)?),
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

// --- The outcomes of all moves of a graph ---

// Nodes from which no loop can be reached get theirs from the leaves backwards, then values are
// carried around the loops.

/// The depth of what repeats for ever.
const ENDLESS: u16 = 9999;
/// The depth of a move into a loop of perpetual check that loses for the mover's side.
const PERPETUAL_CHECK: u16 = 9997;
/// The depth of a loop of perpetual check from the view of the side that gives the checks.
const PERPETUALLY_CHECKED: u16 = 9998;
/// Longest line; a draw that is further away counts as [`ENDLESS`].
const MAX_PLIES: u16 = 256;
/// The greatest value, and with the opposite sign the smallest.
const MAX_VALUE: i16 = 32_000;

/// The value of a move for the side that makes it, and the number of plies to where it arises.
///
/// Of a node it says what the move into that node is worth, so it is seen from the other side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// Centipawns, -32767 to 32767.
    pub value: i16,
    /// Plies, at most 9999.
    pub depth: u16,
}

impl Outcome {
    /// Worse than every move.
    const NONE: Self = Self { value: -i16::MAX, depth: ENDLESS };

    /// The outcome of a move whose value is known from the book.
    const fn leaf(value: i16) -> Self {
        Self { value, depth: 0 }
    }

    /// The outcome for the move into a node whose best move has this one.
    #[must_use]
    fn for_parent(self) -> Self {
        Self { value: -self.value, depth: (self.depth + 1).min(ENDLESS) }
    }

    /// A number that is greater for a better outcome: by value, then a win that comes sooner or a
    /// loss that comes later; a perpetual check is the last among equal values.
    const fn rank(self) -> i32 {
        let depth = self.depth as i32;
        let nearness = if self.depth == PERPETUAL_CHECK {
            0
        } else if self.value >= 0 {
            ENDLESS as i32 + 1 - depth
        } else {
            depth + 1
        };
        self.value as i32 * (1 << 15) + nearness
    }

    /// The better of two.
    #[must_use]
    const fn or(self, other: Self) -> Self {
        let is_worse = self.rank() < other.rank();
        if is_worse { other } else { self }
    }
}

/// Rounds over all nodes in which outcomes can travel around loops.
const MAX_ROUNDS: u32 = MAX_PLIES as u32 + 100;

/// A draw by repetition.
const DRAW: Outcome = Outcome { value: 0, depth: ENDLESS };

/// The outcomes of all moves of a graph.
pub struct Solution {
    /// The outcome of each node, for its parents.
    outcomes: Vec<Outcome>,
    /// Nodes on loops of perpetual check.
    check_loops: Bits,
    /// Positions, moves and loops that were found.
    pub counts: Counts,
}

impl Solution {
    /// Solves a graph, its loops exactly if `uses_components` says so.
    pub fn of(graph: &Graph, uses_components: bool) -> Self {
        Solver::new(graph, uses_components).solve()
    }

    /// The outcome of the best move of a node for its side to move; `None` without any move.
    pub fn best(&self, graph: &Graph, node: usize) -> Option<Outcome> {
        let leaves = graph.leaves_of(node).map(|(_, value)| Outcome::leaf(value));
        let edges = graph.edges_of(node).map(|(_, target)| self.edge(graph, target));
        leaves.chain(edges).max_by_key(|outcome| outcome.rank())
    }

    /// The outcome of a move into the node `target`.
    fn edge(&self, graph: &Graph, target: u32) -> Outcome {
        let node = target as usize;
        let mut outcome = self.outcomes[node];
        if self.check_loops.has(node) && graph.is_in_check(node) {
            // The check must not be preferred to a way out that is worth as much.
            outcome.depth = PERPETUAL_CHECK;
        }
        outcome
    }

    /// The moves of a node, from black's view, and their outcomes, the best first.
    pub fn outcomes(&self, graph: &Graph, node: usize) -> Vec<(Move16, Outcome)> {
        let edges = graph.edges_of(node);
        let edges = edges.map(|(mv, target)| (mv, self.edge(graph, target)));
        let leaves = graph.leaves_of(node);
        let leaves = leaves.map(|(mv, value)| (mv, Outcome::leaf(value)));
        let mut moves: Vec<(Move16, Outcome)> = edges.chain(leaves).collect();
        moves.sort_by_key(|(_, outcome)| -outcome.rank());
        moves
    }

    /// As [`Solution::outcomes`], with the values that a book gets: a move as good as the best one
    /// but of another depth counts one centipawn less.
    pub fn moves(&self, graph: &Graph, node: usize) -> Vec<(Move16, Outcome)> {
        let mut moves = self.outcomes(graph, node);
        let first = moves.first().map(|(_, outcome)| *outcome);
        for (_, outcome) in &mut moves {
            let is_as_good = |first: &Outcome| first.value == outcome.value;
            if first.filter(is_as_good).is_some_and(|first| first.depth != outcome.depth) {
                outcome.value -= 1;
            }
        }
        moves
    }
}

struct Solver<'a> {
    graph: &'a Graph,
    uses_components: bool,
    parents: Parents,
    settled: Bits,
    loops: CheckLoops,
    outcomes: Vec<Outcome>,
    rounds: u32,
}

impl<'a> Solver<'a> {
    fn new(graph: &'a Graph, uses_components: bool) -> Self {
        let parents = Parents::of(graph);
        let mut outcomes = vec![Outcome::default(); graph.len()];
        let settled = settle(graph, &parents, &mut outcomes);
        Self {
            loops: CheckLoops::find(graph, uses_components),
            graph,
            uses_components,
            parents,
            settled,
            outcomes,
            rounds: 0,
        }
    }

    fn solve(mut self) -> Solution {
        for node in 0..self.graph.len() {
            if self.settled.has(node) {
                continue;
            }
            self.outcomes[node] = if self.loops.nodes.has(node) {
                loops::initial(self.graph.is_in_check(node))
            } else {
                DRAW
            };
        }
        if self.uses_components {
            self.solve_exactly();
        } else {
            self.propagate();
        }
        let is_without_moves = |&node: &usize| {
            self.graph.targets(node).is_empty() && self.graph.leaf_values(node).is_empty()
        };
        let nodes = 0..self.graph.len();
        let without_moves = nodes.clone().filter(is_without_moves).count();
        let settled = nodes.filter(|&node| self.settled.has(node)).count();
        Solution {
            counts: Counts {
                positions: self.graph.len(),
                without_moves,
                edges: self.graph.edges(),
                in_loops: self.graph.len() - settled,
                perpetual_checks: self.loops.in_check,
                large_loops: self.loops.large(),
                rounds: self.rounds,
            },
            outcomes: self.outcomes,
            check_loops: self.loops.nodes,
        }
    }

    /// Repeats passes over the nodes in their order, as `YaneuraOu` does, but looks only at those
    /// with a move whose outcome has changed; the others would stay the same.
    fn propagate(&mut self) {
        let mut dirty = Bits::new(self.graph.len());
        for node in 0..self.graph.len() {
            if self.is_ordinary(node) {
                dirty.insert(node);
            }
        }
        for round in 1..=MAX_ROUNDS {
            self.rounds = round;
            let mut changes = 0_u64;
            let mut from = 0;
            while let Some(node) = dirty.next(from) {
                from = node + 1;
                dirty.remove(node);
                let mut outcome = best(self.graph, &self.outcomes, node).for_parent();
                if outcome.depth > MAX_PLIES {
                    outcome.depth = ENDLESS;
                }
                if outcome != self.outcomes[node] {
                    self.outcomes[node] = outcome;
                    changes += 1;
                    self.mark_parents(node, &mut dirty);
                }
            }
            for node in self.value_loops() {
                self.mark_parents(node, &mut dirty);
            }
            if changes == 0 {
                break;
            }
        }
    }

    /// Finds the exact outcomes of the nodes outside and inside loops of perpetual check in turn,
    /// until both stay the same.
    fn solve_exactly(&mut self) {
        let nodes = (0..self.graph.len()).filter(|&node| self.is_ordinary(node));
        let nodes: Vec<u32> = nodes.map(|node| node as u32).collect();
        let inner = loops::inner_edges(self.graph, &nodes);
        let endless = vec![DRAW.value; nodes.len()];
        for round in 1..=MAX_ROUNDS {
            self.rounds = round;
            let arena = Arena {
                inner: &inner,
                exits: &loops::exits(self.graph, &self.outcomes, &nodes, |target| {
                    !self.is_ordinary(target as usize)
                }),
                endless: &endless,
            };
            let mut is_changed = false;
            for (&node, outcome) in nodes.iter().zip(solve(&arena)) {
                is_changed |= self.outcomes[node as usize] != outcome;
                self.outcomes[node as usize] = outcome;
            }
            is_changed |= !self.value_loops().is_empty();
            if !is_changed {
                break;
            }
        }
    }

    /// Values the loops of perpetual check and returns the nodes that changed.
    fn value_loops(&mut self) -> Vec<usize> {
        let mut changed = Vec::new();
        self.loops.value(self.graph, &mut self.outcomes, |node| changed.push(node));
        changed
    }

    fn mark_parents(&self, node: usize, dirty: &mut Bits) {
        for &parent in self.parents.of_node(node) {
            if self.is_ordinary(parent as usize) {
                dirty.insert(parent as usize);
            }
        }
    }

    /// Whether a node is neither settled nor on a loop of perpetual check.
    fn is_ordinary(&self, node: usize) -> bool {
        !self.settled.has(node) && !self.loops.nodes.has(node)
    }
}

/// The best outcome over the moves of a node.
fn best(graph: &Graph, outcomes: &[Outcome], node: usize) -> Outcome {
    let leaf = graph.leaf_values(node).iter().max();
    let first = leaf.map_or(Outcome::NONE, |&value| Outcome::leaf(value).or(Outcome::NONE));
    let targets = graph.targets(node).iter();
    targets.fold(first, |best, &target| best.or(outcomes[target as usize]))
}

/// Settles nodes and returns which.
///
/// `YaneuraOu` does it by at most 256 passes over the nodes in their order, each settling a node if
/// all its edges lead to settled ones, also to those of the same pass. Here the number of the pass
/// that would settle a node follows from those of its targets, and nodes of later passes stay
/// unsettled as they do there.
fn settle(graph: &Graph, parents: &Parents, outcomes: &mut [Outcome]) -> Bits {
    let nodes = graph.len();
    let mut settled = Bits::new(nodes);
    let targets = |node: usize| graph.targets(node).len() as u16;
    let mut open: Vec<u16> = (0..nodes).map(targets).collect();
    let mut passes = vec![1_u16; nodes];
    let mut queue: VecDeque<u32> = VecDeque::new();
    for first in 0..nodes {
        if !graph.targets(first).is_empty() {
            continue;
        }
        queue.push_back(first as u32);
        while let Some(node) = queue.pop_front() {
            let node = node as usize;
            outcomes[node] = best(graph, outcomes, node).for_parent();
            settled.insert(node);
            for &parent in parents.of_node(node) {
                let parent = parent as usize;
                let pass = passes[node] + u16::from(node > parent);
                passes[parent] = passes[parent].max(pass);
                open[parent] -= 1;
                if open[parent] == 0 && passes[parent] <= MAX_PLIES {
                    queue.push_back(parent as u32);
                }
            }
        }
    }
    settled
}
