//! Three-piece evaluation (KPPT): a weight for each pair of pieces seen from each king.
//!
//! The evaluation of Bonanza (Hoki, 2006), with a part for the side to move as NDF (2014), Apery
//! and `YaneuraOu` have it. Three tables are summed: KK over both kings, KKP over both kings and
//! each piece, KPP over each king and each pair of the other 38 pieces. Every weight has a board
//! part, which counts for black, and a turn part, which counts for the side to move.
//!
//! [`Tables::open`] reads the files of Apery and `YaneuraOu`. [`scalar::evaluate`] is the
//! specification; [`Model`] computes the same value from the sums of the positions before.
//!
//! Must not know: search, options, where files lie.

mod file;
mod kernel;
mod model;
mod numbers;
pub mod scalar;

use std::fmt::{self, Write};
use std::io;

use crate::types::{Color, Square};
use crate::util::{ZeroedPages, cores, for_each_part, split_mix};
use crate::{position::Position, types::value::PAWN_VALUE};
use numbers::NUMBERS;
use scalar::{SCALE, Sums, Weight, Weights};

pub use super::bona_piece::{HAND_END, PIECES_END, PIECES_IN_SET, number_in_hand, number_on_board};
pub use file::{KpptError, NAMES, SYNTHESIZED, files_in};
pub use model::{Accumulator, Model};

/// Bytes of a KPP weight with both parts.
const BOTH_PARTS: usize = 4;

/// Bytes of a KPP weight with the board part only.
const BOARD_PART: usize = 2;

/// Which parts the KPP weights have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// KPPT: board and turn part.
    Kppt,
    /// `KPP_KKPT`: the board part only.
    KppKkpt,
}

impl Kind {
    /// Bytes of a KPP weight.
    const fn weight_bytes(self) -> usize {
        match self {
            Self::Kppt => BOTH_PARTS,
            Self::KppKkpt => BOARD_PART,
        }
    }

    /// Bytes of the KPP table.
    const fn kpp_bytes(self) -> usize {
        Square::NUM * NUMBERS * NUMBERS * self.weight_bytes()
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Kppt => "KPPT",
            Self::KppKkpt => "KPP_KKPT",
        })
    }
}

/// Entries of the KK table.
const KK_ENTRIES: usize = Square::NUM * Square::NUM;

/// Entries of the KKP table.
const KKP_ENTRIES: usize = KK_ENTRIES * NUMBERS;

/// The weights, as in the files but for 16-bit KK and KKP, which are widened. All threads share
/// them.
pub struct Tables {
    kind: Kind,
    /// `[black king][white king]`, board and turn part.
    kk: Vec<Weight>,
    /// `[black king][white king][piece]`, board and turn part.
    kkp: ZeroedPages<Weight>,
    /// `[king][piece][piece]`, each a board part of 16 bits and, in [`Kind::Kppt`], a turn part of
    /// 16 bits.
    kpp: ZeroedPages<i16>,
}

impl Tables {
    /// Made-up weights, for tests: KPP is symmetric, and all numbers hold weights, also those that
    /// no piece uses and the diagonal, which nothing may read.
    ///
    /// # Errors
    /// There is not enough memory, or the system refuses a thread.
    pub fn made_up(kind: Kind, seed: u64) -> io::Result<Self> {
        let weight =
            |index: u64, half: u64| (split_mix(index) % (2 * half + 1)) as i32 - half as i32;
        let kings = seed << 32;
        let weights =
            |index: usize| [0, 1].map(|part| weight(kings + 2 * index as u64 + part, 2000));
        let mut kkp = ZeroedPages::on_demand(KKP_ENTRIES)?;
        for (index, entry) in kkp.iter_mut().enumerate() {
            *entry = weights(KK_ENTRIES + index);
        }
        let mut kpp = ZeroedPages::on_demand(kind.kpp_bytes() / 2)?;
        let words = kind.weight_bytes() / 2;
        let rows = kpp.chunks_mut(NUMBERS * words).enumerate();
        let rows: Vec<_> = rows.collect();
        let length = rows.len().div_ceil(cores());
        let mut rows = rows.into_iter();
        let parts = std::iter::from_fn(|| {
            Some(rows.by_ref().take(length).collect::<Vec<_>>()).filter(|part| !part.is_empty())
        });
        for_each_part(parts, |part| {
            for (row, entries) in part {
                let (square, one) = (row / NUMBERS, row % NUMBERS);
                for (other, entry) in entries.chunks_exact_mut(words).enumerate() {
                    let pair = (one.max(other) * NUMBERS + one.min(other)) as u64;
                    let bits = split_mix(seed + ((square as u64) << 32) + pair);
                    for (part, word) in entry.iter_mut().enumerate() {
                        *word = (bits >> (16 * part)) as i16 >> 6;
                    }
                }
            }
        })?;
        Ok(Self { kind, kk: (0..KK_ENTRIES).map(weights).collect(), kkp, kpp })
    }

    /// Which parts the KPP weights have.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// A checksum (CRC-32) over all weights, as they lie in memory.
    pub fn checksum(&self) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(bytemuck::cast_slice(&self.kk));
        hasher.update(bytemuck::cast_slice(&self.kkp));
        hasher.update(bytemuck::cast_slice(&self.kpp));
        hasher.finalize()
    }

    /// The KPP weights of one king.
    #[inline(always)]
    fn kpp_of(&self, king: usize) -> &[i16] {
        let words = NUMBERS * NUMBERS * (self.kind.weight_bytes() / 2);
        &self.kpp[king * words..(king + 1) * words]
    }

    /// Index of the first 16-bit word of a KPP weight.
    #[inline(always)]
    fn kpp_index(&self, king: usize, one: usize, other: usize) -> usize {
        ((king * NUMBERS + one) * NUMBERS + other) * (self.kind.weight_bytes() / 2)
    }
}

impl Weights for Tables {
    #[inline(always)]
    fn kk(&self, black_king: usize, white_king: usize) -> Weight {
        self.kk[black_king * Square::NUM + white_king]
    }

    #[inline(always)]
    fn kkp(&self, black_king: usize, white_king: usize, piece: usize) -> Weight {
        self.kkp[(black_king * Square::NUM + white_king) * NUMBERS + piece]
    }

    #[inline(always)]
    fn kpp(&self, king: usize, one: usize, other: usize) -> Weight {
        let index = self.kpp_index(king, one, other);
        let turn = match self.kind {
            Kind::Kppt => i32::from(self.kpp[index + 1]),
            Kind::KppKkpt => 0,
        };
        [i32::from(self.kpp[index]), turn]
    }
}

impl fmt::Debug for Tables {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Tables").field("kind", &self.kind).finish_non_exhaustive()
    }
}

// --- Explanation ---

/// Explains an evaluation: the sums of each table in 1/32 of a unit in which a pawn is 90, the
/// total in pawns, and as the last line `static eval <n>`, from the side to move in units of 1/90
/// pawn.
/// Where a king is missing there is no evaluation, and the last line is omitted.
///
/// # Panics
/// Does not panic: writing to a string cannot fail.
pub fn explain(model: &Model, position: &Position) -> String {
    let mut text = String::new();
    write_all(&mut text, model, position).expect("writing to a string cannot fail");
    text
}

fn write_all(text: &mut String, model: &Model, position: &Position) -> fmt::Result {
    writeln!(text, "{}", model.tables().kind())?;
    let Some(sums) = Sums::of(model.tables(), position) else {
        return write!(text, "a king is missing, without which this evaluation has no value");
    };
    let mover = position.side_to_move();
    let [black, white] = sums.pairs;
    let material = match mover {
        Color::Black => SCALE * position.material(),
        Color::White => -SCALE * position.material(),
    };
    writeln!(text, "table                    board      turn   (board: + is good for black)")?;
    let rows = [
        ("material", [material, 0]),
        ("KK and KKP", sums.kings),
        ("KPP of the black king", black),
        ("KPP of the white king", [-white[0], white[1]]),
    ];
    for (name, [board, turn]) in rows {
        writeln!(text, "{name:<22}{board:>8}{turn:>10}")?;
    }
    let value = sums.value(position);
    let pawns = f64::from(value) / f64::from(PAWN_VALUE);
    writeln!(text, "for {}, who is to move: {pawns:+.2}", mover.name())?;
    write!(text, "static eval {value}")
}
