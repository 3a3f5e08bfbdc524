//! Perft: the number of leaves of the tree of legal moves (senseless non-promotions included) at a
//! fixed depth.
//!
//! The last ply is counted set by set without writing moves. Without a table the tree is walked on
//! the bare [`Board`], without keys and history; with one, only below the depth at which the table
//! is probed.

mod table;

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use thiserror::Error;

use super::sink::Counter;
use super::{generate_legal, legal_moves};
use crate::position::{Board, KingThreats, Position};
use crate::types::{Key, Move, MoveList};
use crate::util::counted;
use crate::util::system::thread_pool;

use table::Table;

/// Options of a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PerftOptions {
    /// Plies to the leaves.
    pub depth: u32,
    /// Threads to count with, at least 1.
    pub threads: usize,
    /// Size of the table in MB (2^20 bytes), never exceeded; 0 for no table.
    pub hash_mb: usize,
}

/// Errors of a count.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PerftError {
    /// The table does not fit into memory.
    #[error("no memory for a perft table of {mb} MB, expected at most what the system has free")]
    OutOfMemory {
        /// What was asked for.
        mb: usize,
    },
    /// The threads could not be started.
    #[error("{} could not be started: {reason}", counted(*threads, "thread"))]
    Threads {
        /// What was asked for.
        threads: usize,
        /// What the system said.
        reason: String,
    },
    /// The caller's stop flag was raised.
    #[error("stopped before all leaves were counted")]
    Stopped,
}

/// The number of legal move sequences of `depth` plies, on one thread without a table; 1 at depth
/// 0.
pub fn perft(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let threats = position.king_threats(position.side_to_move());
    walk(&mut position.board().clone(), threats, depth)
}

/// The leaves below each legal move; empty at depth 0. The keys of the table have `LANES` · 64
/// bits.
///
/// # Errors
/// Memory or threads cannot be had, or `stop` was raised.
pub fn divide<const LANES: usize>(
    position: &Position,
    options: &PerftOptions,
    stop: &AtomicBool,
) -> Result<Vec<(Move, u64)>, PerftError> {
    if options.depth == 0 {
        return Ok(Vec::new());
    }
    let table = match options.hash_mb {
        0 => None,
        mb => Some(Table::new(mb).ok_or(PerftError::OutOfMemory { mb })?),
    };
    let threads = options.threads.max(1);
    let pool = thread_pool(threads).map_err(|error| PerftError::Threads {
        threads,
        reason: error.to_string(),
    })?;
    let counting = Counting::<LANES> {
        table: table.as_ref(),
        stop,
    };
    let key = position.board().key();
    let counts = pool.install(|| counting.divide(position, key, options.depth, SPLIT_PLIES));
    if stop.load(Ordering::Relaxed) {
        Err(PerftError::Stopped)
    } else {
        Ok(counts)
    }
}

/// Plies whose moves are distributed over the threads: two, so that no thread gets a large rest.
const SPLIT_PLIES: u32 = 2;

/// Least depth at which the table is probed: smaller subtrees are counted faster.
const TABLE_MIN_DEPTH: u32 = 2;

/// Least depth at which the stop flag is read: smaller subtrees take milliseconds.
const STOP_CHECK_DEPTH: u32 = 3;

struct Counting<'a, const LANES: usize> {
    table: Option<&'a Table<LANES>>,
    stop: &'a AtomicBool,
}

impl<const LANES: usize> Counting<'_, LANES> {
    /// `key` is the key of `position`.
    fn divide(
        &self,
        position: &Position,
        key: Key<LANES>,
        depth: u32,
        splits: u32,
    ) -> Vec<(Move, u64)> {
        legal_moves(position)
            .par_iter()
            .map(|&mv| {
                let key = position.board().key_after(key, mv);
                let mut position = position.clone();
                position.do_move(mv);
                let leaves = if splits > 1 && depth > splits {
                    let counts = self.divide(&position, key, depth - 1, splits - 1);
                    counts.into_iter().map(|(_, leaves)| leaves).sum()
                } else {
                    self.count(&mut position, key, depth - 1)
                };
                (mv, leaves)
            })
            .collect()
    }

    /// `key` is the key of `position`.
    fn count(&self, position: &mut Position, key: Key<LANES>, depth: u32) -> u64 {
        debug_assert_eq!(key.low64(), position.key().low64());
        if self.stop.load(Ordering::Relaxed) {
            return 0;
        }
        let table = self.table.filter(|_| depth >= TABLE_MIN_DEPTH);
        if let Some(leaves) = table.and_then(|table| table.probe(key, depth)) {
            return leaves;
        }
        let last_plies = if table.is_some() {
            TABLE_MIN_DEPTH
        } else {
            STOP_CHECK_DEPTH
        };
        let leaves = if depth <= last_plies {
            perft(position, depth)
        } else {
            let mut leaves = 0;
            for &mv in &legal_moves(position) {
                let key = position.board().key_after(key, mv);
                position.do_move(mv);
                leaves += self.count(position, key, depth - 1);
                position.undo_move();
            }
            leaves
        };
        // A count that was cut short must not be found again.
        if let Some(table) = table.filter(|_| !self.stop.load(Ordering::Relaxed)) {
            table.store(key, depth, leaves);
        }
        leaves
    }
}

fn walk(board: &mut Board, threats: &KingThreats, depth: u32) -> u64 {
    if depth == 1 {
        let mut counter = Counter::default();
        generate_legal::<_, true>(board, threats, &mut counter);
        return counter.0 as u64;
    }
    let mut moves = MoveList::new();
    generate_legal::<_, true>(board, threats, &mut moves);
    let mut leaves = 0;
    for &mv in &moves {
        let captured = board.apply(mv);
        let threats = board.king_threats_after(mv);
        leaves += walk(board, &threats, depth - 1);
        board.revert(mv, captured);
    }
    leaves
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total<const LANES: usize>(depth: u32, threads: usize, hash_mb: usize) -> u64 {
        let options = PerftOptions {
            depth,
            threads,
            hash_mb,
        };
        let counts = divide::<LANES>(&Position::startpos(), &options, &AtomicBool::new(false));
        counts.unwrap().into_iter().map(|(_, leaves)| leaves).sum()
    }

    #[test]
    fn threads_tables_and_widths_do_not_change_the_count() {
        assert_eq!(total::<1>(4, 2, 0), 719_731);
        assert_eq!(total::<1>(4, 1, 1), 719_731);
        assert_eq!(total::<2>(5, 2, 2), 19_861_490);
        assert_eq!(total::<4>(4, 2, 1), 719_731);
    }

    #[test]
    fn a_raised_flag_stops_the_count() {
        let options = PerftOptions {
            depth: 5,
            threads: 1,
            hash_mb: 0,
        };
        let result = divide::<1>(&Position::startpos(), &options, &AtomicBool::new(true));
        assert_eq!(result, Err(PerftError::Stopped));
    }
}
