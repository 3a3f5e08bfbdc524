//! Wins by declaration after the own king has entered the enemy camp (入玉宣言勝ち), by six rules.

use super::{Board, Position};
use crate::bitboard::{Bitboard, king_attacks};
use crate::types::{Color, EnteringKingRule, Move, Piece, PieceType, Square};

/// How the side to move can win without further play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Declaration {
    /// By declaration: `bestmove win`.
    Win,
    /// By a king move to the initial square of the enemy king (try rule).
    Try(Move),
}

/// Points of a full set: 4 large pieces of 5, 34 others of 1.
const FULL_SET_POINTS: u32 = 54;
const LARGE_PIECE_POINTS: u32 = 5;
/// Least number of pieces besides the king in the enemy camp.
const PIECES_IN_CAMP: usize = 10;

impl Position {
    /// How the side to move can win by `rule` now. For a declaration its king must stand in the
    /// enemy camp and not in check, with at least ten other pieces there, and its points (camp and
    /// hand; bishop, rook, horse and dragon 5, others 1) must suffice. In the handicap variants the
    /// points missing from a full set in the first position are deducted from the requirement of
    /// the side that had fewer.
    #[inline]
    pub fn declaration(&self, rule: EnteringKingRule) -> Option<Declaration> {
        let us = self.side_to_move();
        let camp = Bitboard::promotion_zone(us);
        let king = self.king(us)?;
        match rule {
            EnteringKingRule::NoEnteringKing => None,
            EnteringKingRule::TryRule => self.try_move().map(Declaration::Try),
            _ if !camp.contains(king) => None,
            _ => self.declaration_in_camp(rule, us, king),
        }
    }

    #[cold]
    fn declaration_in_camp(
        &self,
        rule: EnteringKingRule,
        us: Color,
        king: Square,
    ) -> Option<Declaration> {
        if self.in_check() {
            return None;
        }
        let camp = Bitboard::promotion_zone(us);
        let required = self.required_points(rule, us);
        let in_camp = (self.board.color(us) & camp) - Bitboard::of(king);
        let is_win = in_camp.count() >= PIECES_IN_CAMP
            && self.board.points_of(us, in_camp) + self.board.hand_points(us) >= required;
        is_win.then_some(Declaration::Win)
    }

    /// Points that `color` needs under a rule that counts points, after the handicap deduction;
    /// `u32::MAX` for other rules.
    pub fn required_points(&self, rule: EnteringKingRule, color: Color) -> u32 {
        let (even_game, is_handicap) = match (rule, color) {
            (EnteringKingRule::CsaRule24, _) => (31, false),
            (EnteringKingRule::CsaRule24Handicap, _) => (31, true),
            (EnteringKingRule::CsaRule27, Color::Black) => (28, false),
            (EnteringKingRule::CsaRule27, Color::White) => (27, false),
            (EnteringKingRule::CsaRule27Handicap, Color::Black) => (28, true),
            (EnteringKingRule::CsaRule27Handicap, Color::White) => (27, true),
            (EnteringKingRule::NoEnteringKing | EnteringKingRule::TryRule, _) => (u32::MAX, false),
        };
        if is_handicap && self.giver() == Some(color) {
            even_game.saturating_sub(self.missing_points())
        } else {
            even_game
        }
    }

    /// The side that gives a handicap: the one with fewer points in a first position in which
    /// pieces are missing. `None` in an even game.
    pub fn giver(&self) -> Option<Color> {
        let [black, white] = self.first_points;
        let giver = if black < white { Color::Black } else { Color::White };
        (black != white && self.missing_points() > 0).then_some(giver)
    }

    /// Points of the pieces that the first position lacks.
    fn missing_points(&self) -> u32 {
        FULL_SET_POINTS.saturating_sub(self.first_points.iter().sum())
    }

    fn try_move(&self) -> Option<Move> {
        let us = self.side_to_move();
        let king = self.king(us)?;
        let goal = match us {
            Color::Black => Square::S51,
            Color::White => Square::S59,
        };
        if !king_attacks(king).contains(goal) {
            return None;
        }
        let mv = Move::normal(king, goal, Piece::new(us, PieceType::King));
        self.is_legal(mv).then_some(mv)
    }
}

impl Board {
    /// Points of all of one side's pieces, wherever they are.
    pub(super) fn total_points(&self, color: Color) -> u32 {
        self.points_of(color, self.color(color)) + self.hand_points(color)
    }

    fn points_of(&self, color: Color, among: Bitboard) -> u32 {
        let pieces = (self.color(color) & among) - self.kind(PieceType::King);
        let large = pieces & (self.bishops_and_horses() | self.rooks_and_dragons());
        pieces.count() as u32 + (LARGE_PIECE_POINTS - 1) * large.count() as u32
    }

    fn hand_points(&self, color: Color) -> u32 {
        let hand = self.hand(color);
        let points = |kind| match kind {
            PieceType::Bishop | PieceType::Rook => LARGE_PIECE_POINTS,
            _ => 1,
        };
        PieceType::HAND.into_iter().map(|kind| points(kind) * hand.count(kind)).sum()
    }
}
