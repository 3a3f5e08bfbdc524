//! Legality of moves: `legal_move` is the way from a stored or typed move to a playable one. Its
//! steps are `to_move`, which restores the piece, `pseudo_legal`, which checks the movement of the
//! piece, and `legal`, which checks king safety and pawn-drop mate.

use super::{Board, KingThreats, Position};
use crate::bitboard::{Bitboard, between, bishop_lines, gold_attacks, is_aligned, king_attacks};
use crate::bitboard::{knight_attacks, lance_line, pawn_attacks, rook_lines, silver_attacks};
use crate::types::{Color, Move, Move16, Piece, PieceType, Square};

impl Position {
    /// The legal move that a stored or typed move stands for here; `None` if it is illegal. A move
    /// of any origin becomes playable here and nowhere else.
    #[inline]
    pub fn legal_move(&self, mv: Move16) -> Option<Move> {
        self.to_move(mv).filter(|&mv| self.is_legal(mv))
    }

    /// The legal moves that the words of a text name, each after the ones before. Ends at the first
    /// word that names none.
    pub fn legal_line(&self, text: &str) -> Vec<Move> {
        let mut position = self.clone();
        let mut moves = Vec::new();
        for word in text.split_whitespace() {
            let named: Option<Move16> = word.parse().ok();
            let Some(mv) = named.and_then(|mv| position.legal_move(mv)) else {
                break;
            };
            position.do_move(mv);
            moves.push(mv);
        }
        moves
    }

    /// Whether a move, of any origin, is legal here.
    #[inline]
    pub fn is_legal(&self, mv: Move) -> bool {
        self.pseudo_legal(mv) && self.legal(mv)
    }

    /// Restores a stored move. `None` where the side to move has no such piece on the square or in
    /// hand, or the piece does not promote. This is the first check against moves of another
    /// position; the result still needs [`Self::is_legal`], see [`Self::legal_move`].
    #[inline]
    pub fn to_move(&self, mv: Move16) -> Option<Move> {
        self.board.to_move(mv)
    }

    /// Whether a move, of any origin, is pseudo-legal here: its piece belongs to the side to move
    /// and stands on the origin (or is in hand), its path is free, it promotes only where allowed,
    /// leaves no piece without further moves, makes no double pawn, and answers a check.
    /// [`Self::legal`] checks king safety and pawn-drop mate.
    pub fn pseudo_legal(&self, mv: Move) -> bool {
        let us = self.side_to_move();
        let piece = mv.piece();
        if piece.color() != us {
            return false;
        }
        match mv.from() {
            None => self.pseudo_legal_drop(us, piece.kind(), mv.to()),
            Some(from) => self.pseudo_legal_board_move(us, mv, from),
        }
    }

    fn pseudo_legal_drop(&self, us: Color, kind: PieceType, to: Square) -> bool {
        if !self.hand(us).has(kind)
            || self.piece_on(to).is_some()
            || to.rank().distance_to_edge(us) < kind.dead_end_ranks()
        {
            return false;
        }
        let file = Bitboard::file(to.file());
        if kind == PieceType::Pawn && self.board.pieces(us, PieceType::Pawn).intersects(file) {
            return false;
        }
        self.blocks_every_check(us, to)
    }

    fn pseudo_legal_board_move(&self, us: Color, mv: Move, from: Square) -> bool {
        let to = mv.to();
        let piece = mv.piece_before();
        if self.piece_on(from) != Some(piece) || self.board.color(us).contains(to) {
            return false;
        }
        if mv.is_promotion() {
            if !from.rank().is_promotion_zone(us) && !to.rank().is_promotion_zone(us) {
                return false;
            }
        } else if to.rank().distance_to_edge(us) < piece.kind().dead_end_ranks() {
            return false;
        }
        if !self.board.attacks_of(piece, from, self.board.occupied()).contains(to) {
            return false;
        }
        piece.kind() == PieceType::King
            || self.checkers() == Bitboard::of(to)
            || self.blocks_every_check(us, to)
    }

    /// Whether a piece other than the king on `to` blocks every check; true without a check.
    fn blocks_every_check(&self, us: Color, to: Square) -> bool {
        let checkers = self.checkers();
        match (checkers.first(), self.king(us)) {
            (Some(checker), Some(king)) => {
                !checkers.has_several() && between(king, checker).contains(to)
            }
            _ => true,
        }
    }

    /// Whether a pseudo-legal move leaves the own king safe and is not a pawn-drop mate.
    #[inline(always)]
    pub fn legal(&self, mv: Move) -> bool {
        let kind = mv.piece().kind();
        match mv.from() {
            None => kind != PieceType::Pawn || self.legal_pawn_drop(mv.to()),
            Some(from) if kind == PieceType::King => self.legal_king_move(from, mv.to()),
            Some(from) => {
                let us = self.side_to_move();
                !self.king_threats(us).blockers.contains(from)
                    || (self.king(us)).is_none_or(|king| is_aligned(king, from, mv.to()))
            }
        }
    }

    #[inline(never)]
    fn legal_pawn_drop(&self, to: Square) -> bool {
        !self.is_pawn_drop_mate(self.side_to_move(), to)
    }

    #[inline(never)]
    fn legal_king_move(&self, king: Square, to: Square) -> bool {
        let occupied = self.board.occupied() - Bitboard::of(king);
        let them = self.side_to_move().opponent();
        self.board.attackers_by(them, to, occupied).is_empty()
    }

    /// Whether dropping a pawn of `us` on `to` mates, which the rules forbid (打ち歩詰め).
    fn is_pawn_drop_mate(&self, us: Color, to: Square) -> bool {
        let gives_check = self.king(!us).is_some_and(|king| pawn_attacks(us, to).contains(king));
        gives_check && self.board.is_pawn_drop_mate(us, to, self.king_threats(!us))
    }

    /// Whether a pseudo-legal move gives a discovered check.
    #[inline(always)]
    pub fn uncovers_check(&self, mv: Move) -> bool {
        let them = self.side_to_move().opponent();
        match (mv.from(), self.king(them)) {
            (Some(from), Some(king)) => {
                self.king_threats(them).blockers.contains(from) && !is_aligned(king, from, mv.to())
            }
            _ => false,
        }
    }

    /// Whether a pseudo-legal move gives check.
    pub fn gives_check(&self, mv: Move) -> bool {
        let us = self.side_to_move();
        let Some(king) = self.king(!us) else {
            return false;
        };
        let (piece, to) = (mv.piece(), mv.to());
        let mut occupied = self.board.occupied() | Bitboard::of(to);
        if let Some(from) = mv.from() {
            if self.king_threats(!us).blockers.contains(from) && !is_aligned(king, from, to) {
                return true;
            }
            occupied = occupied - Bitboard::of(from);
        }
        let is_open = || !between(to, king).intersects(occupied);
        match piece.kind() {
            PieceType::Pawn => pawn_attacks(us, to).contains(king),
            PieceType::Lance => lance_line(us, to).contains(king) && is_open(),
            PieceType::Knight => knight_attacks(us, to).contains(king),
            PieceType::Silver => silver_attacks(us, to).contains(king),
            PieceType::Bishop => bishop_lines(to).contains(king) && is_open(),
            PieceType::Rook => rook_lines(to).contains(king) && is_open(),
            // Adjacent squares have nothing between them, so the lines cover the steps along them.
            PieceType::Horse => (bishop_lines(to) | king_attacks(to)).contains(king) && is_open(),
            PieceType::Dragon => (rook_lines(to) | king_attacks(to)).contains(king) && is_open(),
            PieceType::King => false,
            PieceType::Gold
            | PieceType::ProPawn
            | PieceType::ProLance
            | PieceType::ProKnight
            | PieceType::ProSilver => gold_attacks(us, to).contains(king),
        }
    }
}

impl Board {
    /// As [`Position::to_move`].
    #[inline]
    pub(crate) fn to_move(&self, mv: Move16) -> Option<Move> {
        let us = self.side_to_move();
        let to = mv.to()?;
        if mv.is_drop() {
            let kind = mv.dropped_kind()?;
            let is_possible = !mv.is_promotion() && self.hand(us).has(kind);
            return is_possible.then(|| Move::drop(Piece::new(us, kind), to));
        }
        let from = mv.from()?;
        let piece = self.piece_on(from)?;
        if piece.color() != us || from == to {
            return None;
        }
        if mv.is_promotion() {
            Some(Move::promotion(from, to, piece.promoted()?))
        } else {
            Some(Move::normal(from, to, piece))
        }
    }

    /// Whether a pawn drop of `us` on `to`, next to the enemy king, mates. `threats` are those to
    /// the enemy king without that pawn.
    pub(crate) fn is_pawn_drop_mate(&self, us: Color, to: Square, threats: &KingThreats) -> bool {
        let them = !us;
        let Some(king) = self.king(them) else {
            return false;
        };
        debug_assert!(pawn_attacks(us, to).contains(king));
        let occupied = self.occupied() | Bitboard::of(to);
        // A pinned piece may capture the pawn only along its pin, which is the file, because the
        // pawn stands next to the king.
        let defenders = self.attackers_by(them, to, occupied) - Bitboard::of(king);
        let free = defenders - threats.blockers;
        let along_the_pin = defenders & threats.blockers & Bitboard::file(to.file());
        if (free | along_the_pin).is_any() {
            return false;
        }
        let escapes = king_attacks(king) - self.color(them);
        let attacked = self.attacked_around(us, king, occupied - Bitboard::of(king));
        (escapes - attacked).is_empty()
    }
}
