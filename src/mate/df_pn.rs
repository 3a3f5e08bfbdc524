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
//! - Futile interpositions (無駄合い): in a search with a limit, a check that captures a piece just
//!   interposed may put it aside, so that neither side uses it any more. Interposition and capture
//!   then take no plies. So a disproof says that no mate exists within the limit whatever is
//!   futile, a proof only that one may; `length` settles that.

use super::proof_numbers::{INFINITE, MAX_UNSOLVED, NO_LIMIT, NO_REPETITION, PATH_TOO_LONG};
use super::proof_numbers::{ProofNumbers, Thresholds};
use super::worker::{Child, NOT_DELAYED, Worker};
use super::{one_ply::mate_in_one, table::Entry};
use crate::bitboard::{Bitboard, between};
use crate::movegen::{self, CheckSquares};
use crate::position::{Board, Position};
use crate::types::{Color, Hand, Key64, Move, MoveList, Piece, PieceType, Square};

/// What is known about a node before it is searched.
#[derive(Clone, Copy)]
struct Prior {
    /// Plies left, or `NO_LIMIT`.
    limit: i16,
    /// Where the last move interposed a piece that may be futile: in a search with a limit.
    interposed: Option<Square>,
    /// Nodes searched below it on earlier visits.
    subtree_size: u32,
    min_depth: u16,
    has_path_disproof: bool,
}

impl Prior {
    const fn unknown(limit: i16) -> Self {
        Self {
            limit,
            interposed: None,
            subtree_size: 0,
            min_depth: u16::MAX,
            has_path_disproof: false,
        }
    }
}

impl Worker<'_> {
    /// Searches the current position until it is solved or the search must stop.
    pub(super) fn solve_position<const OR: bool>(&mut self, limit: i16) -> ProofNumbers {
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
    pub(super) fn solve_after<const OR: bool>(&mut self, mv: Move, limit: i16) -> ProofNumbers {
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
        self.expand::<OR>(prior.limit, prior.interposed);
        if prior.subtree_size <= 1 && self.raised_thresholds > 0 {
            self.raised_thresholds -= 1;
        }
        self.raised_thresholds += u32::from(self.has_old_child(first));
        let (mut numbers, mut best);
        loop {
            let summary = self.summarize::<OR>(first);
            let Some(summary) = summary else {
                let (numbers, mv) = self.solved_numbers::<OR>(first, prior.limit);
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

    fn search_child<const OR: bool>(&mut self, index: usize, thresholds: Thresholds, limit: i16) {
        let child = self.children[index];
        let prior = Prior {
            limit: child.limit(limit),
            interposed: interposition::<OR>(child.mv, limit),
            subtree_size: child.subtree_size,
            min_depth: child.min_depth,
            has_path_disproof: child.has_path_disproof,
        };
        let nodes_before = self.nodes;
        let virtual_costs = self.control.virtual_costs;
        if let Some(costs) = virtual_costs {
            costs.enter(child.key, child.hand);
        }
        self.enter(&child);
        let numbers = if OR {
            self.search_node::<false>(thresholds, prior)
        } else {
            self.search_node::<true>(thresholds, prior)
        };
        self.leave(&child);
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
            self.table.store_path_disproof(key, repetition_start, numbers.hand, entry.subtree_size);
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
    /// Appends the children of the current node, with what is known about each. `interposed` is the
    /// square of the last move where that may be a futile interposition.
    pub(super) fn expand<const OR: bool>(&mut self, limit: i16, interposed: Option<Square>) {
        let first = self.children.len();
        self.generate::<OR>(limit);
        self.delay_moves::<OR>(first);
        if let Some(square) = interposed {
            self.add_captures_aside(first, square, limit);
        }
        for index in first..self.children.len() {
            let child = self.children[index];
            self.children[index] = self.look_up_child::<OR>(child, limit);
        }
    }

    /// Adds to the checks that capture on a square those that put the piece aside, to be searched
    /// where it does not help to take it in hand. Without a ply left only these remain.
    fn add_captures_aside(&mut self, first: usize, square: Square, limit: i16) {
        let count = self.children.len() - first;
        for index in 0..count {
            let mut child = self.children[first + index];
            let captured = self.position.piece_on(square).map(Piece::kind);
            if child.mv.to() == square
                && let Some(kind) = captured
            {
                child.hand = self.position.hand(self.attacker);
                child.key ^= self.salt ^ self.salt_with_aside(kind);
                child.puts_aside = Some(kind);
                child.delayed_by = if limit < 1 { NOT_DELAYED } else { index as u16 };
                self.children.push(child);
            }
        }
        if limit < 1 {
            self.children.drain(first..first + count);
        }
    }

    fn generate<const OR: bool>(&mut self, limit: i16) {
        let mut moves = MoveList::new();
        if OR {
            movegen::checks::<true>(&self.position, &mut moves);
        } else {
            movegen::evasions::<true>(&self.position, &mut moves);
        }
        for &mv in &moves {
            let is_excluded = self.is_restricted() && !self.control.search_moves.contains(&mv);
            if is_excluded || !self.position.legal(mv) {
                continue;
            }
            let board = self.position.board();
            let hand = if OR { hand_after_attack(board, mv) } else { board.hand(self.attacker) };
            let key = self.board_key_after(mv)
                ^ interposition::<OR>(mv, limit).map_or(0, salt_of_interposition);
            self.table.prefetch(key);
            self.children.push(Child {
                mv,
                hand,
                key,
                puts_aside: None,
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
    /// `limit` is that of the node.
    fn look_up_child<const OR: bool>(&mut self, mut child: Child, limit: i16) -> Child {
        let follows_path = limit == NO_LIMIT;
        let interposed = interposition::<OR>(child.mv, limit);
        let limit = child.limit(limit);
        if follows_path
            && let Some((number, hand)) = self.path.find_repetition(child.key, child.hand)
        {
            child.numbers = ProofNumbers::disproven(hand, number);
            return child;
        }
        let mut found = self.table.look_up(child.key, child.hand, limit);
        if let Some(square) = interposed
            && found.is_none_or(|entry| !entry.numbers.is_solved())
        {
            found = self.solved_otherwise(&child, square, limit).or(found);
        }
        if let Some(kind) = child.puts_aside
            && found.is_none_or(|entry| !entry.numbers.is_solved())
        {
            found = self.disproven_with(kind, &child, limit).or(found);
        }
        let Some(entry) = found else {
            child.numbers = self.evaluate_leaf::<OR>(&child, limit, interposed);
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

    /// What a search of the position after an interposition found that takes it for none: a mate
    /// within the limit holds here too, and where none exists at all none exists here.
    fn solved_otherwise(&self, child: &Child, interposed: Square, limit: i16) -> Option<Entry> {
        let key = child.key ^ salt_of_interposition(interposed);
        let entry = self.table.look_up(key, child.hand, NO_LIMIT)?;
        let numbers = &entry.numbers;
        let holds = numbers.is_disproven() || numbers.is_proven() && numbers.length <= limit;
        holds.then_some(entry)
    }

    /// A disproof after a capture that keeps the piece: without it there is no mate either.
    fn disproven_with(&self, kind: PieceType, child: &Child, limit: i16) -> Option<Entry> {
        let mut hand = child.hand;
        hand.add(kind);
        let key = child.key ^ self.salt ^ self.salt_with_aside(kind);
        let mut entry = self.table.look_up(key, hand, limit)?;
        entry.numbers.hand = child.hand;
        entry.numbers.is_disproven().then_some(entry)
    }

    /// Numbers of a child that is in no table, without a search. Stores them.
    fn evaluate_leaf<const OR: bool>(
        &mut self,
        child: &Child,
        limit: i16,
        interposed: Option<Square>,
    ) -> ProofNumbers {
        self.position.do_move(child.mv);
        self.nodes += 1;
        if let Some(kind) = child.puts_aside {
            self.position.take_from_hand(self.attacker, kind);
        }
        let (mut numbers, mv) = if OR {
            (self.evaluate_and_leaf(limit), None)
        } else {
            self.evaluate_or_leaf(limit, interposed)
        };
        if let Some(kind) = child.puts_aside {
            self.position.give_back_to_hand(self.attacker, kind);
        }
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
    fn evaluate_and_leaf(&self, limit: i16) -> ProofNumbers {
        let mut answers = MoveList::new();
        movegen::evasions::<false>(&self.position, &mut answers);
        answers.retain(|answer| self.position.legal(*answer));
        let Some(first) = answers.first() else {
            let hand = proof_against_interposing(&self.position, Hand::EMPTY);
            return ProofNumbers::proven(hand, 0);
        };
        // Drops are generated last: if the first answer is one, so are all, and may be futile.
        if limit > 0 || first.is_drop() {
            return ProofNumbers::unsolved(initial_proof_number(&answers), 1);
        }
        let hand = all_hands(self.position.board());
        ProofNumbers::disproven(hand, NO_REPETITION)
    }

    /// A new OR node: proven by a mate in one, else its disproof number is the number of checks.
    /// Also returns the mating move.
    fn evaluate_or_leaf(
        &mut self,
        limit: i16,
        interposed: Option<Square>,
    ) -> (ProofNumbers, Option<Move>) {
        if limit > 0
            && let Some(mv) = mate_in_one(&mut self.position)
        {
            self.position.do_move(mv);
            let hand = proof_against_interposing(&self.position, Hand::EMPTY);
            self.position.undo_move();
            let hand = hand_before_attack(self.position.board(), mv, hand);
            return (ProofNumbers::proven(hand, 1), Some(mv));
        }
        let mut checks = MoveList::new();
        movegen::checks::<false>(&self.position, &mut checks);
        if limit <= 0 {
            checks.retain(|check| interposed == Some(check.to()));
        }
        let count = self.count_legal(&checks);
        if count == 0 {
            let mut hand = all_hands(self.position.board());
            if limit > 0 {
                hand = disproof_without_new_drops(&self.position, hand);
            }
            (ProofNumbers::disproven(hand, NO_REPETITION), None)
        } else {
            (ProofNumbers::unsolved(1, count), None)
        }
    }

    fn count_legal(&self, moves: &MoveList) -> u32 {
        moves.iter().filter(|&&mv| self.position.legal(mv)).count() as u32
    }
}

/// Where an answer to check interposes a piece that may be futile: only searches with a limit ask.
/// `OR` is the kind of the node that makes the move.
fn interposition<const OR: bool>(mv: Move, limit: i16) -> Option<Square> {
    (!OR && limit != NO_LIMIT && mv.is_drop()).then(|| mv.to())
}

/// Tells the position after a possibly futile interposition from the same one reached otherwise.
const fn salt_of_interposition(square: Square) -> u64 {
    (square.index() as u64 + 1).wrapping_mul(0xa076_1d64_78bd_642f) & !1
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
            || self.children[first + usize::from(child.delayed_by)].numbers.delta::<OR>() == 0
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
                phi.saturating_add(threads * (phi / 2 + 1)).min(MAX_UNSOLVED)
            }
        }
    }

    /// The numbers of a node that its children solve, and the deciding move.
    pub(super) fn solved_numbers<const OR: bool>(
        &self,
        first: usize,
        limit: i16,
    ) -> (ProofNumbers, Option<Move>) {
        let children = &self.children[first..];
        let winners = children.iter().filter(|child| child.numbers.phi::<OR>() == 0);
        let all = all_hands(self.position.board());
        let board = self.position.board();
        if OR {
            let before_attack = |child: &Child| {
                let hand = child.numbers.hand;
                if child.puts_aside.is_some() {
                    hand
                } else {
                    hand_before_attack(board, child.mv, hand)
                }
            };
            let key = |child: &&Child| (child.length(), child.is_weak_non_promotion());
            if let Some(child) = winners.min_by_key(key) {
                let numbers = ProofNumbers {
                    counts_all: child.puts_aside.is_none() && child.numbers.counts_all,
                    ..ProofNumbers::proven(before_attack(child), child.length())
                };
                return (numbers, Some(child.mv));
            }
            let (mut hand, mut repetition_start) = (all, NO_REPETITION);
            for child in children {
                hand = hand.fewest(before_attack(child));
                repetition_start = repetition_start.min(child.numbers.repetition_start);
            }
            if limit > 0 {
                hand = disproof_without_new_drops(&self.position, hand);
            }
            let repetition_start = self.outside_of_node(repetition_start);
            (ProofNumbers::disproven(hand, repetition_start), None)
        } else {
            if let Some(child) = winners.max_by_key(|child| child.numbers.repetition_start) {
                let hand = all.fewest(child.numbers.hand);
                let repetition_start = self.outside_of_node(child.numbers.repetition_start);
                return (ProofNumbers::disproven(hand, repetition_start), Some(child.mv));
            }
            let (mut hand, mut length, mut best) = (Hand::EMPTY, 0, None);
            for child in children {
                hand = hand.most(child.numbers.hand);
                if best.is_none() || child.length() > length {
                    (length, best) = (child.length(), Some(child.mv));
                }
            }
            let hand = proof_against_interposing(&self.position, hand);
            let numbers = ProofNumbers {
                counts_all: children.iter().all(|child| child.numbers.counts_all),
                ..ProofNumbers::proven(hand, length)
            };
            (numbers, best)
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

// --- Proof hands and disproof hands ---
//
// The smallest hand of the attacker known to mate, and the largest known not to mate (Seo, Nagai).
//
// With the same board the pieces of both hands together are the same, so what the attacker lacks
// the defender has. A proof hand is never larger than the attacker's hand, a disproof hand never
// smaller.

/// The pieces of both hands together.
pub(super) fn all_hands(board: &Board) -> Hand {
    board.hand(Color::Black).together_with(board.hand(Color::White))
}

/// The attacker's hand after one of his moves.
pub(super) fn hand_after_attack(board: &Board, mv: Move) -> Hand {
    let mut hand = board.hand(board.side_to_move());
    if mv.is_drop() {
        hand.remove(mv.piece().kind());
    } else if let Some(captured) = board.piece_on(mv.to()) {
        hand.add(captured.kind().unpromoted());
    }
    hand
}

/// The proof or disproof hand before a move of the attacker, from the one after it.
pub(super) fn hand_before_attack(board: &Board, mv: Move, mut hand: Hand) -> Hand {
    if mv.is_drop() {
        hand.add(mv.piece().kind());
    } else if let Some(captured) = board.piece_on(mv.to()) {
        let kind = captured.kind().unpromoted();
        if hand.has(kind) {
            hand.remove(kind);
        }
    }
    hand
}

/// The proof hand of an AND node from that of its children: adds the kinds of which the defender
/// has none, because with one of them he could interpose more. Unchanged where no interposition is
/// possible.
pub(super) fn proof_against_interposing(position: &Position, mut hand: Hand) -> Hand {
    let board = position.board();
    let defender = board.side_to_move();
    if !can_interpose(position) {
        return hand;
    }
    let (held, attackers) = (board.hand(defender), board.hand(!defender));
    for kind in PieceType::HAND {
        if !held.has(kind) {
            hand = hand.with_count_of(kind, attackers);
        }
    }
    hand
}

/// Whether a piece can be dropped or moved between the king of the side to move and its checker.
pub(super) fn can_interpose(position: &Position) -> bool {
    let checkers = position.checkers();
    match (position.king(position.side_to_move()), checkers.first()) {
        (Some(king), Some(checker)) => !checkers.has_several() && between(king, checker).is_any(),
        _ => false,
    }
}

/// The disproof hand of an OR node from that of its children: removes the kinds that the attacker
/// has none of and that would give him checks by drops.
pub(super) fn disproof_without_new_drops(position: &Position, mut hand: Hand) -> Hand {
    let board = position.board();
    let attacker = board.side_to_move();
    let held = board.hand(attacker);
    let Some(king) = board.king(!attacker) else {
        return hand;
    };
    let mut squares = None;
    for kind in PieceType::HAND {
        if !held.has(kind) && hand.has(kind) {
            let squares = squares.get_or_insert_with(|| CheckSquares::new(board, king));
            let from_here = squares.of(kind) - board.occupied() - dead_ends(board, attacker, kind);
            if from_here.is_any() {
                hand = hand.with_count_of(kind, Hand::EMPTY);
            }
        }
    }
    hand
}

/// Squares where the attacker may not drop a piece of this kind: dead ends and double pawns.
fn dead_ends(board: &Board, attacker: Color, kind: PieceType) -> Bitboard {
    let edge = Bitboard::far_ranks(attacker, kind.dead_end_ranks());
    if kind == PieceType::Pawn {
        edge | board.pieces(attacker, PieceType::Pawn).fill_files()
    } else {
        edge
    }
}
