//! Attacks of the pieces on a board, threats to the kings, and attacks by pieces of lesser value.

use super::Board;
use crate::bitboard::{
    Bitboard, between, bishop_attacks, bishop_lines, gold_attacks, king_attacks,
};
use crate::bitboard::{knight_attacks, lance_attacks, lance_line, pawn_attacks, reach_around};
use crate::bitboard::{rook_attacks, rook_lines, silver_attacks};
use crate::types::{Color, Move, Piece, PieceType, Square};

/// Threats to the king of one side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct KingThreats {
    /// Enemy pieces that give check.
    pub checkers: Bitboard,
    /// Pieces of either side that are alone between the king and an enemy slider.
    pub blockers: Bitboard,
    /// Enemy sliders behind a blocker of the king's own side.
    pub pinners: Bitboard,
}

impl Board {
    /// The squares that `piece` on `square` attacks.
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
            | self.lance_attackers_by(by, square, occupied)
    }

    /// The lances of `by` that attack `square`.
    #[inline(always)]
    pub(super) fn lance_attackers_by(
        &self,
        by: Color,
        square: Square,
        occupied: Bitboard,
    ) -> Bitboard {
        let lances = lance_line(!by, square) & self.pieces(by, PieceType::Lance);
        if lances.is_empty() {
            return lances;
        }
        lance_attacks(!by, square, occupied) & lances
    }

    /// Attackers by steps: all but lances and the lines of other sliders.
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

    /// Checkers, blockers and pinners of the king of `color`; none where it has no king.
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

    /// [`Self::king_threats`] of the side to move after the move `last`: of the pieces that step
    /// only the moved one can give check.
    #[inline(always)]
    pub(crate) fn king_threats_after(&self, last: Move) -> KingThreats {
        let color = self.side_to_move();
        let Some(king) = self.king(color) else {
            return KingThreats::default();
        };
        let mut threats = Self::step_threats(king, last);
        self.add_line_threats(color, king, &mut threats);
        threats
    }

    /// [`Self::king_threats_after`] for a legal move, where `color` is the side to move, with
    /// `before`, the threats before it: lines change only if a square on them does.
    #[inline(always)]
    pub(super) fn threats_by(&self, color: Color, last: Move, before: &KingThreats) -> KingThreats {
        let Some(king) = self.king(color) else {
            return KingThreats::default();
        };
        let mut threats = Self::step_threats(king, last);
        self.update_line_threats(color, king, last, before, &mut threats);
        threats
    }

    /// The check by a step of the moved piece.
    #[inline(always)]
    fn step_threats(king: Square, last: Move) -> KingThreats {
        let mut threats = KingThreats::default();
        let is_near = reach_around(king).step.contains(last.to());
        if is_near && step_attacks_of(last.piece(), last.to()).contains(king) {
            threats.checkers = Bitboard::of(last.to());
        }
        threats
    }

    /// [`Self::king_threats`] of `color`, the side that made the legal move `last`, with `before`,
    /// the threats before it. There are no checkers.
    #[inline(always)]
    pub(super) fn threats_left(
        &self,
        color: Color,
        last: Move,
        before: &KingThreats,
    ) -> KingThreats {
        let mut threats = KingThreats::default();
        if let Some(king) = self.king(color) {
            self.update_line_threats(color, king, last, before, &mut threats);
        }
        threats
    }

    #[inline(always)]
    fn update_line_threats(
        &self,
        color: Color,
        king: Square,
        last: Move,
        before: &KingThreats,
        threats: &mut KingThreats,
    ) {
        // Most kings have no snipers for long, which is predicted better than where moves go.
        let snipers = self.snipers(color, king);
        if snipers.is_empty() {
            return;
        }
        let lines = bishop_lines(king) | rook_lines(king);
        let mut changed = Bitboard::of(last.to());
        if let Some(from) = last.from() {
            changed |= Bitboard::of(from);
        }
        if changed.intersects(lines) {
            self.add_threats_of(snipers, color, king, threats);
        } else {
            threats.blockers = before.blockers;
            threats.pinners = before.pinners;
        }
    }

    #[inline(always)]
    fn add_line_threats(&self, color: Color, king: Square, threats: &mut KingThreats) {
        self.add_threats_of(self.snipers(color, king), color, king, threats);
    }

    #[inline(always)]
    fn add_threats_of(
        &self,
        snipers: Bitboard,
        color: Color,
        king: Square,
        threats: &mut KingThreats,
    ) {
        let occupied = self.occupied();
        for sniper in snipers {
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

    /// Whether `by` may attack a neighbour of `king`: false only where it has no piece that could
    /// on the empty board.
    #[inline(always)]
    pub(crate) fn may_reach_around(&self, by: Color, king: Square) -> bool {
        let reach = reach_around(king);
        let origins = reach.step_beside
            | self.bishops_and_horses() & reach.bishop
            | self.rooks_and_dragons() & reach.rook
            | self.kind(PieceType::Lance) & reach.lance[by.index()];
        origins.intersects(self.color(by))
    }

    /// The neighbours of `king` that `by` attacks when the king itself does not block, and which it
    /// therefore cannot enter. `occupied` excludes the king. Bits of other squares are undefined.
    #[inline(always)]
    pub(crate) fn attacked_around(&self, by: Color, king: Square, occupied: Bitboard) -> Bitboard {
        self.reached_around(by, self.color(by), king, occupied)
    }

    /// The neighbours of the king of `color` that its other pieces defend, so that a checking piece
    /// there can be captured by more than the king. Bits of other squares are undefined.
    #[inline(always)]
    pub(crate) fn defended_around(&self, color: Color, king: Square) -> Bitboard {
        let defenders = self.color(color) - Bitboard::of(king);
        self.reached_around(color, defenders, king, self.occupied())
    }

    /// [`Self::attacked_around`] by the side that makes a move, after it. `occupied` is that after
    /// the move, without the king.
    #[inline]
    pub(crate) fn attacked_around_after(
        &self,
        mv: Move,
        king: Square,
        occupied: Bitboard,
    ) -> Bitboard {
        let (piece, to) = (mv.piece(), mv.to());
        let by = piece.color();
        let moved = mv.from().map_or(Bitboard::EMPTY, Bitboard::of);
        let others = self.color(by) - moved;
        self.reached_around(by, others, king, occupied) | self.attacks_of(piece, to, occupied)
    }

    /// [`Self::attacked_around`] by the pieces in `attackers`, all of side `by`.
    #[inline(always)]
    fn reached_around(
        &self,
        by: Color,
        attackers: Bitboard,
        king: Square,
        occupied: Bitboard,
    ) -> Bitboard {
        let mut attacked = (self.kind(PieceType::Pawn) & attackers).forward(by)
            | stepped(
                by,
                self.kind(PieceType::Knight) & attackers,
                self.kind(PieceType::Silver) & attackers,
                self.golds() & attackers,
                (self.kind(PieceType::King) | self.horses_and_dragons()) & attackers,
            );

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

/// The squares that these pieces of `by` attack by steps: steps along the file first, then those to
/// the neighbouring files. Horses and dragons step as kings.
#[inline(always)]
fn stepped(
    by: Color,
    knights: Bitboard,
    silvers: Bitboard,
    golds: Bitboard,
    kings: Bitboard,
) -> Bitboard {
    let ahead = (silvers | golds | kings).forward(by);
    let aside =
        ahead | (silvers | kings).forward(!by) | golds | kings | knights.forward(by).forward(by);
    ahead | (golds | kings).forward(!by) | aside.left() | aside.right()
}

/// Attacks of `piece` by steps: none for lances, bishops and rooks, the neighbours for horses and
/// dragons.
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

// --- Attacks by pieces of lesser value ---

/// Squares that one side attacks with pieces of each class or a lesser one: nothing, pawns, those,
/// lances and knights, and all these, silvers, golds and what moves as gold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LesserAttacks([Bitboard; CLASSES]);

const CLASSES: usize = 4;
const NOTHING: usize = 0;
const PAWNS: usize = 1;
const SMALL: usize = 2;
const GENERALS: usize = 3;

/// By kind: the class of the attacks by pieces of a lesser class.
static LESSER: [u8; PieceType::NUM] = {
    let mut classes = [NOTHING as u8; PieceType::NUM];
    let mut index = 0;
    while index < PieceType::ALL.len() {
        let kind = PieceType::ALL[index];
        let class = match kind {
            PieceType::Pawn | PieceType::King => NOTHING,
            PieceType::Lance | PieceType::Knight => PAWNS,
            PieceType::Bishop | PieceType::Rook | PieceType::Horse | PieceType::Dragon => GENERALS,
            PieceType::Silver
            | PieceType::Gold
            | PieceType::ProPawn
            | PieceType::ProLance
            | PieceType::ProKnight
            | PieceType::ProSilver => SMALL,
        };
        classes[kind.index()] = class as u8;
        index += 1;
    }
    classes
};

impl LesserAttacks {
    /// Where a piece of this kind would be attacked by a piece of a lesser class. The classes are:
    /// pawns; lances and knights; generals; bishops and rooks, promoted or not. Empty for pawns and
    /// kings.
    #[inline(always)]
    pub fn on(&self, kind: PieceType) -> Bitboard {
        // The remainder changes nothing and spares the bounds check.
        self.0[usize::from(LESSER[kind.index()]) % CLASSES]
    }
}

impl Board {
    /// The squares that `by` attacks with pawns, lances, knights and generals, by class.
    #[inline(always)]
    pub fn lesser_attacks(&self, by: Color) -> LesserAttacks {
        let own = self.color(by);
        let pawns = (self.kind(PieceType::Pawn) & own).forward(by);
        let none = Bitboard::EMPTY;
        let knights = self.kind(PieceType::Knight) & own;
        let mut small = pawns | stepped(by, knights, none, none, none);
        for lance in self.kind(PieceType::Lance) & own {
            small |= lance_attacks(by, lance, self.occupied());
        }
        let silvers = self.kind(PieceType::Silver) & own;
        let generals = small | stepped(by, none, silvers, self.golds() & own, none);
        LesserAttacks([none, pawns, small, generals])
    }

    /// The pieces of `color` that are attacked by a piece of a lesser class, where `attacks` are
    /// those of the enemy.
    #[inline(always)]
    pub fn threatened(&self, color: Color, attacks: &LesserAttacks) -> Bitboard {
        let small = self.kind(PieceType::Lance) | self.kind(PieceType::Knight);
        let generals = self.kind(PieceType::Silver) | self.golds();
        let big = self.bishops_and_horses() | self.rooks_and_dragons();
        let threatened =
            small & attacks.0[PAWNS] | generals & attacks.0[SMALL] | big & attacks.0[GENERALS];
        threatened & self.color(color)
    }

    /// All squares that `by` attacks, where `lesser` are its attacks by class.
    #[inline(always)]
    pub fn attacked(&self, by: Color, lesser: &LesserAttacks) -> Bitboard {
        let own = self.color(by);
        let none = Bitboard::EMPTY;
        let kings = (self.kind(PieceType::King) | self.horses_and_dragons()) & own;
        let mut attacked = lesser.0[GENERALS] | stepped(by, none, none, none, kings);
        for square in self.bishops_and_horses() & own {
            attacked |= bishop_attacks(square, self.occupied());
        }
        for square in self.rooks_and_dragons() & own {
            attacked |= rook_attacks(square, self.occupied());
        }
        attacked
    }
}
