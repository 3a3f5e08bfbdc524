//! A search on the calling thread, without events and clocks. Made for teacher data, where each
//! thread plays its own games with millions of searches of about a thousand nodes.
//!
//! Training positions that a search knows besides its root are the inner nodes of the finished
//! search and their values, read from its table (Veness, Silver, Uther and Blair, "Bootstrapping
//! from Game Tree Search", 2009). The table is walked along legal moves from the root, so every
//! node was reached by play, and the search itself does nothing for it.

use std::{collections::HashSet, sync::Arc};

use super::limits::{Limits, Settings};
use super::signals::{Signals, Statistics};
use super::thread::{MEGABYTES_PER_THREAD, MEGABYTES_SHARED, Task};
use super::{history::HistoryPool, root::root_moves, time::TimeManager, worker::Worker};
use crate::transposition::{Entry, TableError, TranspositionTable};
use crate::types::value::{self, MAX_PLY, is_decisive};
use crate::types::{Bound, Depth, Key64, Move, Value};
use crate::{movegen::legal_moves, position::Position};

/// Stack size in bytes of a thread that calls [`Solo::search`]: the recursion needs more than the
/// default.
pub const SOLO_STACK_BYTES: usize = 32 << 20;

/// Searches on the calling thread, with a table and histories of its own. Cannot be sent to another
/// thread.
///
/// Equal calls after [`Solo::new_game`] give equal moves, values and node counts, unless [`Limits`]
/// contain a time.
///
/// ```
/// use std::{sync::Arc, thread};
///
/// use raicho::position::Position;
/// use raicho::search::{Limits, SOLO_STACK_BYTES, Settings, Solo};
///
/// // Black mates in three plies.
/// let position = Position::from_sfen("4k4/p8/4P4/9/9/9/9/9/4K4 b G 1")?;
/// let searching = thread::Builder::new().stack_size(SOLO_STACK_BYTES).spawn(move || {
///     let settings = Settings { hash_mb: 1, ..Settings::default() };
///     let limits = Limits { depth: Some(3), ..Limits::default() };
///     let mut solo = Solo::new(settings).expect("a megabyte is free");
///     solo.search(&position, &Arc::new(limits)).lines[0].mv.to_string()
/// })?;
/// assert_eq!(searching.join().expect("a search does not panic"), "G*5b");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Solo {
    worker: Worker,
    table: Arc<TranspositionTable>,
    signals: Arc<Signals>,
    settings: Arc<Settings>,
}

/// One of the best lines of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SoloLine {
    /// First move of the line.
    pub mv: Move,
    /// The expected answer to it, if the line goes on.
    pub reply: Option<Move>,
    /// Value for the side to move, in the internal unit (a pawn is 90).
    pub value: Value,
    /// Whether the value is exact; a bound only where the search was cut short.
    pub bound: Bound,
    /// Depth at which the line was found, in plies.
    pub depth: Depth,
}

/// The result of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SoloResult {
    /// The best lines, at most [`Settings::multi_pv`], the best first. Empty only if there is no
    /// legal move.
    pub lines: Vec<SoloLine>,
    /// Counters of this search.
    pub statistics: Statistics,
}

/// What a search found out about an inner node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TreeNode {
    /// The best move, or the one that failed high; often `None` where all moves failed low.
    pub mv: Option<Move>,
    /// Value for the side to move, in the internal unit (a pawn is 90); never a mate.
    pub value: Value,
    /// Whether the value is exact or a bound.
    pub bound: Bound,
    /// Depth of the search below the node, in plies.
    pub depth: Depth,
}

impl Solo {
    /// A searcher with a table of [`Settings::hash_mb`] MB; [`Settings::threads`] is ignored.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory for the table and the histories.
    pub fn new(settings: Settings) -> Result<Self, TableError> {
        let megabytes = settings.hash_mb + MEGABYTES_PER_THREAD + MEGABYTES_SHARED;
        Ok(Self {
            table: Arc::new(TranspositionTable::new(settings.hash_mb)?),
            worker: Worker::new(&HistoryPool::default()).map_err(|_| TableError { megabytes })?,
            signals: Arc::new(Signals::of_search(1, false)),
            settings: Arc::new(settings),
        })
    }

    /// Clears the table and all histories.
    pub fn new_game(&mut self) {
        self.table.clear();
        self.worker.clear();
        self.worker.histories.shared().clear();
    }

    /// Changes the number of lines to find, at least 1, and keeps everything else.
    pub fn set_multi_pv(&mut self, lines: usize) {
        if self.settings.multi_pv != lines {
            Arc::make_mut(&mut self.settings).multi_pv = lines;
        }
    }

    /// Searches until a limit is reached. A possible declaration at the root is ignored.
    pub fn search(&mut self, position: &Position, limits: &Arc<Limits>) -> SoloResult {
        let mut result = self.search_once(position, limits);
        if result.lines.is_empty() {
            // Either the node limit ended the search before any move had a value, or there is no
            // move.
            let one_ply = Limits { depth: Some(1), ..Limits::default() };
            result = self.search_once(position, &Arc::new(one_ply));
        }
        result
    }

    /// Visits the inner nodes of the last search, which began at `root`, that are known to at least
    /// `min_depth` plies: each once, in an order that depends on the table only. The root, mates
    /// and positions in check are left out. With [`Generations::Strict`] no earlier search
    /// contributes.
    ///
    /// [`Generations::Strict`]: crate::transposition::Generations::Strict
    pub fn visit_tree(
        &self,
        root: &Position,
        min_depth: Depth,
        visit: &mut dyn FnMut(&Position, TreeNode),
    ) {
        let mut walk = Walk {
            table: &self.table,
            min_depth,
            position: root.clone(),
            seen: HashSet::from([root.key()]),
            visit,
        };
        walk.expand(0);
    }

    fn search_once(&mut self, position: &Position, limits: &Arc<Limits>) -> SoloResult {
        self.table.new_search(self.settings.generations);
        let moves = root_moves(position, limits, &self.settings);
        let task = Task {
            thread: 0,
            position: position.clone(),
            limits: Arc::clone(limits),
            settings: Arc::clone(&self.settings),
            table: Arc::clone(&self.table),
            signals: Arc::clone(&self.signals),
            #[cfg(test)]
            collisions: None,
        };
        let worker = &mut self.worker;
        worker.begin(task, moves);
        if !worker.root_moves.is_empty() {
            // Without clocks it only checks the node limit.
            worker.time = Some(TimeManager::new(
                limits,
                &self.settings,
                position.side_to_move(),
                position.game_ply(),
                worker.root_moves.len() == 1,
            ));
            worker.iterative_deepening();
        }
        let lines = worker.root_moves.iter().filter(|line| line.is_searched());
        SoloResult {
            lines: lines
                .take(self.settings.multi_pv.max(1))
                .map(|line| SoloLine {
                    mv: line.mv,
                    reply: line.pv.get(1).copied(),
                    value: line.value,
                    bound: line.bound,
                    depth: line.depth,
                })
                .collect(),
            statistics: worker.statistics,
        }
    }
}

/// The walk of [`Solo::visit_tree`].
struct Walk<'a> {
    table: &'a TranspositionTable,
    min_depth: Depth,
    position: Position,
    /// Keys of the nodes that were visited.
    seen: HashSet<Key64>,
    visit: &'a mut dyn FnMut(&Position, TreeNode),
}

impl Walk<'_> {
    /// Visits what lies below the current position, which is `ply` plies below the root.
    fn expand(&mut self, ply: usize) {
        for mv in legal_moves(&self.position) {
            let key = self.position.key_after(mv);
            let Some(entry) = self.table.probe(key).entry else {
                continue;
            };
            let is_known = entry.depth >= self.min_depth && entry.value != value::NONE;
            if !is_known || !self.seen.insert(key) {
                continue;
            }
            self.position.do_move(mv);
            self.enter(entry, ply + 1);
            self.position.undo_move();
        }
    }

    /// Visits the current position and what lies below it. It is expanded only if its own depth
    /// exceeds the minimum, because its children are usually less deep.
    fn enter(&mut self, entry: Entry, ply: usize) {
        let mv = entry.mv.and_then(|mv| self.position.legal_move(mv));
        if mv.is_none() && entry.mv.is_some() {
            return; // An entry of another position.
        }
        if !is_decisive(entry.value) && !self.position.in_check() {
            let node = TreeNode { mv, value: entry.value, bound: entry.bound, depth: entry.depth };
            (self.visit)(&self.position, node);
        }
        if entry.depth > self.min_depth && ply < MAX_PLY {
            self.expand(ply);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::transposition::Generations;

    use super::*;

    fn solo() -> Solo {
        let settings =
            Settings { hash_mb: 1, generations: Generations::Strict, ..Settings::default() };
        Solo::new(settings).expect("one MB is available")
    }

    fn limits(soft_nodes: u64, nodes: u64) -> Arc<Limits> {
        Arc::new(Limits { soft_nodes: Some(soft_nodes), nodes: Some(nodes), ..Limits::default() })
    }

    #[test]
    fn a_new_game_repeats_everything() {
        let position = Position::startpos();
        let mut solo = solo();
        let limits = limits(1000, 8000);
        let first = solo.search(&position, &limits);
        let second = solo.search(&position, &limits);
        assert_ne!(first.statistics, second.statistics, "the histories count");
        solo.new_game();
        assert_eq!(solo.search(&position, &limits), first);
    }

    #[test]
    fn the_soft_limit_ends_after_an_iteration_and_the_hard_one_within() {
        let position = Position::startpos();
        let mut solo = solo();
        let soft = solo.search(&position, &limits(1000, u64::MAX));
        assert!(soft.statistics.nodes >= 1000);
        assert_eq!(soft.lines[0].bound, Bound::Exact);
        let depth = soft.lines[0].depth;
        solo.new_game();
        let hard = solo.search(&position, &limits(u64::MAX, soft.statistics.nodes + 100));
        assert!(hard.statistics.nodes <= soft.statistics.nodes + 101);
        assert!(hard.lines[0].depth >= depth);
    }

    #[test]
    fn there_is_always_a_move_where_one_is_legal() {
        let mated = "4k4/4G4/4G4/9/9/9/9/9/4K4 w - 1";
        let position = Position::from_sfen(mated).expect("a good position");
        assert_eq!(solo().search(&position, &limits(1, 1)).lines, []);
        let position: Position = Position::startpos();
        let result = solo().search(&position, &limits(1, 1));
        assert!(legal_moves(&position).contains(&result.lines[0].mv));
    }

    #[test]
    fn the_tree_of_a_search_is_visited_once_and_again_the_same() {
        let root = Position::startpos();
        let mut solo = solo();
        let depth = solo.search(&root, &limits(2000, 16_000)).lines[0].depth;
        let nodes = |min_depth| {
            let mut nodes = Vec::new();
            solo.visit_tree(&root, min_depth, &mut |position, node| {
                assert!(node.depth >= min_depth && !position.in_check());
                assert!(node.mv.is_none_or(|mv| legal_moves(position).contains(&mv)));
                nodes.push((position.to_sfen(), node));
            });
            nodes
        };
        let found = nodes(3);
        assert!(found.len() > 20 && found.len() < 2000, "{}", found.len());
        assert_eq!(found, nodes(3));
        let deeper = nodes(depth - 2);
        assert!(!deeper.is_empty() && deeper.len() < found.len());
        for bound in [Bound::Exact, Bound::Lower, Bound::Upper] {
            assert!(found.iter().any(|(_, node)| node.bound == bound));
        }
        let mut sfens: Vec<&String> = found.iter().map(|(sfen, _)| sfen).collect();
        sfens.sort_unstable();
        sfens.dedup();
        assert_eq!(sfens.len(), found.len());
    }

    #[test]
    fn several_lines_come_in_order() {
        let mut solo = solo();
        solo.set_multi_pv(4);
        let lines = solo.search(&Position::startpos(), &limits(2000, 16_000)).lines;
        assert_eq!(lines.len(), 4);
        assert!(lines.is_sorted_by_key(|line| -line.value));
        let mut others = lines.iter().filter(|line| **line != lines[0]);
        assert!(others.all(|line| line.mv != lines[0].mv));
    }
}
