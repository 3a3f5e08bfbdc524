//! The moves of a node, and the first look at the positions after them.

use super::hands;
use super::one_ply::mate_in_one;
use super::outlook::{NO_HORIZON, NO_LIMIT, Outlook};
use super::search::{AT_ONCE, Child, Search, less_one};
use super::table::Entry;
use crate::bitboard::Bitboard;
use crate::movegen;
use crate::types::{Hand, Key64, Move, MoveList, PieceType, Square};

impl Search<'_> {
    /// Appends the moves of the current node with all that is known about them.
    pub(super) fn expand<const OR: bool>(&mut self, limit: u16) {
        let first = self.children.len();
        self.generate::<OR>();
        self.defer::<OR>(first);
        let limit = less_one(limit);
        for index in first..self.children.len() {
            let child = self.children[index];
            self.children[index] = self.assess::<OR>(child, limit);
        }
    }

    fn generate<const OR: bool>(&mut self) {
        let mut moves = MoveList::new();
        if OR {
            movegen::checks::<true, 1>(&self.position, &mut moves);
        } else {
            movegen::evasions::<true, 1>(&self.position, &mut moves);
        }
        for &mv in &moves {
            if !self.position.legal(mv) {
                continue;
            }
            let board = self.position.board();
            let hand = if OR {
                hands::after_attack(board, mv)
            } else {
                board.hand(self.attacker)
            };
            let key = self.board_key_after(mv);
            self.table.prefetch(key);
            self.children.push(Child {
                mv,
                hand,
                key,
                outlook: Outlook::open(1, 1),
                amount: 0,
                depth: u16::MAX,
                after: AT_ONCE,
                loops: false,
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

    /// Lets interpositions on one square wait for each other, the cheapest first, and non-promotions for the promotion.
    fn defer<const OR: bool>(&mut self, first: usize) {
        let children = &mut self.children[first..];
        if !OR {
            let mut last = [AT_ONCE; Square::NUM];
            for (index, child) in children.iter_mut().enumerate() {
                if child.mv.is_drop() {
                    let to = child.mv.to().index();
                    child.after = last[to];
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
                children[index].after = better as u16;
            }
        }
    }

    /// What is known about the position after a move.
    fn assess<const OR: bool>(&mut self, mut child: Child, limit: u16) -> Child {
        let follows_path = limit == NO_LIMIT;
        if follows_path && let Some((number, hand)) = self.path.repeats(child.key, child.hand) {
            child.outlook = Outlook::refuted(hand, number);
            return child;
        }
        let Some(entry) = self.table.look_up(child.key, child.hand, limit) else {
            child.outlook = self.first_look::<OR>(&child, limit);
            child.amount = 1;
            return child;
        };
        child.outlook = entry.outlook;
        child.amount = entry.amount;
        child.depth = entry.depth;
        child.loops = entry.loops;
        if follows_path && entry.loops && !entry.outlook.is_settled() {
            let path_key = self.path.key_with(child.key, child.hand);
            if let Some((horizon, hand)) = self.table.loop_horizon(path_key) {
                child.outlook = Outlook::refuted(hand, horizon);
            }
        }
        child
    }

    /// Makes the move and looks what is there, without a search.
    fn first_look<const OR: bool>(&mut self, child: &Child, limit: u16) -> Outlook {
        self.position.do_move(child.mv);
        self.nodes += 1;
        let (mut outlook, mv) = if OR {
            (self.look_at_answers(limit), None)
        } else {
            self.look_at_checks()
        };
        self.position.undo_move();
        if !outlook.is_settled() {
            outlook.hand = child.hand;
        }
        let entry = Entry {
            outlook,
            amount: 1,
            limit,
            depth: self.path.number() as u16 + 1,
            mv: mv.map(Move::to_move16),
            loops: false,
        };
        self.table.store(child.key, &entry);
        outlook
    }

    /// A position in check: the fewer answers the better.
    fn look_at_answers(&self, limit: u16) -> Outlook {
        let mut answers = MoveList::new();
        movegen::evasions::<false, 1>(&self.position, &mut answers);
        answers.retain(|answer| self.position.legal(*answer));
        let Some(first) = answers.first() else {
            let hand = hands::proof_against_interposing(&self.position, Hand::EMPTY);
            return Outlook::mate(hand, 0);
        };
        if limit > 0 {
            return Outlook::open(count_work(&answers), 1);
        }
        let mut hand = hands::all_hands(self.position.board());
        // Drops come last: where the first answer is one, the defender needs that piece.
        if first.is_drop() {
            hand.remove(first.piece().kind());
        }
        Outlook::refuted(hand, NO_HORIZON)
    }

    /// A position in which the attacker moves: the more checks the better.
    fn look_at_checks(&mut self) -> (Outlook, Option<Move>) {
        if let Some(mv) = mate_in_one(&mut self.position) {
            self.position.do_move(mv);
            let hand = hands::proof_against_interposing(&self.position, Hand::EMPTY);
            self.position.undo_move();
            let hand = hands::proof_before_attack(self.position.board(), mv, hand);
            return (Outlook::mate(hand, 1), Some(mv));
        }
        let mut checks = MoveList::new();
        movegen::checks::<false, 1>(&self.position, &mut checks);
        let count = self.count_legal(&checks);
        if count == 0 {
            let all = hands::all_hands(self.position.board());
            let hand = hands::disproof_without_new_drops(&self.position, all);
            (Outlook::refuted(hand, NO_HORIZON), None)
        } else {
            (Outlook::open(1, count), None)
        }
    }

    fn count_legal(&self, moves: &MoveList) -> u32 {
        moves.iter().filter(|&&mv| self.position.legal(mv)).count() as u32
    }
}

/// How much work it seems to prove all answers lost. Interpositions on one square wait for each other, so they are one
/// answer, and half of one, because most are taken at once; so counted, a mate in 11 plies takes a quarter fewer nodes and a
/// long one half of them.
fn count_work(answers: &MoveList) -> u32 {
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
