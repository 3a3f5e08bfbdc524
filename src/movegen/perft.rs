//! Perft: the number of leaves of the tree of legal moves (inferior non-promotions included) at a
//! fixed depth.
//!
//! The last ply is counted set by set without writing moves. Without a table the tree is walked on
//! the bare [`Board`], without keys and history; with one, only below the depth at which the table
//! is probed.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;
use thiserror::Error;

use super::{Counter, generate_legal, legal_moves};
use crate::position::{Board, KingThreats, Position};
use crate::types::{Key, Move, MoveList};
use crate::util::system::thread_pool;
use crate::util::{BYTES_PER_MEGABYTE, counted, fits_into_memory};

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
/// The system refuses memory or threads, or `stop` was raised.
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
    let pool = thread_pool(threads)
        .map_err(|error| PerftError::Threads { threads, reason: error.to_string() })?;
    let counting = Counting::<LANES> { table: table.as_ref(), stop };
    let key = position.board().key();
    let counts = pool.install(|| counting.divide(position, key, options.depth, SPLIT_PLIES));
    if stop.load(Ordering::Relaxed) { Err(PerftError::Stopped) } else { Ok(counts) }
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
        let last_plies = if table.is_some() { TABLE_MIN_DEPTH } else { STOP_CHECK_DEPTH };
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

const DEPTH_BITS: u32 = 8;
/// Largest count that is stored.
const MAX_LEAVES: u64 = u64::MAX >> DEPTH_BITS;

/// Leaf counts by position and depth. The depth is part of what must match, because one position
/// has a count for each depth. The table never exceeds the requested size, to the byte, so that a
/// size near the free memory cannot exhaust it.
///
/// Slots of `LANES` + 1 words: the lanes of the key, each xored with the data, and the data. A slot
/// that two threads wrote at the same time fails the comparison of the key.
struct Table<const LANES: usize> {
    words: Box<[AtomicU64]>,
}

impl<const LANES: usize> Table<LANES> {
    const SLOT_WORDS: usize = LANES + 1;
    const PAIR_WORDS: usize = 2 * Self::SLOT_WORDS;

    /// A table of at most `mb` · 2^20 bytes; `None` where there is not enough memory.
    fn new(mb: usize) -> Option<Self> {
        if !fits_into_memory(mb) {
            return None;
        }
        let pairs =
            mb.checked_mul(BYTES_PER_MEGABYTE)? / (Self::PAIR_WORDS * size_of::<AtomicU64>());
        let words = bytemuck::allocation::try_zeroed_slice_box(pairs * Self::PAIR_WORDS).ok()?;
        Some(Self { words })
    }

    fn probe(&self, key: Key<LANES>, depth: u32) -> Option<u64> {
        self.pair(key, depth).chunks_exact(Self::SLOT_WORDS).find_map(|slot| {
            let data = slot[LANES].load(Ordering::Relaxed);
            let lanes = key.lanes();
            let is_hit = data >> (u64::BITS - DEPTH_BITS) == u64::from(depth)
                && (0..LANES).all(|lane| slot[lane].load(Ordering::Relaxed) ^ data == lanes[lane]);
            is_hit.then_some(data & MAX_LEAVES)
        })
    }

    /// Keeps the deeper count in the first slot of the pair and the newer one in the second.
    fn store(&self, key: Key<LANES>, depth: u32, leaves: u64) {
        if leaves > MAX_LEAVES || depth >= 1 << DEPTH_BITS {
            return;
        }
        let pair = self.pair(key, depth);
        let first_depth = pair[LANES].load(Ordering::Relaxed) >> (u64::BITS - DEPTH_BITS);
        let start = if u64::from(depth) >= first_depth { 0 } else { Self::SLOT_WORDS };
        let slot = &pair[start..start + Self::SLOT_WORDS];
        let data = u64::from(depth) << (u64::BITS - DEPTH_BITS) | leaves;
        for (word, lane) in slot.iter().zip(key.lanes()) {
            word.store(lane ^ data, Ordering::Relaxed);
        }
        slot[LANES].store(data, Ordering::Relaxed);
    }

    fn pair(&self, key: Key<LANES>, depth: u32) -> &[AtomicU64] {
        // Mixes in the depth; the upper bits select the pair.
        let mixed = (key.low64() ^ u64::from(depth)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let pairs = (self.words.len() / Self::PAIR_WORDS) as u128;
        let start = ((u128::from(mixed) * pairs) >> 64) as usize * Self::PAIR_WORDS;
        &self.words[start..start + Self::PAIR_WORDS]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total<const LANES: usize>(depth: u32, threads: usize, hash_mb: usize) -> u64 {
        let options = PerftOptions { depth, threads, hash_mb };
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
        let options = PerftOptions { depth: 5, threads: 1, hash_mb: 0 };
        let result = divide::<1>(&Position::startpos(), &options, &AtomicBool::new(true));
        assert_eq!(result, Err(PerftError::Stopped));
    }

    #[test]
    fn depth_is_part_of_the_key() {
        let table = Table::<2>::new(1).unwrap();
        let key = Position::startpos().board().key();
        table.store(key, 3, 25_470);
        assert_eq!(table.probe(key, 3), Some(25_470));
        assert_eq!(table.probe(key, 2), None);
        assert_eq!(table.probe(key.flipped(), 3), None);
    }

    #[test]
    fn size_never_exceeds_what_was_asked() {
        for mb in [1, 3, 7] {
            let table = Table::<4>::new(mb).unwrap();
            let bytes = size_of_val(&*table.words);
            assert!(bytes <= mb * BYTES_PER_MEGABYTE && bytes > (mb - 1) * BYTES_PER_MEGABYTE);
        }
        assert!(Table::<1>::new(usize::MAX).is_none());
    }
}
