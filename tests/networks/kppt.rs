//! Three-piece evaluations: values of `YaneuraOu` from formulas, and sums kept from move to move
//! against the specification.

use crate::common::{TWO_KINGS, position};
use crate::networks::walk::walk;
use raicho::eval::kppt::scalar::{self, Weight, Weights};
use raicho::eval::kppt::{Kind, Model, Tables};
use raicho::eval::nnue::simd::InstructionSet;

/// Evaluations by `YaneuraOu` 9.70 with files of made-up weights, see [`Formula`].
const KPPT: &str = include_str!("../data/kppt_evaluations.tsv");

/// The same without the turn part of KPP.
const KPP_KKPT: &str = include_str!("../data/kpp_kkpt_evaluations.tsv");

/// Weights by formula: value i of stream s is `SplitMix64` of s · 2^40 + i, between −half and half.
struct Formula {
    kind: Kind,
}

/// Stream and half of the board part and of the turn part.
type Parts = [(u64, u64); 2];

fn weight(parts: Parts, index: usize) -> Weight {
    parts.map(|(stream, half)| {
        let counter = (stream << 40) + index as u64;
        let mut bits = counter.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^= bits >> 31;
        ((bits >> 33) % (2 * half + 1)) as i32 - half as i32
    })
}

impl Weights for Formula {
    fn kk(&self, black_king: usize, white_king: usize) -> Weight {
        weight([(21, 20000), (22, 3000)], black_king * 81 + white_king)
    }

    fn kkp(&self, black_king: usize, white_king: usize, piece: usize) -> Weight {
        assert!((1..1548).contains(&piece));
        let index = (black_king * 81 + white_king) * 1548 + piece;
        weight([(23, 3000), (24, 400)], index)
    }

    fn kpp(&self, king: usize, one: usize, other: usize) -> Weight {
        assert!(one != other && (1..1548).contains(&one.min(other)));
        let index = (king * 1548 + one.max(other)) * 1548 + one.min(other);
        let [board, turn] = weight([(25, 250), (26, 40)], index);
        match self.kind {
            Kind::Kppt => [board, turn],
            Kind::KppKkpt => [board, 0],
        }
    }
}

#[test]
fn formulas_give_the_values_of_other_programs() {
    for (table, kind) in [(KPPT, Kind::Kppt), (KPP_KKPT, Kind::KppKkpt)] {
        let weights = Formula { kind };
        let rows = table.lines().filter(|line| !line.starts_with('#'));
        let mut compared = 0;
        for row in rows {
            let (sfen, expected) = row.split_once('\t').expect("two columns");
            let value = scalar::evaluate(&weights, &position(sfen)).expect("two kings");
            assert_eq!(value.to_string(), expected, "{kind}: {sfen}");
            compared += 1;
        }
        assert!(compared >= 270);
    }
}

/// Compares the values of positions along random walks.
fn compare(model: &Model, starts: &[&str], games: u64) {
    let mut accumulator = model.accumulator();
    for (game, sfen) in (0..games).zip(starts.iter().cycle()) {
        walk(position(sfen), game, |position| {
            let value = model.evaluate(position, &mut accumulator);
            let expected = scalar::evaluate(model.tables(), position);
            let (set, sfen) = (model.instruction_set(), position.to_sfen());
            assert_eq!(value, expected, "{set}, {sfen}");
        });
    }
}

#[test]
fn sums_kept_from_move_to_move_are_those_of_the_position() {
    for kind in [Kind::KppKkpt, Kind::Kppt] {
        let mut tables = Some(Tables::made_up(kind, 1).expect("memory for the weights"));
        let sets = InstructionSet::ALL.into_iter();
        for set in sets.filter(|set| set.is_available()) {
            let model = Model::new(tables.take().expect("weights"), String::new(), set);
            assert_eq!(model.instruction_set(), set);
            compare(&model, &TWO_KINGS, 12);
            tables = Some(model.into_tables());
        }
        let tables = tables.expect("weights");
        let model = Model::new(tables, String::new(), InstructionSet::best());
        let no_king = position("9/9/4k4/9/9/9/9/9/9 b G 1");
        assert_eq!(model.evaluate(&no_king, &mut model.accumulator()), None);
    }
}
