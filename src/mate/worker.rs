//! The state of one search thread: position, the path from the root with its repetitions, the
//! children of the nodes on the path, and what stops the search or is reported from it.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use super::proof_numbers::{ProofNumbers, limit_after_move};
use super::{Line, MateLimits, Progress, Reporter, length::Stopped, table::Table};
use crate::position::Position;
use crate::types::{Color, Hand, Move, PieceType};
use crate::util::system::{Instant, Interruption, interruption};

/// Nodes between two looks at the clock.
const POLL_INTERVAL: u64 = 64;
/// Longest path in plies of a search on a thread of its own.
const MAX_PLIES: usize = 4000;
/// [`Child::delayed_by`] of a move that waits for no other.
pub(super) const NOT_DELAYED: u16 = u16::MAX;

/// What stops a search, shared by its threads.
#[derive(Clone, Copy)]
pub(super) struct Control<'a> {
    /// Set by the caller.
    pub(super) stop: &'a AtomicBool,
    /// Set by the thread that has solved the root.
    pub(super) is_done: &'a AtomicBool,
    /// `None` with a single thread.
    pub(super) virtual_costs: Option<&'a VirtualCosts>,
    /// Nodes of all threads, each of which adds its own every [`POLL_INTERVAL`] nodes.
    pub(super) nodes: &'a AtomicU64,
    /// See [`MateLimits::search_moves`].
    pub(super) search_moves: &'a [Move],
    /// The search stops at this time.
    pub(super) deadline: Option<Instant>,
    /// The search stops when one thread has searched this many nodes.
    pub(super) max_nodes: u64,
    /// Longest path in plies. Bounds the recursion, and so the stack.
    pub(super) max_plies: usize,
    /// Whether a search that stops is continued later from what it leaves in the table.
    pub(super) is_resumed: bool,
}

impl<'a> Control<'a> {
    /// One thread, until a limit is reached or `is_done` is set.
    pub(super) fn of(
        limits: &MateLimits<'a>,
        is_done: &'a AtomicBool,
        nodes: &'a AtomicU64,
    ) -> Self {
        Self {
            stop: limits.stop,
            is_done,
            virtual_costs: None,
            nodes,
            search_moves: limits.search_moves,
            deadline: limits.deadline,
            max_nodes: limits.nodes.unwrap_or(u64::MAX),
            max_plies: MAX_PLIES,
            is_resumed: false,
        }
    }
}

/// A move of a node and what is known about the position after it.
#[derive(Clone, Copy)]
pub(super) struct Child {
    pub(super) mv: Move,
    /// The attacker's hand after the move.
    pub(super) hand: Hand,
    /// Salted board key after the move.
    pub(super) key: u64,
    /// The piece that the move captures and puts aside, see [`Worker::put_aside`].
    pub(super) puts_aside: Option<PieceType>,
    pub(super) numbers: ProofNumbers,
    /// Nodes searched below this child, for the replacement in the table.
    pub(super) subtree_size: u32,
    /// The smallest number on a path, counted from 1 at the root, with which the position was met.
    pub(super) min_depth: u16,
    /// Delayed move list (Kishimoto): index among the node's moves of the one that must be solved
    /// first, or [`NOT_DELAYED`].
    pub(super) delayed_by: u16,
    /// Whether the position was disproven by repetition on some path.
    pub(super) has_path_disproof: bool,
}

impl Child {
    /// Plies to mate from the node whose child this is, where this child is proven.
    pub(super) const fn length(&self) -> i16 {
        if self.puts_aside.is_some() {
            self.numbers.length - 1
        } else {
            self.numbers.length.saturating_add(1)
        }
    }

    /// Plies left after the move, where `limit` are left before.
    pub(super) const fn limit(&self, limit: i16) -> i16 {
        if self.puts_aside.is_some() { limit + 1 } else { limit_after_move(limit) }
    }

    /// Whether this is a move without promotion of a pawn, lance, bishop or rook that could
    /// promote.
    pub(super) fn is_weak_non_promotion(&self) -> bool {
        !self.mv.is_drop() && self.puts_aside.is_none() && self.delayed_by != NOT_DELAYED
    }
}

/// The state of one search thread.
pub(super) struct Worker<'a> {
    pub(super) position: Position,
    pub(super) attacker: Color,
    pub(super) table: &'a Table,
    /// Mixed into board keys, so that neither entries of earlier problems match nor those with
    /// other pieces put aside.
    pub(super) salt: u64,
    /// Captured interpositions that neither side may use: where the mate goes on as fast, they
    /// were futile. Empty outside of searches with a limit.
    aside: Hand,
    pub(super) path: Path,
    /// A stack: the children of all nodes on the path, those of the current node last.
    pub(super) children: Vec<Child>,
    /// Moves made by this thread.
    pub(super) nodes: u64,
    /// Length in plies of the longest line searched.
    pub(super) seldepth: usize,
    pub(super) control: Control<'a>,
    reporter: Option<Reporter<'a>>,
    /// [`Self::nodes`] at the last look at the clock.
    polled_at: u64,
    is_stopped: bool,
    /// Whether another thread may solve the root.
    has_other_threads: bool,
    /// How many nodes on the path may exceed their thresholds, see `df_pn`.
    pub(super) raised_thresholds: u32,
}

impl<'a> Worker<'a> {
    /// A search from `position`, whose history is ignored.
    pub(super) fn new(
        position: &Position,
        attacker: Color,
        table: &'a Table,
        control: Control<'a>,
        reporter: Option<Reporter<'a>>,
    ) -> Self {
        let mut worker = Self {
            position: position.clone(),
            attacker,
            table,
            salt: table.salt(),
            aside: Hand::EMPTY,
            path: Path::new(),
            children: Vec::new(),
            nodes: 0,
            seldepth: 0,
            control,
            reporter,
            polled_at: 0,
            is_stopped: false,
            has_other_threads: true,
            raised_thresholds: 0,
        };
        worker.push_path();
        worker
    }

    /// The key of the current node in the table.
    pub(super) fn board_key(&self) -> u64 {
        self.path.board_key()
    }

    fn push_path(&mut self) {
        let mut key = self.position.board_key().low64() ^ self.salt;
        if self.is_restricted() {
            // The same position met again is another one: any move may be made there.
            key ^= SALT_OF_RESTRICTED_ROOT;
        }
        self.path.push(key, self.position.hand(self.attacker));
        self.seldepth = self.seldepth.max(self.path.len() - 1);
    }

    /// Whether only some moves are searched: at the root, which has no path yet.
    pub(super) fn is_restricted(&self) -> bool {
        !self.control.search_moves.is_empty() && self.position.moves_made() == 0
    }

    /// Makes a move and extends the path.
    pub(super) fn do_move(&mut self, mv: Move) {
        self.position.do_move(mv);
        self.nodes += 1;
        self.push_path();
    }

    /// Makes the move of a child and extends the path.
    pub(super) fn enter(&mut self, child: &Child) {
        self.position.do_move(child.mv);
        self.nodes += 1;
        self.path.push(child.key, child.hand);
        self.seldepth = self.seldepth.max(self.path.len() - 1);
        if let Some(kind) = child.puts_aside {
            self.put_aside(kind);
        }
    }

    /// Takes back [`Self::enter`].
    pub(super) fn leave(&mut self, child: &Child) {
        if let Some(kind) = child.puts_aside {
            self.take_back(kind);
        }
        self.undo_move();
    }

    /// Takes a piece that the last move captured out of the game.
    pub(super) fn put_aside(&mut self, kind: PieceType) {
        self.position.take_from_hand(self.attacker, kind);
        self.salt ^= salt_of(self.aside);
        self.aside.add(kind);
        self.salt ^= salt_of(self.aside);
        let key = self.position.board_key().low64() ^ self.salt;
        self.path.rename(key, self.position.hand(self.attacker));
    }

    /// Takes back [`Self::put_aside`]; the move that captured the piece is to be taken back next.
    pub(super) fn take_back(&mut self, kind: PieceType) {
        self.position.give_back_to_hand(self.attacker, kind);
        self.salt ^= salt_of(self.aside);
        self.aside.remove(kind);
        self.salt ^= salt_of(self.aside);
    }

    /// [`Self::salt`] once a piece more is put aside.
    pub(super) fn salt_with_aside(&self, kind: PieceType) -> u64 {
        let mut aside = self.aside;
        aside.add(kind);
        self.salt ^ salt_of(self.aside) ^ salt_of(aside)
    }

    /// Takes back the last move of the path.
    pub(super) fn undo_move(&mut self) {
        self.path.pop();
        self.position.undo_move();
    }

    /// The table's numbers of the current position, if it is solved.
    pub(super) fn solved_in_table(&self, limit: i16) -> Option<ProofNumbers> {
        let hand = self.position.hand(self.attacker);
        let entry = self.table.look_up(self.board_key(), hand, limit)?;
        entry.numbers.is_solved().then_some(entry.numbers)
    }

    /// Discards all results. Only at the root.
    pub(super) fn clear(&mut self) {
        self.table.new_problem();
        self.salt = self.table.salt();
        self.path = Path::new();
        self.push_path();
    }

    /// Whether the search must stop. Looks at the clock and sends due reports every
    /// [`POLL_INTERVAL`] nodes.
    pub(super) fn should_stop(&mut self) -> bool {
        let control = &self.control;
        let is_told = control.stop.load(Ordering::Relaxed)
            || self.has_other_threads && control.is_done.load(Ordering::Relaxed);
        if self.is_stopped || is_told {
            self.is_stopped = true;
        } else if self.nodes >= self.polled_at + POLL_INTERVAL {
            let new_nodes = self.nodes - self.polled_at;
            self.control.nodes.fetch_add(new_nodes, Ordering::Relaxed);
            self.polled_at = self.nodes;
            let now = Instant::now();
            let deadline = self.control.deadline;
            self.is_stopped = interruption() == Some(Interruption::Stop)
                || self.nodes >= self.control.max_nodes
                || deadline.is_some_and(|deadline| now >= deadline);
            self.report_progress(now);
        }
        self.is_stopped
    }

    /// Whether [`Self::should_stop`] has said so before.
    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Searches the current position, in which the attacker moves, for about `nodes` nodes.
    ///
    /// # Errors
    /// The search must stop.
    pub(super) fn solve_for(&mut self, nodes: u64, limit: i16) -> Result<ProofNumbers, Stopped> {
        let control = self.control;
        self.control.max_nodes = control.max_nodes.min(self.nodes + nodes);
        self.control.is_resumed = true;
        let numbers = self.solve_position::<true>(limit);
        self.control = control;
        self.is_stopped &= self.nodes >= control.max_nodes;
        if self.should_stop() { Err(Stopped) } else { Ok(numbers) }
    }

    /// Ignores from now on that another thread has solved the root.
    pub(super) fn continue_alone(&mut self) {
        self.has_other_threads = false;
        self.is_stopped = false;
    }

    fn report_progress(&mut self, now: Instant) {
        let reporter = self.reporter.as_ref();
        if reporter.is_some_and(|reporter| now >= reporter.next) {
            let plies = (0..self.path.len() - 1).rev();
            let line = plies.filter_map(|back| self.position.past_move(back)?.mv);
            self.report(None, line.collect());
            if let Some(reporter) = &mut self.reporter {
                reporter.next = now + reporter.interval;
            }
        }
    }

    /// Reports a mate that was found.
    pub(super) fn report_mate(&mut self, line: &Line) {
        self.report(Some(line.length), line.moves.clone());
    }

    fn report(&mut self, mate: Option<usize>, line: Vec<Move>) {
        let new_nodes = self.nodes - self.polled_at;
        if let Some(reporter) = &mut self.reporter {
            (reporter.report)(Progress {
                nodes: self.control.nodes.load(Ordering::Relaxed) + new_nodes,
                seldepth: self.seldepth,
                hashfull: self.table.hashfull(),
                mate,
                line,
            });
        }
    }
}

/// Mixed into the key of a root where only some moves are searched.
const SALT_OF_RESTRICTED_ROOT: u64 = 0x8ebc_6af0_9c88_c6e2;

/// What pieces put aside add to [`Worker::salt`]: nothing where there are none.
fn salt_of(aside: Hand) -> u64 {
    u64::from(aside.to_bits()).wrapping_mul(0xc2b2_ae3d_27d4_eb4f)
}

/// Slots of the filter of [`Path`]: 8 KB, to fit into the first-level cache.
const PATH_SLOTS: usize = 4096;

/// A position of the path.
#[derive(Clone, Copy)]
struct PathNode {
    /// Board and side to move.
    key: u64,
    hand: Hand,
    /// Hash of all positions of the path up to this one.
    path_key: u64,
}

/// The positions from the root to the current one: detects repetitions, and gives the key of the
/// whole path under which path-dependent disproofs are stored.
pub(super) struct Path {
    nodes: Vec<PathNode>,
    /// Number of positions of the path per slot. An empty slot, the usual case, rules a repetition
    /// out with one load.
    counts: Box<[u16; PATH_SLOTS]>,
}

impl Path {
    pub(super) fn new() -> Self {
        Self { nodes: Vec::with_capacity(1024), counts: Box::new([0; PATH_SLOTS]) }
    }

    pub(super) fn push(&mut self, key: u64, hand: Hand) {
        let path_key = self.key_with(key, hand);
        self.counts[slot(key)] += 1;
        self.nodes.push(PathNode { key, hand, path_key });
    }

    /// Replaces key and hand of the current position.
    fn rename(&mut self, key: u64, hand: Hand) {
        self.pop();
        self.push(key, hand);
    }

    /// The key of the current position.
    fn board_key(&self) -> u64 {
        self.nodes.last().map_or(0, |node| node.key)
    }

    fn pop(&mut self) {
        if let Some(node) = self.nodes.pop() {
            self.counts[slot(node.key)] -= 1;
        }
    }

    /// Number of positions, root included; also the number of the current position, counted from 1.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The key of the path extended by one position.
    #[inline]
    pub(super) fn key_with(&self, key: u64, hand: Hand) -> u64 {
        let before = self.key();
        let position = key ^ u64::from(hand.to_bits()).wrapping_mul(0xd6e8_feb8_6659_fd93);
        (before.rotate_left(25) ^ position).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// The key of the path.
    #[inline]
    pub(super) fn key(&self) -> u64 {
        self.nodes.last().map_or(0, |node| node.path_key)
    }

    /// The latest position with this board in which the attacker held at least `hand`: its number,
    /// counted from 1, and the hand held there. Returning with no more in hand counts as a
    /// repetition.
    #[inline]
    pub(super) fn find_repetition(&self, key: u64, hand: Hand) -> Option<(u16, Hand)> {
        if self.counts[slot(key)] == 0 {
            return None;
        }
        let is_repeated = |node: &PathNode| node.key == key && node.hand.dominates(hand);
        let index = self.nodes.iter().rposition(is_repeated)?;
        Some((index as u16 + 1, self.nodes[index].hand))
    }
}

/// The slot of the filter for a position.
const fn slot(key: u64) -> usize {
    // Bit 0 is the side to move.
    (key >> 1) as usize % PATH_SLOTS
}

/// Number of counters of [`VirtualCosts`], a power of two.
const COST_SLOTS: usize = 1 << 16;

/// Virtual costs: threads raise the cost of the nodes that they search, so that the others spread
/// over the tree (Kaneko 2010, "Parallel depth first proof number search").
///
/// The number of threads below each position, by 16 hashed bits of board key and hand. A collision
/// only makes a position look busier than it is.
pub(super) struct VirtualCosts(Box<[AtomicU8]>);

impl VirtualCosts {
    pub(super) fn new() -> Self {
        Self((0..COST_SLOTS).map(|_| AtomicU8::new(0)).collect())
    }

    /// A thread begins to search below a position.
    pub(super) fn enter(&self, key: u64, hand: Hand) {
        self.slot(key, hand).fetch_add(1, Ordering::Relaxed);
    }

    /// A thread has left a position that it entered.
    pub(super) fn leave(&self, key: u64, hand: Hand) {
        self.slot(key, hand).fetch_sub(1, Ordering::Relaxed);
    }

    /// How many threads are below a position.
    pub(super) fn threads(&self, key: u64, hand: Hand) -> u32 {
        self.slot(key, hand).load(Ordering::Relaxed).into()
    }

    fn slot(&self, key: u64, hand: Hand) -> &AtomicU8 {
        let mixed = (key ^ u64::from(hand.to_bits())).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        &self.0[(mixed >> 48) as usize % COST_SLOTS]
    }
}
