//! Attacks by pieces of lesser value.

use super::attacks::stepped;
use super::board::Board;
use crate::bitboard::{Bitboard, bishop_attacks, lance_attacks, rook_attacks};
use crate::types::{Color, PieceType};

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
