//! Expansion of a node: its moves, their delays, and the numbers of its children, from the path,
//! the table, or the evaluation of a new leaf.

use super::entry::Entry;
use super::one_ply::mate_in_one;
use super::proof_hands;
use super::proof_numbers::{NO_LIMIT, NO_REPETITION, ProofNumbers, limit_after_move};
use super::worker::{Child, NOT_DELAYED, Worker};
use crate::bitboard::Bitboard;
use crate::movegen;
use crate::types::{Hand, Key64, Move, MoveList, PieceType, Square};

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
            let hand = proof_hands::proof_before_attack(self.position.board(), mv, hand);
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
