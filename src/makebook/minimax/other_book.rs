//! Minimax of a book that is read entry by entry: a `.ybb`.

use std::path::Path;

use rayon::prelude::*;

use super::graph::{Graph, KeyTable, Lanes, Linker, Turned, node_key, turned};
use super::solution::{MAX_VALUE, Solution};
use super::{MinimaxSettings, Rules, Summary};
use crate::book::{BookEntry, BookFault, BookMove, BookReader, BookWriter, FaultLog, Place};
use crate::makebook::MakeError;
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
) -> Result<Summary, MakeError> {
    let format = BookReader::open(input)?.format();
    let mut out = BookWriter::create(output, format).map_err(MakeError::output(output))?;
    let (graph, faults) = {
        let table = KeyTable::new(read_keys(input, settings.rules, watch)?);
        read_graph(input, &table, settings.rules, watch)?
    };
    let solution = Solution::of(&graph, settings.rules);
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
            out.write(&entry).map_err(MakeError::write(output))?;
            node += 1;
        }
        Ok(())
    })?;
    out.finish().map_err(MakeError::io(output))?;
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
    mut work: impl FnMut(Vec<BookEntry>) -> Result<(), MakeError>,
) -> Result<(), MakeError> {
    let mut reader = BookReader::open(path)?;
    let size = reader.positions().unwrap_or(0);
    let mut done = pass * size;
    loop {
        let mut entries = Vec::with_capacity(BATCH);
        for entry in reader.by_ref().take(BATCH) {
            done += 1;
            match entry {
                Ok(entry) => entries.push(entry),
                Err(fault) => MakeError::log(path, fault, faults)?,
            }
        }
        if entries.is_empty() {
            return Ok(());
        }
        work(entries)?;
        watch.advance(done, PASSES * size)?;
    }
}

fn read_keys(path: &Path, rules: Rules, watch: &Watch<'_>) -> Result<Vec<Lanes>, MakeError> {
    let mut keys: Vec<Lanes> = Vec::new();
    for_all_entries(path, 0, watch, &mut FaultLog::default(), |entries| {
        keys.par_extend(entries.par_iter().map(|entry| {
            let board = board_of(entry);
            node_key(&board, rules.separates_colors)
        }));
        Ok(())
    })?;
    if keys.len() >= (u32::MAX / 2) as usize {
        return Err(MakeError::TooLarge);
    }
    Ok(keys)
}

fn read_graph(
    path: &Path,
    table: &KeyTable,
    rules: Rules,
    watch: &Watch<'_>,
) -> Result<(Graph, FaultLog), MakeError> {
    let linker = Linker {
        table,
        separates_colors: rules.separates_colors,
    };
    let mut graph = Graph::default();
    let mut faults = FaultLog::default();
    let mut illegal = Vec::new();
    let mut first = 0;
    for_all_entries(path, 1, watch, &mut faults, |entries| {
        let parts: Vec<(Graph, Vec<BookFault>)> = entries
            .par_chunks(PART)
            .enumerate()
            .map(|(index, part)| link_part(part, first + index * PART, &linker))
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
fn link_part(entries: &[BookEntry], first: usize, linker: &Linker<'_>) -> (Graph, Vec<BookFault>) {
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
        for mv in linker.add(&node, &listed, &mut graph) {
            faults.push(BookFault::new(Place::Index(index), node.illegal(mv)));
        }
    }
    (graph, faults)
}

/// The board of an entry. Readers check it, so that the empty board never takes its place.
fn board_of(entry: &BookEntry) -> Board {
    entry.position.unpack_board().unwrap_or(Board::EMPTY)
}
