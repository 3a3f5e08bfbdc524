//! Tests of the folder of a three-piece evaluation.

use crate::eval::kppt::scalar::{Weight, Weights, evaluate};
use crate::eval::kppt::{Kind, Tables};
use crate::train::learn::kppt::{NUMBERS, narrow, square_of, write};
use crate::{position::Position, util::TestFolder, util::mixed};

/// Scattered numbers, symmetric in pairs; every seventh is 0.
struct Scattered {
    half: u64,
}

impl Scattered {
    fn weight(&self, index: usize) -> Weight {
        [0, 1].map(|part| {
            let bits = mixed(2 * index as u64 + part);
            let number = (bits >> 8) % (2 * self.half + 1);
            if bits.is_multiple_of(7) { 0 } else { number as i32 - self.half as i32 }
        })
    }
}

impl Weights for Scattered {
    fn kk(&self, black_king: usize, white_king: usize) -> Weight {
        self.weight(black_king * 81 + white_king)
    }

    fn kkp(&self, black_king: usize, white_king: usize, piece: usize) -> Weight {
        self.weight(10_000 + (black_king * 81 + white_king) * NUMBERS + piece)
    }

    fn kpp(&self, king: usize, one: usize, other: usize) -> Weight {
        let pair = (king * NUMBERS + one.max(other)) * NUMBERS + one.min(other);
        self.weight(20_000_000 + pair)
    }
}

#[test]
fn numbers_that_do_not_fit_are_set_to_the_nearest_and_counted() {
    let mut bytes = Vec::new();
    let numbers = [40_000, -5, -32_768, 32_767, -32_769, i32::MIN, 7, 1];
    let saturated: u64 = numbers.map(|number| narrow(number, &mut bytes)).iter().sum();
    let expected = [32_767, -5, -32_768, 32_767, -32_768, -32_768, 7, 1_i16];
    assert_eq!(bytes, expected.map(i16::to_le_bytes).as_flattened());
    assert_eq!(saturated, 3);
}

#[test]
fn squares_of_pairs_are_symmetric_with_zeros_where_other_engines_add_nothing() {
    let weights = Scattered { half: 900 };
    let square = square_of(&weights, 40);
    assert_eq!(square.len(), NUMBERS * NUMBERS);
    for one in 0..NUMBERS {
        assert_eq!(square[one], [0; 2]);
        assert_eq!(square[one * NUMBERS + one], [0; 2]);
    }
    let mut others = 0;
    for (one, other) in (1..NUMBERS).zip((1..NUMBERS).rev()) {
        let weight = square[one * NUMBERS + other];
        assert_eq!(weight, square[other * NUMBERS + one]);
        if one != other {
            assert_eq!(weight, weights.kpp(40, one, other));
            others += usize::from(weight != [0; 2]);
        }
    }
    assert!(others > 1000, "{others}");
}

/// Writes more than 2 GB; run with `--release -- --ignored whole_folders`.
#[test]
#[ignore = "writes and reads more than 2 GB"]
fn whole_folders_are_read_back_as_written() {
    let weights = Scattered { half: 900 };
    let folder = TestFolder::new();
    let sfen = "lnsgk2nl/1r4gs1/p1pppp1pp/6p2/1p5P1/2P6/PPSPPPP1P/7R1/LN1GKGSNL b Bb 1";
    let position: Position = Position::from_sfen(sfen).expect("a good position");
    assert_eq!(write(&folder.0, &weights).expect("it is written"), 0);
    let (tables, _) = Tables::open(&folder.0).expect("it is read");
    assert_eq!(tables.kind(), Kind::Kppt);
    assert_eq!(evaluate(&tables, &position), evaluate(&weights, &position));
    for index in 1..1500 {
        let (king, other) = (index % 81, index % 79);
        let pair = tables.kpp(king, index, index + 7);
        assert_eq!(pair, weights.kpp(king, index, index + 7));
        let weight = weights.kkp(king, other, index);
        assert_eq!(tables.kkp(king, other, index), weight);
    }
}
