//! The walk over pieces and hands that all kinds of generation share.

use arrayvec::ArrayVec;

use super::sink::Sink;
use crate::bitboard::{
    Bitboard, bishop_attacks, gold_attacks, king_attacks, knight_attacks, lance_attacks, line,
    rook_attacks, silver_attacks,
};
use crate::position::Board;
use crate::types::{Color, Piece, PieceType, Square};

/// Generates moves of the side to move of `board` into `sink`.
pub(super) struct Generator<'a, S: Sink, const ALL: bool> {
    pub(super) board: &'a Board,
    pub(super) us: Color,
    /// Pieces that may move only along the line to their king; empty for pseudo-legal generation.
    pub(super) pinned: Bitboard,
    pub(super) sink: &'a mut S,
}

impl<'a, S: Sink, const ALL: bool> Generator<'a, S, ALL> {
    /// A generator of the moves of `us`, the side to move, that ignores pins and king safety.
    #[inline(always)]
    pub(super) fn pseudo_legal(board: &'a Board, us: Color, sink: &'a mut S) -> Self {
        Self {
            board,
            us,
            pinned: Bitboard::EMPTY,
            sink,
        }
    }

    /// All board moves onto `targets`, which the enemy occupies.
    #[inline(always)]
    pub(super) fn captures(&mut self, targets: Bitboard) {
        self.pieces::<true>(targets);
        self.king_moves(targets);
    }

    /// All moves and drops onto `targets`, which are empty.
    #[inline(always)]
    pub(super) fn quiets(&mut self, targets: Bitboard) {
        self.pieces::<false>(targets);
        self.king_moves(targets);
        self.drops(targets, targets);
    }

    #[inline(always)]
    fn king_moves(&mut self, targets: Bitboard) {
        if let Some(king) = self.board.king(self.us) {
            self.king(king, targets);
        }
    }

    /// King moves onto `targets`.
    #[inline(always)]
    pub(super) fn king(&mut self, king: Square, targets: Bitboard) {
        let piece = Piece::new(self.us, PieceType::King);
        self.sink
            .board_moves(king, piece, king_attacks(king) & targets, Bitboard::EMPTY);
    }

    /// Moves of all pieces but the king onto `targets`. With `FEW` targets, skips the pieces that
    /// step and stand too far from all of them.
    #[inline(always)]
    pub(super) fn pieces<const FEW: bool>(&mut self, targets: Bitboard) {
        let (board, us) = (self.board, self.us);
        let occupied = board.occupied();
        let movable = board.color(us) - self.pinned;
        let (knights, steppers) = if FEW {
            let ahead = targets.forward(!us).forward(!us);
            let near = targets | targets.forward(us) | targets.forward(!us);
            (
                (ahead.left() | ahead.right()) & movable,
                (near | near.left() | near.right()) & movable,
            )
        } else {
            (movable, movable)
        };

        self.pawns(board.kind(PieceType::Pawn) & movable, targets);
        for from in board.kind(PieceType::Lance) & movable {
            self.moves_of::<FEW>(
                PieceType::Lance,
                from,
                lance_attacks(us, from, occupied) & targets,
            );
        }
        for from in board.kind(PieceType::Knight) & knights {
            self.moves_of::<FEW>(PieceType::Knight, from, knight_attacks(us, from) & targets);
        }
        for from in board.kind(PieceType::Silver) & steppers {
            self.moves_of::<FEW>(PieceType::Silver, from, silver_attacks(us, from) & targets);
        }
        for from in board.golds() & steppers {
            self.gold_moves::<FEW>(from, gold_attacks(us, from) & targets);
        }
        for from in board.kind(PieceType::Bishop) & movable {
            self.moves_of::<FEW>(
                PieceType::Bishop,
                from,
                bishop_attacks(from, occupied) & targets,
            );
        }
        for from in board.kind(PieceType::Rook) & movable {
            self.moves_of::<FEW>(
                PieceType::Rook,
                from,
                rook_attacks(from, occupied) & targets,
            );
        }
        for from in board.kind(PieceType::Horse) & movable {
            let attacks = bishop_attacks(from, occupied) | king_attacks(from);
            self.moves_of::<FEW>(PieceType::Horse, from, attacks & targets);
        }
        for from in board.kind(PieceType::Dragon) & movable {
            let attacks = rook_attacks(from, occupied) | king_attacks(from);
            self.moves_of::<FEW>(PieceType::Dragon, from, attacks & targets);
        }
        if self.pinned.is_any() {
            self.pinned_pieces(targets);
        }
    }

    #[cold]
    fn pinned_pieces(&mut self, targets: Bitboard) {
        let Some(king) = self.board.king(self.us) else {
            return;
        };
        for from in self.pinned {
            let Some(piece) = self.board.piece_on(from) else {
                continue;
            };
            let attacks = self.board.attacks_of(piece, from, self.board.occupied());
            self.moves_of::<true>(piece.kind(), from, attacks & targets & line(king, from));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, pawns: Bitboard, targets: Bitboard) {
        let us = self.us;
        let to = pawns.forward(us) & targets;
        let promoting = to & Bitboard::promotion_zone(us);
        let plain = if ALL {
            to - Bitboard::far_ranks(us, 1)
        } else {
            to - promoting
        };
        self.sink.pawn_steps(us, plain, promoting);
    }

    /// Passes on the moves of one piece from `from` to `to`, split by promotion.
    #[inline(always)]
    fn moves_of<const FEW: bool>(&mut self, kind: PieceType, from: Square, to: Bitboard) {
        if FEW && to.is_empty() {
            return;
        }
        let us = self.us;
        let piece = Piece::new(us, kind);
        if kind.promoted().is_none() {
            self.sink.board_moves(from, piece, to, Bitboard::EMPTY);
            return;
        }
        let zone = Bitboard::promotion_zone(us);
        let promoting = if zone.contains(from) { to } else { to & zone };
        let plain = match kind {
            PieceType::Pawn | PieceType::Bishop | PieceType::Rook if !ALL => to - promoting,
            PieceType::Lance if !ALL => to - Bitboard::far_ranks(us, 2),
            _ => to - Bitboard::far_ranks(us, kind.dead_end_ranks()),
        };
        self.sink.board_moves(from, piece, plain, promoting);
    }

    #[inline(always)]
    fn gold_moves<const FEW: bool>(&mut self, from: Square, to: Bitboard) {
        if FEW && to.is_empty() {
            return;
        }
        // Generation treats the five kinds alike; only the encoded move needs the kind.
        let kind = self
            .board
            .piece_on(from)
            .map_or(PieceType::Gold, Piece::kind);
        debug_assert!(kind.moves_as_gold());
        self.sink
            .board_moves(from, Piece::new(self.us, kind), to, Bitboard::EMPTY);
    }

    /// Drops of pawns onto `pawn_targets` and of other pieces onto `targets`, which are all empty.
    #[inline(always)]
    pub(super) fn drops(&mut self, targets: Bitboard, pawn_targets: Bitboard) {
        let (board, us) = (self.board, self.us);
        let hand = board.hand(us);
        if hand.has(PieceType::Pawn) {
            let files = board.pieces(us, PieceType::Pawn).fill_files();
            let open = pawn_targets - files - Bitboard::far_ranks(us, 1);
            self.sink.drops(us, &[PieceType::Pawn], open);
        }
        if !hand.has_more_than_pawns() || targets.is_empty() {
            return;
        }
        if hand.has(PieceType::Lance) {
            self.sink.drops(
                us,
                &[PieceType::Lance],
                targets - Bitboard::far_ranks(us, 1),
            );
        }
        if hand.has(PieceType::Knight) {
            self.sink.drops(
                us,
                &[PieceType::Knight],
                targets - Bitboard::far_ranks(us, 2),
            );
        }
        let kinds: ArrayVec<PieceType, 4> = PieceType::DROPPED_ANYWHERE
            .into_iter()
            .filter(|&kind| hand.has(kind))
            .collect();
        self.sink.drops(us, &kinds, targets);
    }
}

/// Whether `us` has a pawn in hand and none on the file of `square` (a set of one square).
#[inline(always)]
pub(super) fn can_drop_pawn(board: &Board, us: Color, square: Bitboard) -> bool {
    board.hand(us).has(PieceType::Pawn)
        && !board
            .pieces(us, PieceType::Pawn)
            .fill_files()
            .intersects(square)
}
