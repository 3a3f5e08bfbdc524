//! Minimax of a `.db` book. The text is read three times: for the keys, for the moves, and to be
//! written back as it stands.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use anyhow::Context as _;
use rayon::prelude::*;

use super::graph::{Graph, KeyTable, Lanes, Turned, node_key, turned};
use super::solution::{MAX_VALUE, Solution};
use super::{MinimaxSettings, Summary, table_of};
use crate::book::{Blocks, BookFault, FaultLog, Line, Place, Problem, parse_move, split_line};
use crate::makebook::named;
use crate::position::Board;
use crate::runs::{OutputFile, Watch};
use crate::types::Move16;

/// Blocks of text that each thread gets at a time, so that none waits long for another.
const BLOCKS_PER_THREAD: usize = 16;
const PASSES: u64 = 3;

pub(super) fn run(
    input: &Path,
    output: &Path,
    settings: &MinimaxSettings,
    watch: &Watch<'_>,
) -> anyhow::Result<Summary> {
    // Created first: what cannot be written is better known before the work.
    let mut out = OutputFile::create(output).with_context(named(output))?;
    let (graph, parts, faults) = {
        let table = read_keys(input, watch)?;
        read_graph(input, &table, watch)?
    };
    let solution = Solution::of(&graph, settings.uses_components);
    let nodes = graph.len();
    write!(out, "#YANEURAOU-DB2016 1.00\r\n# NOE:{nodes}\r\n").with_context(named(output))?;
    let mut parts = parts.iter();
    for_all_blocks(input, 2, watch, |blocks| {
        let blocks: Vec<(&Vec<u8>, &Part)> = blocks.iter().zip(parts.by_ref()).collect();
        let texts: Vec<Vec<u8>> = blocks
            .par_iter()
            .map(|(block, part)| text_of(block, part, &graph, &solution, settings))
            .collect();
        let mut texts = texts.iter();
        texts
            .try_for_each(|text| out.write_all(text))
            .with_context(named(output))
    })?;
    out.finish().with_context(named(output))?;
    Ok(Summary {
        counts: solution.counts,
        faults,
    })
}

/// Calls `work` for all blocks of a book in order, several at a time. `pass` is the number of the
/// pass.
fn for_all_blocks(
    path: &Path,
    pass: u64,
    watch: &Watch<'_>,
    mut work: impl FnMut(&[Vec<u8>]) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let file = File::open(path).with_context(named(path))?;
    let size = file.metadata().with_context(named(path))?.len();
    let mut blocks = Blocks::new(file);
    let count = rayon::current_num_threads() * BLOCKS_PER_THREAD;
    let mut done = pass * size;
    loop {
        let some: Vec<Vec<u8>> = blocks
            .by_ref()
            .take(count)
            .collect::<io::Result<_>>()
            .with_context(named(path))?;
        if some.is_empty() {
            return Ok(());
        }
        work(&some)?;
        done += some.iter().map(|block| block.len() as u64).sum::<u64>();
        watch.advance(done, PASSES * size)?;
    }
}

/// The lines of a block with their numbers, from 1.
fn lines(mut text: &[u8]) -> impl Iterator<Item = (u64, Line<'_>)> {
    (1..).map_while(move |number| {
        if text.is_empty() {
            return None;
        }
        let (line, rest) = split_line(text);
        text = rest;
        Some((number, Line::of(line)))
    })
}

/// The keys of all good positions.
fn read_keys(path: &Path, watch: &Watch<'_>) -> anyhow::Result<KeyTable> {
    let mut keys: Vec<Lanes> = Vec::new();
    for_all_blocks(path, 0, watch, |blocks| {
        let of_block = |block: &Vec<u8>| {
            let positions = lines(block).filter_map(|(_, line)| match line {
                Line::Position(text) => read_board(text).ok(),
                Line::Move(_) | Line::Nothing => None,
            });
            let keys = positions.map(|board| node_key(&board));
            keys.collect::<Vec<_>>()
        };
        let found: Vec<Vec<Lanes>> = blocks.par_iter().map(of_block).collect();
        keys.extend(found.into_iter().flatten());
        Ok(())
    })?;
    table_of(keys)
}

/// Where a block stands in the graph.
struct Part {
    first_node: usize,
    /// Positions of the block that are left out, by their number in it.
    bad: Vec<u32>,
}

fn read_graph(
    path: &Path,
    table: &KeyTable,
    watch: &Watch<'_>,
) -> anyhow::Result<(Graph, Vec<Part>, FaultLog)> {
    let mut graph = Graph::default();
    let mut parts = Vec::new();
    let mut faults = FaultLog::default();
    let mut passed = 0;
    for_all_blocks(path, 1, watch, |blocks| {
        let read: Vec<Linked> = blocks
            .par_iter()
            .map(|block| Linked::of(block, table))
            .collect();
        for part in read {
            parts.push(Part {
                first_node: graph.len(),
                bad: part.bad,
            });
            graph.append(part.graph);
            for (line, problem) in part.faults {
                faults.add(BookFault::new(Place::Line(passed + line), problem));
            }
            passed += part.lines;
        }
        Ok(())
    })?;
    Ok((graph, parts, faults))
}

/// The positions of a block.
#[derive(Default)]
struct Linked {
    graph: Graph,
    bad: Vec<u32>,
    /// What is left out, by line.
    faults: Vec<(u64, Problem)>,
    /// Number of lines.
    lines: u64,
}

/// A position and its moves while they are being read.
struct Open {
    node: Turned,
    /// From black's view.
    listed: Vec<(Move16, i16)>,
    /// The line of each of these moves.
    lines: Vec<u64>,
}

impl Linked {
    fn of(block: &[u8], table: &KeyTable) -> Self {
        let mut found = Self::default();
        let mut open: Option<Open> = None;
        let mut positions = 0;
        for (number, line) in lines(block) {
            found.lines = number;
            match line {
                Line::Nothing => {}
                Line::Position(text) => {
                    found.close(open.take(), table);
                    match read_board(text) {
                        Ok(board) => open = Some(Open::new(board)),
                        Err(problem) => {
                            found.bad.push(positions);
                            found.faults.push((number, problem));
                        }
                    }
                    positions += 1;
                }
                Line::Move(text) => match &mut open {
                    Some(open) => found.faults.extend(open.add(text, number)),
                    None if positions == 0 => found.faults.push((number, Problem::MoveOutside)),
                    // The fault of the position has been reported.
                    None => {}
                },
            }
        }
        found.close(open, table);
        found
    }

    fn close(&mut self, open: Option<Open>, table: &KeyTable) {
        let Some(open) = open else { return };
        for mv in table.link(&open.node, &open.listed, &mut self.graph) {
            let index = open.listed.iter().position(|&(other, _)| other == mv);
            let line = index.map_or(0, |index| open.lines[index]);
            self.faults.push((line, open.node.illegal(mv)));
        }
    }
}

impl Open {
    fn new(board: Board) -> Self {
        Self {
            node: Turned::new(board),
            listed: Vec::new(),
            lines: Vec::new(),
        }
    }

    /// Reads a move, or returns what is wrong with it.
    fn add(&mut self, text: &[u8], line: u64) -> Option<(u64, Problem)> {
        match parse_move(text) {
            Ok(known) => {
                let limit = i32::from(MAX_VALUE);
                let value = known.value.clamp(-limit, limit) as i16;
                if let Some(mv) = self.node.turn(known.mv) {
                    self.listed.push((mv, value));
                    self.lines.push(line);
                }
                None
            }
            Err(problem) => Some((line, problem)),
        }
    }
}

fn read_board(text: &[u8]) -> Result<Board, Problem> {
    let (board, _) = Board::from_sfen(&String::from_utf8_lossy(text))?;
    board.validate()?;
    Ok(board)
}

/// The block with the values carried back.
fn text_of(
    block: &[u8],
    part: &Part,
    graph: &Graph,
    solution: &Solution,
    settings: &MinimaxSettings,
) -> Vec<u8> {
    let mut out = Vec::with_capacity(block.len());
    let mut node = part.first_node;
    let mut bad = part.bad.iter().peekable();
    let mut moves = Vec::new();
    let positions = lines(block).filter_map(|(_, line)| match line {
        Line::Position(text) => Some(text),
        Line::Move(_) | Line::Nothing => None,
    });
    for (text, number) in positions.zip(0..) {
        if bad.next_if(|&&bad| bad == number).is_some() {
            continue;
        }
        out.extend(b"sfen ");
        out.extend(text);
        out.extend(b"\r\n");
        solution.moves(graph, node, settings.keeps_best_only, &mut moves);
        for &(mv, outcome) in &moves {
            let Some(mv) = turned(mv, graph.is_white(node)) else {
                continue;
            };
            // A vector takes everything.
            let _ = write!(out, "{mv} none {} {}\r\n", outcome.value, outcome.depth);
        }
        node += 1;
    }
    out
}
