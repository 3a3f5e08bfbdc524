//! Depth-first proof-number search (df-pn, Nagai 2002): the tree of checks and answers, walked where the least work is left.
//!
//! - A position is settled from its moves, never from estimates, and a mate never from a repetition: what is proved once is
//!   true on every path. A refutation that leans on a repetition counts for other paths only when the position that the
//!   line came back to lies below it, or is itself (Kishimoto and Müller on the graph-history problem). Until then it
//!   is remembered under a key of the whole path.
//! - A position with the same board as one before, in which the attacker holds no more, is a repetition too.
//! - The disproof number of an attacker's node is the largest of its moves' plus one for each other: a sum would count
//!   positions that several checks lead to more than once (weak proof-number search: Ueda et al. 2008). The answers of the
//!   defender differ more, and for them the plain sum takes half the nodes on mates of 9 to 11 plies, and finds long ones.
//! - A child may cost a little more than its next best sibling before the search turns to that (1+ε: Pawlewicz and Lew 2007).
//! - A node one of whose children was met nearer to the root may go in circles with its parents; it is searched until something
//!   new was seen (threshold control: Kishimoto 2010).
//! - Moves that hardly ever differ wait for each other: interpositions on one square, and promotions with their counterpart.

use super::control::{Control, Reporter};
use super::outlook::{BEYOND, NO_LIMIT, Outlook, Thresholds};
use super::path::Path;
use super::table::{Entry, Table};
use crate::position::Position;
use crate::types::{Color, Hand, Move};

/// Longer lines are given up, so that the stack lasts.
pub(super) const MOST_PLIES: usize = 4000;
/// No other move must be settled first.
pub(super) const AT_ONCE: u16 = u16::MAX;

/// A move and what is known about the position after it.
#[derive(Clone, Copy)]
pub(super) struct Child {
    pub(super) mv: Move,
    /// What the attacker holds after it.
    pub(super) hand: Hand,
    /// Of the board after it.
    pub(super) key: u64,
    pub(super) outlook: Outlook,
    pub(super) amount: u32,
    /// The least depth at which the position was met.
    pub(super) depth: u16,
    /// The index, among the moves of the node, of the move that must fail first.
    pub(super) after: u16,
    pub(super) loops: bool,
}

impl Child {
    /// A move without the promotion that could come with it, of a piece that hardly ever wants to stay as it is.
    pub(super) fn is_weak(&self) -> bool {
        !self.mv.is_drop() && self.after != AT_ONCE
    }
}

/// One thread's walk.
pub(super) struct Search<'a> {
    pub(super) position: Position,
    pub(super) attacker: Color,
    pub(super) table: &'a Table,
    pub(super) salt: u64,
    pub(super) path: Path,
    /// The children of all nodes on the path, those of the last at the end.
    pub(super) children: Vec<Child>,
    pub(super) nodes: u64,
    pub(super) deepest: usize,
    pub(super) control: Control<'a>,
    pub(super) reporter: Option<Reporter<'a>>,
    pub(super) polled_at: u64,
    pub(super) is_stopped: bool,
    /// Whether other threads may settle the root.
    pub(super) has_company: bool,
    /// How many nodes on the path wait until something new was seen.
    pub(super) forced: u32,
}

/// What a node knew about itself before it is visited.
#[derive(Clone, Copy)]
pub(super) struct Before {
    pub(super) limit: u16,
    pub(super) amount: u32,
    pub(super) depth: u16,
    pub(super) loops: bool,
}

impl Before {
    /// Nothing.
    pub(super) const fn nothing(limit: u16) -> Self {
        Self {
            limit,
            amount: 0,
            depth: u16::MAX,
            loops: false,
        }
    }
}

impl<'a> Search<'a> {
    /// A search from a position, whatever came before it.
    pub(super) fn new(
        position: &Position,
        attacker: Color,
        table: &'a Table,
        control: Control<'a>,
        reporter: Option<Reporter<'a>>,
    ) -> Self {
        let mut search = Self {
            position: position.clone(),
            attacker,
            table,
            salt: table.salt(),
            path: Path::new(),
            children: Vec::new(),
            nodes: 0,
            deepest: 0,
            control,
            reporter,
            polled_at: 0,
            is_stopped: false,
            has_company: true,
            forced: 0,
        };
        search.enter_path();
        search
    }

    pub(super) fn board_key(&self) -> u64 {
        self.position.board_key().low64() ^ self.salt
    }

    fn enter_path(&mut self) {
        let hand = self.position.hand(self.attacker);
        self.path.enter(self.board_key(), hand);
        self.deepest = self.deepest.max(self.path.number() - 1);
    }

    /// Makes a move of the line.
    pub(super) fn make(&mut self, mv: Move) {
        self.position.do_move(mv);
        self.nodes += 1;
        self.enter_path();
    }

    /// Takes it back.
    pub(super) fn take_back(&mut self) {
        self.path.leave();
        self.position.undo_move();
    }

    /// What the table knows about the current position, once it is settled.
    pub(super) fn known(&self, limit: u16) -> Option<Outlook> {
        let hand = self.position.hand(self.attacker);
        let entry = self.table.look_up(self.board_key(), hand, limit)?;
        entry.outlook.is_settled().then_some(entry.outlook)
    }

    /// Forgets everything, at the root.
    pub(super) fn begin_anew(&mut self) {
        self.table.new_problem();
        self.salt = self.table.salt();
        self.path = Path::new();
        self.enter_path();
    }

    /// Searches the current position until it is settled, a threshold is reached, or the search must end.
    pub(super) fn visit<const OR: bool>(
        &mut self,
        thresholds: Thresholds,
        before: Before,
    ) -> Outlook {
        let (first, nodes_before, forced_before) = (self.children.len(), self.nodes, self.forced);
        if self.path.number() > MOST_PLIES {
            return Outlook::refuted(self.position.hand(self.attacker), BEYOND);
        }
        self.expand::<OR>(before.limit);
        if before.amount <= 1 && self.forced > 0 {
            self.forced -= 1;
        }
        self.forced += u32::from(self.has_old_child(first));
        let (mut open, mut best);
        loop {
            let summary = self.summarize::<OR>(first);
            let Some(summary) = summary else {
                let outlook = self.settle::<OR>(first);
                self.finish(first, outlook.0, outlook.1, before, nodes_before);
                self.forced = self.forced.min(forced_before);
                return outlook.0;
            };
            open = if OR {
                Outlook::open(summary.cost, summary.rest)
            } else {
                Outlook::open(summary.rest, summary.cost)
            };
            best = self.children[summary.best].mv;
            let mut cost = thresholds.cost::<OR>();
            let mut rest = thresholds.rest::<OR>();
            if self.forced > 0 {
                cost = cost.max(summary.cost + 1);
                rest = rest.max(summary.rest + 1);
            }
            if summary.cost >= cost || summary.rest >= rest || self.is_stopped() {
                break;
            }
            let chosen = &self.children[summary.best].outlook;
            let slack = summary.second.saturating_add(summary.second / 8 + 1);
            // Among several threads the chosen child need not be the cheapest; each visit must bring news.
            let cost = cost.min(slack).max(chosen.cost::<OR>() + 1);
            let rest = (rest - summary.others).max(chosen.rest::<OR>() + 1);
            let below = Thresholds::of::<OR>(cost, rest);
            self.descend::<OR>(summary.best, below, before.limit);
            if self.is_stopped {
                break;
            }
        }
        open.hand = self.position.hand(self.attacker);
        self.finish(first, open, Some(best), before, nodes_before);
        self.forced = self.forced.min(forced_before);
        open
    }

    fn descend<const OR: bool>(&mut self, index: usize, below: Thresholds, limit: u16) {
        let child = self.children[index];
        let before = Before {
            limit: less_one(limit),
            amount: child.amount,
            depth: child.depth,
            loops: child.loops,
        };
        let nodes = self.nodes;
        let crowd = self.control.crowd;
        if let Some(crowd) = crowd {
            crowd.join(child.key, child.hand);
        }
        self.make(child.mv);
        let outlook = if OR {
            self.visit::<false>(below, before)
        } else {
            self.visit::<true>(below, before)
        };
        self.take_back();
        if let Some(crowd) = crowd {
            crowd.leave(child.key, child.hand);
        }
        let amount = (self.nodes - nodes).min(u64::from(u32::MAX)) as u32;
        let child = &mut self.children[index];
        child.outlook = outlook;
        child.amount = child.amount.saturating_add(amount);
        child.depth = child.depth.min(self.path.number() as u16 + 1);
    }

    /// Writes the node into the table and forgets its children.
    fn finish(
        &mut self,
        first: usize,
        outlook: Outlook,
        best: Option<Move>,
        before: Before,
        nodes_before: u64,
    ) {
        self.children.truncate(first);
        if self.is_stopped && !outlook.is_settled() {
            // Nobody asks any more, and the memory that this would fetch in a new table, node by node up to the root, takes time.
            return;
        }
        let amount = (self.nodes - nodes_before).min(u64::from(u32::MAX)) as u32;
        let mut entry = Entry {
            outlook,
            amount: before.amount.saturating_add(amount).max(1),
            limit: before.limit,
            depth: before.depth.min(self.path.number() as u16),
            mv: best.map(Move::to_move16),
            loops: before.loops,
        };
        if outlook.depends_on_path() {
            if outlook.horizon == BEYOND {
                return;
            }
            self.table
                .store_loop(self.path.key(), outlook.horizon, outlook.hand, entry.amount);
            if before.loops {
                return;
            }
            entry.loops = true;
            entry.outlook = Outlook::open(1, 1);
            entry.outlook.hand = self.position.hand(self.attacker);
        }
        self.table.store(self.board_key(), &entry);
    }
}

pub(super) const fn less_one(limit: u16) -> u16 {
    if limit == NO_LIMIT {
        NO_LIMIT
    } else {
        limit.saturating_sub(1)
    }
}
