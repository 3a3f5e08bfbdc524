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
mod other_book;
mod solution;
mod text_book;

use std::path::Path;

use anyhow::{Context as _, bail, ensure};

use crate::book::{BookFormat, BookReader, FaultLog};
use crate::runs::Watch;

use graph::{KeyTable, Lanes};

pub use graph::Graph;
pub use solution::{Outcome, Solution};

/// The settings of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MinimaxSettings {
    /// Whether loops are solved exactly, component by component, instead of by passes over the
    /// nodes and by walking over all paths, as `YaneuraOu` does; the results differ.
    pub uses_components: bool,
    /// Whether to write only the moves that are worth as much as the best one (`shrink`).
    pub keeps_best_only: bool,
    /// Number of threads, at least 1.
    pub threads: usize,
}

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
/// same format and order. `watch` gets bytes or positions, of three passes over the book.
///
/// # Errors
/// A file cannot be read or written, is of another format or not valid, threads cannot be started,
/// or the end is requested. Nothing is left of an incomplete output.
pub fn run(
    input: &Path,
    output: &Path,
    settings: &MinimaxSettings,
    watch: &Watch<'_>,
) -> anyhow::Result<Summary> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(settings.threads);
    let pool = pool.build().context("threads cannot be started")?;
    let format = BookReader::open(input)?.format();
    let wanted = BookFormat::of_path(output).unwrap_or(format);
    ensure!(
        wanted == format,
        "{}: the book is written as it is read, expected the ending {format}",
        output.display()
    );
    pool.install(|| match format {
        BookFormat::Db => text_book::run(input, output, settings, watch),
        BookFormat::Ybb => other_book::run(input, output, settings, watch),
        BookFormat::Bin | BookFormat::Sbk => bail!(
            "{}: has the format {format}, expected .db or .ybb: convert it first",
            input.display()
        ),
    })
}

/// The table of the nodes with these keys.
///
/// # Errors
/// They are too many for the numbers of nodes.
fn table_of(keys: Vec<Lanes>) -> anyhow::Result<KeyTable> {
    const MOST: usize = (u32::MAX / 2) as usize;
    ensure!(keys.len() < MOST, "the book has more than {MOST} positions");
    Ok(KeyTable::new(keys))
}

#[cfg(test)]
mod tests;
