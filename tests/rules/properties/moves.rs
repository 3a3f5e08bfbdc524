//! Values that claim to be moves: `pseudo_legal && legal` is exactly membership in the legal list.

use std::collections::HashSet;

use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
use raicho::movegen::legal_moves;
use raicho::position::Position;
use raicho::types::{Move, Move16, Piece, Square};

use crate::common::{FEWER_KINGS, Random, TWO_KINGS, every_start, playouts};

fn is_possible(position: &Position, bits: u32) -> bool {
    Move::from_bits(bits).is_some_and(|mv| position.pseudo_legal(mv) && position.legal(mv))
}

/// The legal moves as bits, and a check of values against them.
struct Legal<'a> {
    position: &'a Position,
    bits: HashSet<u32>,
    low_halves: HashSet<u16>,
}

impl<'a> Legal<'a> {
    fn new(position: &'a Position, moves: &[Move]) -> Self {
        Self {
            position,
            bits: moves.iter().map(|mv| mv.to_bits()).collect(),
            low_halves: moves.iter().map(|mv| mv.to_move16().to_bits()).collect(),
        }
    }

    fn check(&self, bits: u32) {
        let mv = Move::from_bits(bits);
        let expected = self.bits.contains(&bits);
        let position = self.position;
        let found = is_possible(position, bits);
        assert_eq!(found, expected, "{bits:#010x} {mv:?} in {position:?}");
    }

    fn check16(&self, bits: u16) {
        let mv = Move16::from_bits(bits).and_then(|mv| self.position.to_move(mv));
        let is_possible = mv.is_some_and(|mv| {
            assert_eq!(mv.to_move16().to_bits(), bits);
            assert_eq!(Move::from_bits(mv.to_bits()), Some(mv));
            self.position.pseudo_legal(mv) && self.position.legal(mv)
        });
        let expected = self.low_halves.contains(&bits);
        assert_eq!(is_possible, expected, "{bits:#06x} in {:?}", self.position);
    }
}

/// Values close to a real move: bits flipped, other flags, other pieces, from equal to to.
fn neighbours(bits: u32, random: &mut Random) -> Vec<u32> {
    let (to, from) = (bits & 0x7f, bits >> 7 & 0x7f);
    let mut values: Vec<u32> = (0..32).map(|bit| bits ^ 1 << bit).collect();
    values.extend((0..4).map(|flags| bits & !0xc000 | flags << 14));
    values.extend((0..32).map(|piece| bits & 0xffff | piece << 16));
    values.push(bits & !0x3f80 | to << 7);
    values.push(bits & !0x7f | from);
    values.push(bits & !0x3fff | to << 7 | from);
    values.push(bits & 0xffff_0000);
    values.push(bits ^ 1 << random.below(32) ^ 1 << random.below(32));
    values.push(random.next() as u32);
    // Every field in range, so that few are refused for their form.
    let piece = random.choose(&Piece::ALL).index() as u32;
    let (some_to, some_from) = (random.below(81) as u32, random.below(81) as u32);
    values.push(some_to | some_from << 7 | piece << 16 | (random.next() as u32 & 0xc000));
    values
}

#[test]
fn adversarial_values() {
    let mut pool: Vec<u32> = Vec::new();
    let mut checked = 0;
    let visited = playouts(every_start(), 6, 120, |position, moves, random| {
        let legal = Legal::new(position, moves);
        let mut values: Vec<u32> = moves.iter().map(|mv| mv.to_bits()).collect();
        // Moves of this position changed, and moves of earlier positions and other games as they
        // are and changed.
        for _ in 0..8 {
            if let Some(&own) = values.get(random.below(moves.len().max(1))) {
                values.extend(neighbours(own, random));
            }
            if !pool.is_empty() {
                let stranger = *random.choose(&pool);
                values.push(stranger ^ 16 << 16);
                values.extend(neighbours(stranger, random));
            }
        }
        values.extend((0..100).filter_map(|_| pool.get(random.below(pool.len().max(1)))));
        for &bits in &values {
            legal.check(bits);
        }
        checked += values.len();
        let kept = moves.iter().filter(|_| random.one_in(10));
        pool.extend(kept.map(|mv| mv.to_bits()));
        if pool.len() > 50_000 {
            pool.drain(..25_000);
        }
    });
    println!("{checked} values in {visited} positions");
    assert!(checked > 2_000_000);
}

/// Moves of the same side two plies earlier and of the other side's last ply fit most often: all of
/// them.
#[test]
fn moves_of_the_plies_before() {
    let mut before: Vec<Vec<u32>> = Vec::new();
    let mut checked = 0;
    playouts(TWO_KINGS, 10, 120, |position, moves, _| {
        if position.moves_made() == 0 {
            before.clear();
        }
        let legal = Legal::new(position, moves);
        for &bits in before.iter().rev().take(4).flatten() {
            legal.check(bits);
            legal.check16(bits as u16);
            checked += 2;
        }
        before.push(moves.iter().map(|mv| mv.to_bits()).collect());
    });
    println!("{checked} values");
    assert!(checked > 1_000_000);
}

#[test]
fn all_16_bit_values() {
    let mut positions = 0;
    playouts(every_start(), 1, 120, |position, moves, random| {
        if position.moves_made() == 0 || random.one_in(12) {
            let legal = Legal::new(position, moves);
            for bits in 0..=u16::MAX {
                legal.check16(bits);
            }
            positions += 1;
        }
    });
    println!("all values in {positions} positions");
    assert!(positions > 100);
}

/// Every value with fields in range, well-formed or not, on a few positions: every origin, target,
/// flag and piece.
#[test]
fn all_well_formed_values() {
    let mut checked = 0_u64;
    for start in [TWO_KINGS[0], TWO_KINGS[7], FEWER_KINGS[0]] {
        let position: Position = crate::common::position(start);
        let moves = legal_moves(&position);
        let legal = Legal::new(&position, &moves);
        for piece in 0..32_u32 {
            for low in 0..=u32::from(u16::MAX) {
                legal.check(piece << 16 | low);
                checked += 1;
            }
        }
    }
    println!("{checked} values");
}

/// The form of a move: what the accessors read is what a careful reading of the bits says, and
/// nothing else passes.
#[test]
fn form_of_all_values_below_the_piece_codes() {
    for bits in 0..(1_u32 << 21) {
        let (to, from) = ((bits & 0x7f) as usize, (bits >> 7 & 0x7f) as usize);
        let (is_drop, is_promotion) = (bits & 1 << 14 != 0, bits & 1 << 15 != 0);
        let expected = Piece::from_index((bits >> 16) as usize).is_some_and(|piece| {
            to < 81
                && if is_drop {
                    !is_promotion && from == piece.kind().index() && (1..=7).contains(&from)
                } else {
                    from < 81 && from != to && (!is_promotion || piece.kind().is_promoted())
                }
        });
        let Some(mv) = Move::from_bits(bits) else {
            assert!(!expected, "{bits:#x} is refused");
            continue;
        };
        assert!(expected, "{bits:#x} passes");
        assert_eq!(mv.to_bits(), bits);
        assert_eq!(mv.to().index(), to);
        assert_eq!(mv.from(), Square::from_index(from).filter(|_| !is_drop));
        assert_eq!(mv.piece().index(), (bits >> 16) as usize);
        assert_eq!((mv.is_drop(), mv.is_promotion()), (is_drop, is_promotion));
        assert!(mv.from_to_index() < 81 * 88);
        assert_eq!(u32::from(mv.to_move16().to_bits()), bits & 0xffff);
        assert_eq!(mv.to_move16().to_string(), mv.to_string());
    }
}

/// Any text, characters of moves, board moves, drops.
const TEXTS: &str = "\\PC{0,8}|[1-9a-i*+PLNSGBRK]{0,6}|[1-9][a-i][1-9][a-i]\\+?|\
                     [PLNSGBR]\\*[1-9][a-i]";

proptest! {
    /// Whatever the text, reading it as a move does not panic, and what is read writes itself back.
    #[test]
    fn texts_of_moves(text in TEXTS) {
        match text.parse::<Move16>() {
            Ok(mv) => prop_assert_eq!(mv.to_string(), text),
            Err(error) => prop_assert!(error.to_string().contains(&text)),
        }
    }

    /// Stored bits that are no move still print.
    #[test]
    fn texts_of_stored_bits(bits in any::<u16>()) {
        if let Some(mv) = Move16::from_bits(bits) {
            prop_assert!(mv.to_string().len() >= 2);
        }
    }
}
