//! Minimax of a book that is read entry by entry: a `.ybb`.

use std::path::Path;

use anyhow::Context as _;
use rayon::prelude::*;

use super::graph::{Graph, KeyTable, Lanes, Turned, node_key, turned};
use super::solution::{MAX_VALUE, Solution};
use super::{MinimaxSettings, Summary, table_of};
use crate::book::{BookEntry, BookFault, BookMove, BookReader, BookWriter, FaultLog, Place};
use crate::makebook::{keep_fault, named};
use crate::position::Board;
use crate::runs::Watch;
use crate::types::Move16;

/// Entries that are read at a time, and divided among the threads.
const BATCH: usize = 1 << 14;
/// Entries that a thread takes at a time.
const PART: usize = 1 << 8;
const PASSES: u64 = 3;

pub(super) fn run(
    input: &Path,
    output: &Path,
    settings: &MinimaxSettings,
    watch: &Watch<'_>,
) -> anyhow::Result<Summary> {
    let format = BookReader::open(input)?.format();
    let mut out = BookWriter::create(output, format).with_context(named(output))?;
    let (graph, faults) = {
        let table = read_keys(input, watch)?;
        read_graph(input, &table, watch)?
    };
    let solution = Solution::of(&graph, settings.uses_components);
    let mut node = 0;
    let mut moves = Vec::new();
    for_all_entries(input, 2, watch, &mut FaultLog::default(), |entries| {
        for mut entry in entries {
            solution.moves(&graph, node, settings.keeps_best_only, &mut moves);
            let known = moves.iter().filter_map(|&(mv, outcome)| {
                Some(BookMove {
                    mv: turned(mv, graph.is_white(node))?,
                    ponder: None,
                    value: outcome.value.into(),
                    depth: outcome.depth.into(),
                    count: 0,
                })
            });
            entry.moves.clear();
            entry.moves.extend(known);
            out.write(&entry).with_context(named(output))?;
            node += 1;
        }
        Ok(())
    })?;
    out.finish().with_context(named(output))?;
    Ok(Summary {
        counts: solution.counts,
        faults,
    })
}

/// Calls `work` for all entries of a book in order, several at a time. `pass` is the number of the
/// pass.
fn for_all_entries(
    path: &Path,
    pass: u64,
    watch: &Watch<'_>,
    faults: &mut FaultLog,
    mut work: impl FnMut(Vec<BookEntry>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut reader = BookReader::open(path)?;
    let size = reader.positions().unwrap_or(0);
    let mut done = pass * size;
    loop {
        let mut entries = Vec::with_capacity(BATCH);
        for entry in reader.by_ref().take(BATCH) {
            done += 1;
            match entry {
                Ok(entry) => entries.push(entry),
                Err(fault) => keep_fault(path, fault, faults)?,
            }
        }
        if entries.is_empty() {
            return Ok(());
        }
        work(entries)?;
        watch.advance(done, PASSES * size)?;
    }
}

fn read_keys(path: &Path, watch: &Watch<'_>) -> anyhow::Result<KeyTable> {
    let mut keys: Vec<Lanes> = Vec::new();
    for_all_entries(path, 0, watch, &mut FaultLog::default(), |entries| {
        keys.par_extend(entries.par_iter().map(|entry| {
            let board = board_of(entry);
            node_key(&board)
        }));
        Ok(())
    })?;
    table_of(keys)
}

fn read_graph(
    path: &Path,
    table: &KeyTable,
    watch: &Watch<'_>,
) -> anyhow::Result<(Graph, FaultLog)> {
    let mut graph = Graph::default();
    let mut faults = FaultLog::default();
    let mut illegal = Vec::new();
    let mut first = 0;
    for_all_entries(path, 1, watch, &mut faults, |entries| {
        let parts: Vec<(Graph, Vec<BookFault>)> = entries
            .par_chunks(PART)
            .enumerate()
            .map(|(index, part)| link_part(part, first + index * PART, table))
            .collect();
        first += entries.len();
        for (part, faults) in parts {
            graph.append(part);
            illegal.extend(faults);
        }
        Ok(())
    })?;
    for fault in illegal {
        faults.add(fault);
    }
    Ok((graph, faults))
}

/// Links entries, the first of which has the number `first`.
fn link_part(entries: &[BookEntry], first: usize, table: &KeyTable) -> (Graph, Vec<BookFault>) {
    let mut graph = Graph::default();
    let mut faults = Vec::new();
    for (entry, index) in entries.iter().zip(first as u64..) {
        let node = Turned::new(board_of(entry));
        let limit = i32::from(MAX_VALUE);
        let listed = entry.moves.iter().filter_map(|known| {
            let value = known.value.clamp(-limit, limit) as i16;
            Some((node.turn(known.mv)?, value))
        });
        let listed: Vec<(Move16, i16)> = listed.collect();
        for mv in table.link(&node, &listed, &mut graph) {
            faults.push(BookFault::new(Place::Index(index), node.illegal(mv)));
        }
    }
    (graph, faults)
}

/// The board of an entry. Readers check it, so that the empty board never takes its place.
fn board_of(entry: &BookEntry) -> Board {
    entry.position.unpack_board().unwrap_or(Board::EMPTY)
}
