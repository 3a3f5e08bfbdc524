//! Depth-first proof-number search (df-pn, Nagai 2002) on the tree of checks and their answers.
//!
//! - Graph history interaction: a proof never rests on a repetition, so it holds on every path. A
//!   disproof that rests on one holds on every path only once the repeated position lies at or
//!   below the node (Kishimoto and Müller 2004); until then it is stored under the key of the whole
//!   path.
//! - Dominance: a position with the board of an earlier one on the path, in which the attacker
//!   holds no more than there, counts as a repetition.
//! - Weak proof-number search (Ueda et al. 2008) at OR nodes: the disproof number is the largest of
//!   the children's plus one for each other child, because a sum counts transpositions several
//!   times. At AND nodes the plain sum takes half the nodes on mates of 9 to 11 plies.
//! - 1+ε trick (Pawlewicz and Lew 2007): the threshold of a child is an eighth above its next best
//!   sibling, so that the search switches less often.
//! - Threshold control algorithm (Kishimoto 2010): a node with a child that was met nearer to the
//!   root may be part of a cycle, so it may exceed its thresholds until a new node has been
//!   expanded.
//! - Delayed moves (Kishimoto): interpositions on one square are searched one after another, and a
//!   non-promotion only after the promotion has failed.

use super::proof_numbers::{
    INFINITE, MAX_UNSOLVED, NO_LIMIT, NO_REPETITION, PATH_TOO_LONG, ProofNumbers, Thresholds,
    limit_after_move,
};
use super::worker::{Child, NOT_DELAYED, Worker};
use super::{one_ply::mate_in_one, proof_hands, table::Entry};
use crate::bitboard::Bitboard;
use crate::movegen;
use crate::types::{Hand, Key64, Move, MoveList, PieceType, Square};

/// What is known about a node before it is searched.
#[derive(Clone, Copy)]
struct Prior {
    /// Plies left, or `NO_LIMIT`.
    limit: u16,
    /// Nodes searched below it on earlier visits.
    subtree_size: u32,
    min_depth: u16,
    has_path_disproof: bool,
}

impl Prior {
    const fn unknown(limit: u16) -> Self {
        Self {
            limit,
            subtree_size: 0,
            min_depth: u16::MAX,
            has_path_disproof: false,
        }
    }
}

impl Worker<'_> {
    /// Searches the current position until it is solved or the search must stop.
    pub(super) fn solve_position<const OR: bool>(&mut self, limit: u16) -> ProofNumbers {
        loop {
            let prior = Prior::unknown(limit);
            let numbers = self.search_node::<OR>(Thresholds::INFINITE, prior);
            if numbers.is_solved() || self.should_stop() {
                return numbers;
            }
        }
    }

    /// Searches the position after a move, which is a node of kind `OR`, until it is solved or the
    /// search must stop.
    pub(super) fn solve_after<const OR: bool>(&mut self, mv: Move, limit: u16) -> ProofNumbers {
        self.do_move(mv);
        let numbers = self.solve_position::<OR>(limit);
        self.undo_move();
        numbers
    }

    /// Searches the current node until it is solved, one of its numbers reaches its threshold, or
    /// the search must stop.
    fn search_node<const OR: bool>(
        &mut self,
        thresholds: Thresholds,
        prior: Prior,
    ) -> ProofNumbers {
        let (first, nodes_before) = (self.children.len(), self.nodes);
        let raised_before = self.raised_thresholds;
        if self.path.len() > self.control.max_plies {
            let hand = self.position.hand(self.attacker);
            return ProofNumbers::disproven(hand, PATH_TOO_LONG);
        }
        self.expand::<OR>(prior.limit);
        if prior.subtree_size <= 1 && self.raised_thresholds > 0 {
            self.raised_thresholds -= 1;
        }
        self.raised_thresholds += u32::from(self.has_old_child(first));
        let (mut numbers, mut best);
        loop {
            let summary = self.summarize::<OR>(first);
            let Some(summary) = summary else {
                let (numbers, mv) = self.solved_numbers::<OR>(first);
                self.leave_node(first, numbers, mv, prior, nodes_before);
                self.raised_thresholds = self.raised_thresholds.min(raised_before);
                return numbers;
            };
            numbers = if OR {
                ProofNumbers::unsolved(summary.phi, summary.delta)
            } else {
                ProofNumbers::unsolved(summary.delta, summary.phi)
            };
            best = self.children[summary.best].mv;
            let mut phi = thresholds.phi::<OR>();
            let mut delta = thresholds.delta::<OR>();
            if self.raised_thresholds > 0 {
                phi = phi.max(summary.phi + 1);
                delta = delta.max(summary.delta + 1);
            }
            if summary.phi >= phi || summary.delta >= delta || self.should_stop() {
                break;
            }
            let child = &self.children[summary.best].numbers;
            let second_phi = summary.second_phi;
            let epsilon_phi = second_phi.saturating_add(second_phi / 8 + 1);
            // With virtual costs the chosen child need not be the cheapest: its own numbers are the
            // least thresholds that let it be expanded.
            let phi = phi.min(epsilon_phi).max(child.phi::<OR>() + 1);
            let delta = (delta - summary.delta_of_others).max(child.delta::<OR>() + 1);
            let thresholds = Thresholds::from_phi_delta::<OR>(phi, delta);
            self.search_child::<OR>(summary.best, thresholds, prior.limit);
            if self.is_stopped() {
                break;
            }
        }
        numbers.hand = self.position.hand(self.attacker);
        self.leave_node(first, numbers, Some(best), prior, nodes_before);
        self.raised_thresholds = self.raised_thresholds.min(raised_before);
        numbers
    }

    fn search_child<const OR: bool>(&mut self, index: usize, thresholds: Thresholds, limit: u16) {
        let child = self.children[index];
        let prior = Prior {
            limit: limit_after_move(limit),
            subtree_size: child.subtree_size,
            min_depth: child.min_depth,
            has_path_disproof: child.has_path_disproof,
        };
        let nodes_before = self.nodes;
        let virtual_costs = self.control.virtual_costs;
        if let Some(costs) = virtual_costs {
            costs.enter(child.key, child.hand);
        }
        self.do_move(child.mv);
        let numbers = if OR {
            self.search_node::<false>(thresholds, prior)
        } else {
            self.search_node::<true>(thresholds, prior)
        };
        self.undo_move();
        if let Some(costs) = virtual_costs {
            costs.leave(child.key, child.hand);
        }
        let nodes = self.nodes_since(nodes_before);
        let child = &mut self.children[index];
        child.numbers = numbers;
        child.subtree_size = child.subtree_size.saturating_add(nodes);
        child.min_depth = child.min_depth.min(self.path.len() as u16 + 1);
    }

    /// Stores the current node in the table and drops its children.
    fn leave_node(
        &mut self,
        first: usize,
        numbers: ProofNumbers,
        best: Option<Move>,
        prior: Prior,
        nodes_before: u64,
    ) {
        self.children.truncate(first);
        if self.is_stopped() && !self.control.is_resumed && !numbers.is_solved() {
            // Nobody will read it, and touching unused memory of a new table for each node of the
            // path would delay the stop.
            return;
        }
        let nodes = self.nodes_since(nodes_before);
        let mut entry = Entry {
            numbers,
            subtree_size: prior.subtree_size.saturating_add(nodes).max(1),
            limit: prior.limit,
            min_depth: prior.min_depth.min(self.path.len() as u16),
            mv: best.map(Move::to_move16),
            has_path_disproof: prior.has_path_disproof,
        };
        if numbers.depends_on_path() {
            let repetition_start = numbers.repetition_start;
            if repetition_start == PATH_TOO_LONG {
                return;
            }
            let key = self.path.key();
            self.table
                .store_path_disproof(key, repetition_start, numbers.hand, entry.subtree_size);
            if prior.has_path_disproof {
                return;
            }
            entry.has_path_disproof = true;
            entry.numbers = ProofNumbers::unsolved(1, 1);
            entry.numbers.hand = self.position.hand(self.attacker);
        }
        self.table.store(self.board_key(), &entry);
    }

    fn nodes_since(&self, nodes_before: u64) -> u32 {
        (self.nodes - nodes_before).min(u64::from(u32::MAX)) as u32
    }
}

// --- Expansion: moves, their delays, and the numbers of the children from path, table or leaf ---

impl Worker<'_> {
    /// Appends the children of the current node, with what is known about each.
    pub(super) fn expand<const OR: bool>(&mut self, limit: u16) {
        let first = self.children.len();
        self.generate::<OR>();
        self.delay_moves::<OR>(first);
        let limit = limit_after_move(limit);
        for index in first..self.children.len() {
            let child = self.children[index];
            self.children[index] = self.look_up_child::<OR>(child, limit);
        }
    }

    fn generate<const OR: bool>(&mut self) {
        let mut moves = MoveList::new();
        if OR {
            movegen::checks::<true>(&self.position, &mut moves);
        } else {
            movegen::evasions::<true>(&self.position, &mut moves);
        }
        for &mv in &moves {
            if !self.position.legal(mv) {
                continue;
            }
            let board = self.position.board();
            let hand = if OR {
                proof_hands::after_attack(board, mv)
            } else {
                board.hand(self.attacker)
            };
            let key = self.board_key_after(mv);
            self.table.prefetch(key);
            self.children.push(Child {
                mv,
                hand,
                key,
                numbers: ProofNumbers::unsolved(1, 1),
                subtree_size: 0,
                min_depth: u16::MAX,
                delayed_by: NOT_DELAYED,
                has_path_disproof: false,
            });
        }
    }

    fn board_key_after(&self, mv: Move) -> u64 {
        let mut key = self.position.board_key().flipped() + Key64::of_piece(mv.piece(), mv.to());
        if let Some(from) = mv.from() {
            key -= Key64::of_piece(mv.piece_before(), from);
            if let Some(captured) = self.position.piece_on(mv.to()) {
                key -= Key64::of_piece(captured, mv.to());
            }
        }
        key.low64() ^ self.salt
    }

    /// Delays interpositions on one square behind each other, in the order of generation (cheapest
    /// piece first), and non-promotions behind the promotion.
    fn delay_moves<const OR: bool>(&mut self, first: usize) {
        let children = &mut self.children[first..];
        if !OR {
            let mut last = [NOT_DELAYED; Square::NUM];
            for (index, child) in children.iter_mut().enumerate() {
                if child.mv.is_drop() {
                    let to = child.mv.to().index();
                    child.delayed_by = last[to];
                    last[to] = index as u16;
                }
            }
        }
        for index in 0..children.len() {
            let mv = children[index].mv;
            let is_candidate = !mv.is_drop()
                && !mv.is_promotion()
                && matches!(
                    mv.piece().kind(),
                    PieceType::Pawn | PieceType::Lance | PieceType::Bishop | PieceType::Rook
                );
            if !is_candidate {
                continue;
            }
            let is_better = |child: &Child| {
                child.mv.is_promotion() && child.mv.from() == mv.from() && child.mv.to() == mv.to()
            };
            if let Some(better) = children.iter().position(is_better) {
                children[index].delayed_by = better as u16;
            }
        }
    }

    /// Sets the numbers of a child: a repetition on the path, the table's entry, or a new leaf's.
    fn look_up_child<const OR: bool>(&mut self, mut child: Child, limit: u16) -> Child {
        let follows_path = limit == NO_LIMIT;
        if follows_path
            && let Some((number, hand)) = self.path.find_repetition(child.key, child.hand)
        {
            child.numbers = ProofNumbers::disproven(hand, number);
            return child;
        }
        let Some(entry) = self.table.look_up(child.key, child.hand, limit) else {
            child.numbers = self.evaluate_leaf::<OR>(&child, limit);
            child.subtree_size = 1;
            return child;
        };
        child.numbers = entry.numbers;
        child.subtree_size = entry.subtree_size;
        child.min_depth = entry.min_depth;
        child.has_path_disproof = entry.has_path_disproof;
        if follows_path && entry.has_path_disproof && !entry.numbers.is_solved() {
            let path_key = self.path.key_with(child.key, child.hand);
            if let Some((repetition_start, hand)) = self.table.path_disproof(path_key) {
                child.numbers = ProofNumbers::disproven(hand, repetition_start);
            }
        }
        child
    }

    /// Numbers of a child that is in no table, without a search. Stores them.
    fn evaluate_leaf<const OR: bool>(&mut self, child: &Child, limit: u16) -> ProofNumbers {
        self.position.do_move(child.mv);
        self.nodes += 1;
        let (mut numbers, mv) = if OR {
            (self.evaluate_and_leaf(limit), None)
        } else {
            self.evaluate_or_leaf()
        };
        self.position.undo_move();
        if !numbers.is_solved() {
            numbers.hand = child.hand;
        }
        let entry = Entry {
            numbers,
            subtree_size: 1,
            limit,
            min_depth: self.path.len() as u16 + 1,
            mv: mv.map(Move::to_move16),
            has_path_disproof: false,
        };
        self.table.store(child.key, &entry);
        numbers
    }

    /// A new AND node: its proof number grows with the number of answers.
    fn evaluate_and_leaf(&self, limit: u16) -> ProofNumbers {
        let mut answers = MoveList::new();
        movegen::evasions::<false>(&self.position, &mut answers);
        answers.retain(|answer| self.position.legal(*answer));
        let Some(first) = answers.first() else {
            let hand = proof_hands::proof_against_interposing(&self.position, Hand::EMPTY);
            return ProofNumbers::proven(hand, 0);
        };
        if limit > 0 {
            return ProofNumbers::unsolved(initial_proof_number(&answers), 1);
        }
        let mut hand = proof_hands::all_hands(self.position.board());
        // Drops are generated last: if the first answer is one, the disproof needs that piece in
        // the defender's hand.
        if first.is_drop() {
            hand.remove(first.piece().kind());
        }
        ProofNumbers::disproven(hand, NO_REPETITION)
    }

    /// A new OR node: proven by a mate in one, else its disproof number is the number of checks.
    /// Also returns the mating move.
    fn evaluate_or_leaf(&mut self) -> (ProofNumbers, Option<Move>) {
        if let Some(mv) = mate_in_one(&mut self.position) {
            self.position.do_move(mv);
            let hand = proof_hands::proof_against_interposing(&self.position, Hand::EMPTY);
            self.position.undo_move();
            let hand = proof_hands::before_attack(self.position.board(), mv, hand);
            return (ProofNumbers::proven(hand, 1), Some(mv));
        }
        let mut checks = MoveList::new();
        movegen::checks::<false>(&self.position, &mut checks);
        let count = self.count_legal(&checks);
        if count == 0 {
            let all = proof_hands::all_hands(self.position.board());
            let hand = proof_hands::disproof_without_new_drops(&self.position, all);
            (ProofNumbers::disproven(hand, NO_REPETITION), None)
        } else {
            (ProofNumbers::unsolved(1, count), None)
        }
    }

    fn count_legal(&self, moves: &MoveList) -> u32 {
        moves.iter().filter(|&&mv| self.position.legal(mv)).count() as u32
    }
}

/// Initial proof number of an AND node. Interpositions on one square delay each other and most are
/// captured at once, so each such square counts as half an answer: compared with one per move,
/// mates in 11 plies take a quarter fewer nodes and long ones half.
fn initial_proof_number(answers: &MoveList) -> u32 {
    let mut squares = Bitboard::EMPTY;
    let mut others = 0;
    for answer in answers {
        if answer.is_drop() {
            squares |= Bitboard::from(answer.to());
        } else {
            others += 1;
        }
    }
    others + squares.count().div_ceil(2) as u32
}

// --- Backing up: the numbers of a node from those of its children ---

/// The numbers of an unsolved node, as φ and δ, and its most promising child.
pub(super) struct Summary {
    /// Least φ of the children.
    pub(super) phi: u32,
    /// δ of the children, accumulated.
    pub(super) delta: u32,
    /// Index into [`Worker::children`] of the child to search next.
    pub(super) best: usize,
    /// Least φ of the other children, virtual costs included.
    second_phi: u32,
    /// What the children besides the best one contribute to `delta`.
    delta_of_others: u32,
}

impl Worker<'_> {
    /// Whether an unsolved child of the current node was met before at this depth or nearer to the
    /// root, so that the node may be part of a cycle.
    fn has_old_child(&self, first: usize) -> bool {
        let number = self.path.len() as u16;
        let is_old = |child: &Child| child.min_depth <= number && !child.numbers.is_solved();
        self.children[first..].iter().any(is_old)
    }

    /// Whether a child is not delayed, or no longer: the move before it failed.
    fn is_active<const OR: bool>(&self, first: usize, child: &Child) -> bool {
        child.delayed_by == NOT_DELAYED
            || self.children[first + usize::from(child.delayed_by)]
                .numbers
                .delta::<OR>()
                == 0
    }

    /// The numbers of the current node, whose children begin at index `first`. `None` where they
    /// solve it.
    ///
    /// δ is the sum over the children of an AND node. At an OR node it is their maximum plus one
    /// for each other child (weak proof-number search).
    pub(super) fn summarize<const OR: bool>(&self, first: usize) -> Option<Summary> {
        let mut summary = Summary {
            phi: INFINITE,
            delta: 0,
            best: first,
            second_phi: INFINITE,
            delta_of_others: 0,
        };
        let (mut unsolved, mut sum, mut best_phi, mut best_delta) = (0, 0, u32::MAX, 0);
        for (index, child) in self.children[first..].iter().enumerate() {
            let (phi, delta) = (child.numbers.phi::<OR>(), child.numbers.delta::<OR>());
            if phi == 0 {
                return None;
            }
            if delta == 0 || !self.is_active::<OR>(first, child) {
                continue;
            }
            unsolved += 1;
            let virtual_phi = self.with_virtual_cost(child, phi);
            if virtual_phi < best_phi || virtual_phi == best_phi && delta < best_delta {
                summary.second_phi = summary.second_phi.min(best_phi);
                summary.best = first + index;
                (best_phi, best_delta) = (virtual_phi, delta);
            } else {
                summary.second_phi = summary.second_phi.min(virtual_phi);
            }
            summary.phi = summary.phi.min(phi);
            summary.delta = summary.delta.max(delta);
            sum = (sum + delta).min(MAX_UNSOLVED);
        }
        if unsolved == 0 {
            return None;
        }
        if OR {
            summary.delta_of_others = unsolved - 1;
            summary.delta = (summary.delta + summary.delta_of_others).min(MAX_UNSOLVED);
        } else {
            summary.delta_of_others = sum - best_delta;
            summary.delta = sum;
        }
        Some(summary)
    }

    /// φ of a child, raised by half for each thread that searches below it.
    #[inline]
    fn with_virtual_cost(&self, child: &Child, phi: u32) -> u32 {
        match self.control.virtual_costs {
            None => phi,
            Some(costs) => {
                let threads = costs.threads(child.key, child.hand);
                phi.saturating_add(threads * (phi / 2 + 1))
                    .min(MAX_UNSOLVED)
            }
        }
    }

    /// The numbers of a node that its children solve, and the deciding move.
    pub(super) fn solved_numbers<const OR: bool>(
        &self,
        first: usize,
    ) -> (ProofNumbers, Option<Move>) {
        let children = &self.children[first..];
        let winners = children
            .iter()
            .filter(|child| child.numbers.phi::<OR>() == 0);
        let all = proof_hands::all_hands(self.position.board());
        let board = self.position.board();
        if OR {
            let key = |child: &&Child| (child.numbers.length, child.is_weak_non_promotion());
            if let Some(child) = winners.min_by_key(key) {
                let hand = proof_hands::before_attack(board, child.mv, child.numbers.hand);
                let length = child.numbers.length.saturating_add(1);
                return (ProofNumbers::proven(hand, length), Some(child.mv));
            }
            let (mut hand, mut repetition_start) = (all, NO_REPETITION);
            for child in children {
                let before = proof_hands::before_attack(board, child.mv, child.numbers.hand);
                hand = hand.fewest(before);
                repetition_start = repetition_start.min(child.numbers.repetition_start);
            }
            let hand = proof_hands::disproof_without_new_drops(&self.position, hand);
            let repetition_start = self.outside_of_node(repetition_start);
            (ProofNumbers::disproven(hand, repetition_start), None)
        } else {
            if let Some(child) = winners.max_by_key(|child| child.numbers.repetition_start) {
                let hand = all.fewest(child.numbers.hand);
                let repetition_start = self.outside_of_node(child.numbers.repetition_start);
                return (
                    ProofNumbers::disproven(hand, repetition_start),
                    Some(child.mv),
                );
            }
            let (mut hand, mut length, mut best) = (Hand::EMPTY, 0, None);
            for child in children {
                hand = hand.most(child.numbers.hand);
                if best.is_none() || child.numbers.length >= length {
                    (length, best) = (child.numbers.length + 1, Some(child.mv));
                }
            }
            let hand = proof_hands::proof_against_interposing(&self.position, hand);
            (ProofNumbers::proven(hand, length), best)
        }
    }

    /// The start of a repetition as the current node passes it on to its parent: a disproof whose
    /// lines repeat nothing above this node holds on every path (Kishimoto and Müller 2004).
    fn outside_of_node(&self, repetition_start: u16) -> u16 {
        if usize::from(repetition_start) >= self.path.len() {
            NO_REPETITION
        } else {
            repetition_start
        }
    }
}
