//! Positions with one piece removed, to explain what each piece is worth.

use super::base::Position;
use super::board::Board;
use crate::types::{Color, Hand, PieceType, Square};

impl Position {
    /// The position without the piece on `square`; `None` where the square is empty or has a king.
    ///
    /// It has no history and may be impossible in a game: the side that is not to move may be in
    /// check. It is for evaluation only; no moves may be made on it.
    pub fn without_piece(&self, square: Square) -> Option<Self> {
        let piece = self.piece_on(square)?;
        if piece.kind() == PieceType::King {
            return None;
        }
        let hands = Color::ALL.map(|color| self.hand(color));
        Some(self.rebuilt(Some(square), hands))
    }

    /// The position with one piece of this kind removed from the hand of `owner`; `None` where
    /// there is none. As with [`Self::without_piece`], no moves may be made on it.
    pub fn without_piece_in_hand(&self, owner: Color, kind: PieceType) -> Option<Self> {
        let mut hands = Color::ALL.map(|color| self.hand(color));
        if !hands[owner.index()].has(kind) {
            return None;
        }
        hands[owner.index()].remove(kind);
        Some(self.rebuilt(None, hands))
    }

    fn rebuilt(&self, left_out: Option<Square>, hands: [Hand; Color::NUM]) -> Self {
        let mut board = Board::EMPTY;
        for square in self.board.occupied() {
            if let (Some(piece), true) = (self.piece_on(square), Some(square) != left_out) {
                board.put(piece, square);
            }
        }
        for color in Color::ALL {
            *board.hand_mut(color) = hands[color.index()];
        }
        board.set_side_to_move(self.side_to_move());
        Self::from_any_board(board, self.game_ply())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_piece_is_gone() {
        let position: Position =
            Position::from_sfen("4k4/9/9/9/9/4R4/9/9/4K3L w G2P 5").expect("good");
        let sfen = |position: Option<Position>| position.map(|position| position.to_sfen());
        let without = |square| sfen(position.without_piece(square));
        assert_eq!(
            without(Square::S56).as_deref(),
            Some("4k4/9/9/9/9/9/9/9/4K3L w G2P 5")
        );
        assert_eq!(
            without(Square::S19).as_deref(),
            Some("4k4/9/9/9/9/4R4/9/9/4K4 w G2P 5")
        );
        assert_eq!(without(Square::S59), None);
        assert_eq!(without(Square::S11), None);
        let in_hand = |owner, kind| sfen(position.without_piece_in_hand(owner, kind));
        assert_eq!(
            in_hand(Color::Black, PieceType::Pawn).as_deref(),
            Some("4k4/9/9/9/9/4R4/9/9/4K3L w GP 5")
        );
        assert_eq!(in_hand(Color::White, PieceType::Pawn), None);
        assert_eq!(in_hand(Color::Black, PieceType::Dragon), None);
    }

    /// A pinned piece leaves its king in check, whoever is to move.
    #[test]
    fn the_rest_may_be_impossible() {
        let position: Position =
            Position::from_sfen("4k4/4p4/9/9/9/4R4/9/9/4K4 b - 1").expect("good");
        let without = position.without_piece(Square::S52).expect("a pawn");
        assert!(without.king_threats(Color::White).checkers.is_any());
    }
}
