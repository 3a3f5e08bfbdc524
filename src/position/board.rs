//! The pieces on the board and in the hands, and whose turn it is: a position without its history.
//!
//! [`Board`] knows how pieces attack and what threatens a king, and can make and take back a move on itself. Keys,
//! repetition and everything else that depends on the game live in [`Position`](super::Position).

use crate::bitboard::{
    Bitboard, between, bishop_attacks, bishop_lines, gold_attacks, king_attacks, knight_attacks,
    lance_attacks, lance_line, pawn_attacks, reach_around, rook_attacks, rook_lines,
    silver_attacks,
};
use crate::types::{Color, Hand, Move, Piece, PieceType, Square};

/// Pieces, hands and the side to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board {
    squares: [Option<Piece>; Square::NUM],
    // By code of the kind; index 0 is unused.
    by_kind: [Bitboard; PieceType::NUM + 1],
    by_color: [Bitboard; Color::NUM],
    hands: [Hand; Color::NUM],
    kings: [Option<Square>; Color::NUM],
    side_to_move: Color,
}

/// What threatens the king of one side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct KingThreats {
    /// Enemy pieces that give check.
    pub checkers: Bitboard,
    /// Pieces of either side that alone stand between the king and an enemy slider.
    pub blockers: Bitboard,
    /// Enemy sliders behind a blocker of the king's own side.
    pub pinners: Bitboard,
}

impl Board {
    /// No pieces, black to move.
    pub(super) const EMPTY: Self = Self {
        squares: [None; Square::NUM],
        by_kind: [Bitboard::EMPTY; PieceType::NUM + 1],
        by_color: [Bitboard::EMPTY; Color::NUM],
        hands: [Hand::EMPTY; Color::NUM],
        kings: [None; Color::NUM],
        side_to_move: Color::Black,
    };

    /// The piece on a square.
    #[inline(always)]
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        self.squares[square.index()]
    }

    /// What stands on each square.
    #[inline(always)]
    pub fn squares(&self) -> &[Option<Piece>; Square::NUM] {
        &self.squares
    }

    /// All pieces of one kind.
    #[inline(always)]
    pub fn kind(&self, kind: PieceType) -> Bitboard {
        self.by_kind[kind.index()]
    }

    /// All pieces of one side.
    #[inline(always)]
    pub fn color(&self, color: Color) -> Bitboard {
        self.by_color[color.index()]
    }

    /// The pieces of one kind and side.
    #[inline(always)]
    pub fn pieces(&self, color: Color, kind: PieceType) -> Bitboard {
        self.kind(kind) & self.color(color)
    }

    /// Everything that moves as a gold.
    #[inline(always)]
    pub fn golds(&self) -> Bitboard {
        self.kind(PieceType::Gold)
            | self.kind(PieceType::ProPawn)
            | self.kind(PieceType::ProLance)
            | self.kind(PieceType::ProKnight)
            | self.kind(PieceType::ProSilver)
    }

    /// Bishops and horses.
    #[inline(always)]
    pub fn bishops_and_horses(&self) -> Bitboard {
        self.kind(PieceType::Bishop) | self.kind(PieceType::Horse)
    }

    /// Rooks and dragons.
    #[inline(always)]
    pub fn rooks_and_dragons(&self) -> Bitboard {
        self.kind(PieceType::Rook) | self.kind(PieceType::Dragon)
    }

    /// Horses and dragons.
    #[inline(always)]
    pub fn horses_and_dragons(&self) -> Bitboard {
        self.kind(PieceType::Horse) | self.kind(PieceType::Dragon)
    }

    /// All pieces.
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.by_color[0] | self.by_color[1]
    }

    /// One side's hand.
    #[inline(always)]
    pub fn hand(&self, color: Color) -> Hand {
        self.hands[color.index()]
    }

    /// Where the king of one side stands, `None` where it has no king (tsume).
    #[inline(always)]
    pub fn king(&self, color: Color) -> Option<Square> {
        self.kings[color.index()]
    }

    /// Whose turn it is.
    #[inline(always)]
    pub fn side_to_move(&self) -> Color {
        self.side_to_move
    }

    pub(super) fn set_side_to_move(&mut self, side: Color) {
        self.side_to_move = side;
    }

    pub(super) fn hand_mut(&mut self, color: Color) -> &mut Hand {
        &mut self.hands[color.index()]
    }

    /// Sets a piece on an empty square.
    pub(super) fn put(&mut self, piece: Piece, square: Square) {
        debug_assert!(self.piece_on(square).is_none());
        self.squares[square.index()] = Some(piece);
        self.toggle(piece, Bitboard::of(square));
        if piece.kind() == PieceType::King {
            self.kings[piece.color().index()] = Some(square);
        }
    }

    /// Makes a move that is pseudo-legal here and passes the turn. Returns what was captured.
    #[inline(always)]
    pub(crate) fn apply(&mut self, mv: Move) -> Option<Piece> {
        let us = self.side_to_move;
        let (to, piece) = (mv.to(), mv.piece());
        debug_assert_eq!(piece.color(), us);
        self.side_to_move = us.opponent();
        let Some(from) = mv.from() else {
            self.hands[us.index()].remove(piece.kind());
            self.squares[to.index()] = Some(piece);
            self.toggle(piece, Bitboard::of(to));
            return None;
        };
        let captured = self.squares[to.index()];
        if let Some(captured) = captured {
            debug_assert_eq!(captured.color(), us.opponent());
            self.toggle(captured, Bitboard::of(to));
            self.hands[us.index()].add(captured.kind().unpromoted());
        }
        self.shift(us, mv.piece_before(), piece, from, to);
        self.squares[from.index()] = None;
        self.squares[to.index()] = Some(piece);
        captured
    }

    /// Takes back the move that [`Self::apply`] made last.
    #[inline(always)]
    pub(crate) fn revert(&mut self, mv: Move, captured: Option<Piece>) {
        let us = self.side_to_move.opponent();
        let (to, piece) = (mv.to(), mv.piece());
        self.side_to_move = us;
        let Some(from) = mv.from() else {
            self.hands[us.index()].add(piece.kind());
            self.squares[to.index()] = None;
            self.toggle(piece, Bitboard::of(to));
            return;
        };
        let before = mv.piece_before();
        self.shift(us, piece, before, to, from);
        self.squares[from.index()] = Some(before);
        self.squares[to.index()] = captured;
        if let Some(captured) = captured {
            self.toggle(captured, Bitboard::of(to));
            self.hands[us.index()].remove(captured.kind().unpromoted());
        }
    }

    /// Moves a piece between the sets.
    #[inline(always)]
    fn shift(&mut self, us: Color, before: Piece, after: Piece, from: Square, to: Square) {
        self.by_kind[before.kind_index()] ^= Bitboard::of(from);
        self.by_kind[after.kind_index()] ^= Bitboard::of(to);
        self.by_color[us.index()] ^= Bitboard::of(from) | Bitboard::of(to);
        if after.kind_index() == PieceType::King.index() {
            self.kings[us.index()] = Some(to);
        }
    }

    #[inline(always)]
    fn toggle(&mut self, piece: Piece, square: Bitboard) {
        self.by_kind[piece.kind_index()] ^= square;
        self.by_color[piece.color().index()] ^= square;
    }

    // --- Attacks ---

    /// Where `piece` on `square` attacks.
    pub fn attacks_of(&self, piece: Piece, square: Square, occupied: Bitboard) -> Bitboard {
        let color = piece.color();
        match piece.kind() {
            PieceType::Pawn => pawn_attacks(color, square),
            PieceType::Lance => lance_attacks(color, square, occupied),
            PieceType::Knight => knight_attacks(color, square),
            PieceType::Silver => silver_attacks(color, square),
            PieceType::Bishop => bishop_attacks(square, occupied),
            PieceType::Rook => rook_attacks(square, occupied),
            PieceType::King => king_attacks(square),
            PieceType::Horse => bishop_attacks(square, occupied) | king_attacks(square),
            PieceType::Dragon => rook_attacks(square, occupied) | king_attacks(square),
            PieceType::Gold
            | PieceType::ProPawn
            | PieceType::ProLance
            | PieceType::ProKnight
            | PieceType::ProSilver => gold_attacks(color, square),
        }
    }

    /// The pieces of `by` that attack `square` when `occupied` blocks the sliders.
    #[inline]
    pub fn attackers_by(&self, by: Color, square: Square, occupied: Bitboard) -> Bitboard {
        self.step_attackers_by(by, square)
            | self.slider_attackers(square, occupied) & self.color(by)
            | lance_attacks(!by, square, occupied) & self.pieces(by, PieceType::Lance)
    }

    /// Attackers that step: everything but lances and the lines of the other sliders.
    #[inline(always)]
    pub(super) fn step_attackers_by(&self, by: Color, square: Square) -> Bitboard {
        let kings = self.kind(PieceType::King) | self.horses_and_dragons();
        (pawn_attacks(!by, square) & self.kind(PieceType::Pawn)
            | knight_attacks(!by, square) & self.kind(PieceType::Knight)
            | silver_attacks(!by, square) & self.kind(PieceType::Silver)
            | gold_attacks(!by, square) & self.golds()
            | king_attacks(square) & kings)
            & self.color(by)
    }

    #[inline(always)]
    pub(super) fn slider_attackers(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let (bishops, rooks) = (self.bishops_and_horses(), self.rooks_and_dragons());
        let mut attackers = Bitboard::EMPTY;
        if bishop_lines(square).intersects(bishops) {
            attackers |= bishop_attacks(square, occupied) & bishops;
        }
        if rook_lines(square).intersects(rooks) {
            attackers |= rook_attacks(square, occupied) & rooks;
        }
        attackers
    }

    /// Enemy sliders that would attack the king of `color` on the empty board.
    #[inline(always)]
    fn snipers(&self, color: Color, king: Square) -> Bitboard {
        (bishop_lines(king) & self.bishops_and_horses()
            | rook_lines(king) & self.rooks_and_dragons()
            | lance_line(color, king) & self.kind(PieceType::Lance))
            & self.color(!color)
    }

    /// Checkers, blockers and pinners of the king of `color`; nothing where it has no king.
    #[inline]
    pub fn king_threats(&self, color: Color) -> KingThreats {
        let Some(king) = self.king(color) else {
            return KingThreats::default();
        };
        let mut threats = KingThreats {
            checkers: self.step_attackers_by(!color, king),
            ..KingThreats::default()
        };
        self.add_line_threats(color, king, &mut threats);
        threats
    }

    /// [`Self::king_threats`] of the side to move when `last` was the move that led here: of the pieces that step only
    /// the one that moved can give check.
    #[inline(always)]
    pub(crate) fn king_threats_after(&self, last: Move) -> KingThreats {
        let color = self.side_to_move;
        let Some(king) = self.king(color) else {
            return KingThreats::default();
        };
        let mut threats = KingThreats::default();
        let is_near = reach_around(king).step.contains(last.to());
        if is_near && step_attacks_of(last.piece(), last.to()).contains(king) {
            threats.checkers = Bitboard::of(last.to());
        }
        self.add_line_threats(color, king, &mut threats);
        threats
    }

    /// [`Self::king_threats`] of a side whose king no piece that steps attacks, as after its own legal move.
    #[inline(always)]
    pub(crate) fn line_threats(&self, color: Color) -> KingThreats {
        let mut threats = KingThreats::default();
        if let Some(king) = self.king(color) {
            self.add_line_threats(color, king, &mut threats);
        }
        threats
    }

    #[inline(always)]
    fn add_line_threats(&self, color: Color, king: Square, threats: &mut KingThreats) {
        let occupied = self.occupied();
        for sniper in self.snipers(color, king) {
            let blockers = between(king, sniper) & occupied;
            if blockers.is_empty() {
                threats.checkers |= Bitboard::of(sniper);
            } else if !blockers.has_several() {
                threats.blockers |= blockers;
                if blockers.intersects(self.color(color)) {
                    threats.pinners |= Bitboard::of(sniper);
                }
            }
        }
    }

    /// Of the squares around `king`, those that `by` attacks when the king itself does not block: where it cannot go.
    /// `occupied` is without the king. Squares that are no neighbours of `king` may be set or not.
    #[inline(always)]
    pub(crate) fn attacked_around(&self, by: Color, king: Square, occupied: Bitboard) -> Bitboard {
        let attackers = self.color(by);
        let kings = (self.kind(PieceType::King) | self.horses_and_dragons()) & attackers;
        let golds = self.golds() & attackers;
        let silvers = self.kind(PieceType::Silver) & attackers;
        let pawns = self.kind(PieceType::Pawn) & attackers;
        let knights = self.kind(PieceType::Knight) & attackers;
        // All steppers at once: what reaches straight ahead or back, and what then goes one file aside.
        let ahead = (silvers | golds | kings).forward(by);
        let aside = ahead
            | (silvers | kings).forward(!by)
            | golds
            | kings
            | knights.forward(by).forward(by);
        let mut attacked =
            ahead | pawns.forward(by) | (golds | kings).forward(!by) | aside.left() | aside.right();

        let reach = reach_around(king);
        for square in self.bishops_and_horses() & attackers & reach.bishop {
            attacked |= bishop_attacks(square, occupied);
        }
        for square in self.rooks_and_dragons() & attackers & reach.rook {
            attacked |= rook_attacks(square, occupied);
        }
        for square in self.kind(PieceType::Lance) & attackers & reach.lance[by.index()] {
            attacked |= lance_attacks(by, square, occupied);
        }
        attacked
    }
}

/// Attacks of `piece` that are steps: nothing for lances, the neighbours' part for horses and dragons.
#[inline(always)]
fn step_attacks_of(piece: Piece, square: Square) -> Bitboard {
    let color = piece.color();
    match piece.kind() {
        PieceType::Pawn => pawn_attacks(color, square),
        PieceType::Knight => knight_attacks(color, square),
        PieceType::Silver => silver_attacks(color, square),
        PieceType::Lance | PieceType::Bishop | PieceType::Rook => Bitboard::EMPTY,
        PieceType::King | PieceType::Horse | PieceType::Dragon => king_attacks(square),
        PieceType::Gold
        | PieceType::ProPawn
        | PieceType::ProLance
        | PieceType::ProKnight
        | PieceType::ProSilver => gold_attacks(color, square),
    }
}
