//! Static exchange evaluation: the result of a series of captures on one square.

use super::{Board, Position};
use crate::bitboard::{Bitboard, bishop_attacks, bishop_lines, rook_attacks, rook_lines};
use crate::types::value::piece_value;
use crate::types::{Color, Move, PieceType, Square, Value};

impl Board {
    /// The pieces of both sides that attack `square` when `occupied` blocks the sliders.
    pub fn attackers(&self, square: Square, occupied: Bitboard) -> Bitboard {
        self.step_attackers_by(Color::Black, square)
            | self.step_attackers_by(Color::White, square)
            | self.lance_attackers_by(Color::Black, square, occupied)
            | self.lance_attackers_by(Color::White, square, occupied)
            | self.slider_attackers(square, occupied)
    }

    /// Whether `color` has a bishop, rook, lance, horse or dragon in line with `square`, whatever
    /// stands between.
    #[inline]
    pub(crate) fn has_slider_towards(&self, color: Color, square: Square) -> bool {
        let straight = self.rooks_and_dragons() | self.kind(PieceType::Lance);
        let lined_up =
            bishop_lines(square) & self.bishops_and_horses() | rook_lines(square) & straight;
        lined_up.intersects(self.color(color))
    }

    /// The attackers of `square` among the pieces of `by`, without bishops, rooks, horses and
    /// dragons unless they step there.
    #[inline(always)]
    fn short_attackers_by(&self, by: Color, square: Square, occupied: Bitboard) -> Bitboard {
        self.step_attackers_by(by, square) | self.lance_attackers_by(by, square, occupied)
    }
}

impl Position {
    /// Whether the exchange that a pseudo-legal move starts on its target square gains at least
    /// `threshold`, in units of [`piece_value`].
    ///
    /// Each side in turn captures with its least valuable attacker or stops. Sliders behind
    /// capturing pieces join in. Pinned pieces stay out while one of their pinners is left. A king
    /// captures only if nothing can recapture. Promotions gain nothing: the moving piece counts as
    /// it stood before. Source: the swap algorithm of Stockfish's `see_ge`.
    pub fn see_ge(&self, mv: Move, threshold: Value) -> bool {
        let to = mv.to();
        let captured = self.piece_on(to).map_or(0, |piece| piece_value(piece.kind()));
        // The margin by which the side that captured last has reached its goal, from its point of
        // view.
        let mut swap = captured - threshold;
        if swap < 0 {
            return false;
        }
        swap = piece_value(mv.piece_before().kind()) - swap;
        if swap <= 0 {
            return true;
        }
        // The target square counts as empty: a pinner captured there pins no longer.
        let mut occupied = self.board.occupied() - Bitboard::of(to);
        if let Some(from) = mv.from() {
            occupied = occupied - Bitboard::of(from);
        }
        let mut side = self.side_to_move();
        let sliders = self.board.slider_attackers(to, occupied);
        let mut attackers = sliders | self.board.short_attackers_by(!side, to, occupied);
        if !attackers.intersects(self.board.color(!side) & occupied) {
            return true;
        }
        attackers |= self.board.short_attackers_by(side, to, occupied);
        let mut result = true;
        loop {
            side = side.opponent();
            attackers &= occupied;
            let mut own = attackers & self.board.color(side);
            let threats = self.king_threats(side);
            if threats.pinners.intersects(occupied) {
                own = own - threats.blockers;
            }
            let Some((kind, from)) = self.least_valuable(own) else {
                return result;
            };
            result = !result;
            if kind == PieceType::King {
                // The king may not capture a protected piece.
                let protected = attackers.intersects(self.board.color(side.opponent()));
                return result != protected;
            }
            swap = piece_value(kind) - swap;
            if swap < Value::from(result) {
                return result;
            }
            occupied = occupied - Bitboard::of(from);
            attackers |= self.uncovered_attackers(to, from, occupied);
        }
    }

    /// The least valuable of `pieces`, all of one side, and its square.
    fn least_valuable(&self, pieces: Bitboard) -> Option<(PieceType, Square)> {
        const ORDER: [PieceType; 14] = [
            PieceType::Pawn,
            PieceType::Lance,
            PieceType::Knight,
            PieceType::Silver,
            PieceType::Gold,
            PieceType::ProPawn,
            PieceType::ProLance,
            PieceType::ProKnight,
            PieceType::ProSilver,
            PieceType::Bishop,
            PieceType::Horse,
            PieceType::Rook,
            PieceType::Dragon,
            PieceType::King,
        ];
        if !pieces.has_several() {
            let square = pieces.first()?;
            return Some((self.piece_on(square)?.kind(), square));
        }
        ORDER.into_iter().find_map(|kind| Some((kind, (pieces & self.board.kind(kind)).first()?)))
    }

    /// Sliders of both sides that attack `to` now that a piece has left `from`.
    #[inline(always)]
    fn uncovered_attackers(&self, to: Square, from: Square, occupied: Bitboard) -> Bitboard {
        let board = &self.board;
        if bishop_lines(to).contains(from) {
            return bishop_attacks(to, occupied) & board.bishops_and_horses();
        }
        if !rook_lines(to).contains(from) {
            return Bitboard::EMPTY;
        }
        let mut uncovered = rook_attacks(to, occupied) & board.rooks_and_dragons();
        for color in Color::ALL {
            uncovered |= board.lance_attackers_by(color, to, occupied);
        }
        uncovered
    }
}
