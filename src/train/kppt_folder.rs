//! Writes a three-piece evaluation as a folder that Apery and `YaneuraOu` read, and adds noise to
//! one.

use std::fmt;
use std::io::Write as _;
use std::path::Path;

use rayon::prelude::*;
use thiserror::Error;

use crate::eval::kppt::scalar::{Weight, Weights};
use crate::eval::kppt::{Kind, PIECES_END, SYNTHESIZED, Tables};
use crate::runs::{OutputError, OutputFile};
use crate::types::Square;
use crate::util::normal;

const NUMBERS: usize = PIECES_END as usize;

/// How the weights are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Whether KPP has a turn part.
    pub kind: Kind,
    /// Whether KK and KKP have 16 bits as KPP has, instead of 32.
    pub is_narrow: bool,
}

/// How many numbers did not fit into their bits and were set to the nearest that does, of KK, KKP
/// and KPP.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Saturated(pub [u64; 3]);

/// Why a folder cannot be written.
#[derive(Debug, Error)]
#[error("{name}: {error}")]
pub struct WriteError {
    name: &'static str,
    error: OutputError,
}

/// Writes the three files. Files of these names that are there are replaced.
///
/// # Errors
/// A file cannot be written.
pub fn write(
    folder: &Path,
    weights: &(impl Weights + Sync),
    layout: Layout,
) -> Result<Saturated, WriteError> {
    let mut saturated = Saturated::default();
    let kings = || {
        let kings = 0..Square::NUM;
        kings.flat_map(|black| (0..Square::NUM).map(move |white| (black, white)))
    };
    let [kk, kkp, kpp] = SYNTHESIZED;
    let king_rows = kings().map(|(black, white)| (0, vec![weights.kk(black, white)]));
    write_file(folder, kk, layout.is_narrow, &mut saturated.0[0], king_rows)?;
    let piece_rows = kings().map(|(black, white)| {
        let of_piece = |piece| match piece {
            0 => [0; 2],
            _ => weights.kkp(black, white, piece),
        };
        (0, (0..NUMBERS).map(of_piece).collect())
    });
    write_file(
        folder,
        kkp,
        layout.is_narrow,
        &mut saturated.0[1],
        piece_rows,
    )?;
    let left_out = match layout.kind {
        Kind::Kppt => 0,
        Kind::KppKkpt => 1,
    };
    let kings = 0..Square::NUM;
    let pair_rows = kings.map(|king| (left_out, square_of(weights, king)));
    write_file(folder, kpp, true, &mut saturated.0[2], pair_rows)?;
    Ok(saturated)
}

/// The weights of all pairs of pieces of a king, symmetric, with zeros for number 0 and on the
/// diagonal: other engines add these up.
fn square_of(weights: &(impl Weights + Sync), king: usize) -> Vec<Weight> {
    let row = |one: usize| {
        (0..NUMBERS).map(move |other| match (one, other) {
            (0, _) | (_, 0) => [0; 2],
            _ if one == other => [0; 2],
            _ => weights.kpp(king, one.max(other), one.min(other)),
        })
    };
    let rows = (0..NUMBERS).into_par_iter().flat_map_iter(row);
    rows.collect()
}

/// Writes rows of weights, each without this many of its last parts.
fn write_file(
    folder: &Path,
    name: &'static str,
    is_narrow: bool,
    saturated: &mut u64,
    rows: impl Iterator<Item = (usize, Vec<Weight>)>,
) -> Result<(), WriteError> {
    let write_rows = || {
        let mut file = OutputFile::create(&folder.join(name))?;
        let mut bytes = Vec::new();
        for (left_out, weights) in rows {
            bytes.clear();
            let numbers = weights.iter().flat_map(|weight| &weight[..2 - left_out]);
            for &number in numbers {
                if is_narrow {
                    let narrow = number.clamp(i16::MIN.into(), i16::MAX.into());
                    *saturated += u64::from(narrow != number);
                    bytes.extend((narrow as i16).to_le_bytes());
                } else {
                    bytes.extend(number.to_le_bytes());
                }
            }
            file.write_all(&bytes)?;
        }
        Ok(file.finish()?)
    };
    write_rows().map_err(|error| WriteError { name, error })
}

impl fmt::Display for Saturated {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [kk, kkp, kpp] = self.0;
        write!(
            formatter,
            "numbers that do not fit into their bits: {kk} of KK, {kkp} of KKP, {kpp} of KPP"
        )
    }
}

/// The noise that was added.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Noise {
    /// Standard deviations of KK, KKP and KPP, board and turn part.
    pub deviations: [[f64; 2]; 3],
    /// The numbers that did not fit.
    pub saturated: Saturated,
}

impl fmt::Display for Noise {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("standard deviation of the noise (board, turn):")?;
        for (name, [board, turn]) in ["KK", "KKP", "KPP"].into_iter().zip(self.deviations) {
            write!(formatter, " {name} {board:.1}, {turn:.1};")?;
        }
        write!(formatter, " {}", self.saturated)
    }
}

/// Writes an evaluation to a folder with normally distributed noise on all weights that are not 0.
/// Its standard deviation is `size` times the root mean square of the weights that are not 0, for
/// each part of each table.
///
/// # Errors
/// A file cannot be written.
pub fn write_noisy(
    folder: &Path,
    tables: &Tables,
    size: f64,
    seed: u64,
) -> Result<Noise, WriteError> {
    let deviations = spreads(tables).map(|parts| parts.map(|spread| size * spread));
    let noisy = Noisy {
        tables,
        deviations,
        seed,
    };
    let layout = Layout {
        kind: tables.kind(),
        is_narrow: false,
    };
    let saturated = write(folder, &noisy, layout)?;
    Ok(Noise {
        deviations,
        saturated,
    })
}

/// The weights of an evaluation with noise.
struct Noisy<'a, W> {
    tables: &'a W,
    /// Standard deviations of the noise of KK, KKP and KPP, board and turn part.
    deviations: [[f64; 2]; 3],
    seed: u64,
}

impl<W> Noisy<'_, W> {
    /// A weight that is 0 stays so: no position has it.
    fn with_noise(&self, table: usize, index: usize, weight: Weight) -> Weight {
        let mut noisy = weight;
        for (part, number) in noisy.iter_mut().enumerate() {
            if *number != 0 {
                let at = (index as u64) << 3 | (table as u64) << 1 | part as u64;
                let by = self.deviations[table][part] * normal(self.seed, at);
                *number += by.round() as i32;
            }
        }
        noisy
    }
}

impl<W: Weights> Weights for Noisy<'_, W> {
    fn kk(&self, black_king: usize, white_king: usize) -> Weight {
        let weight = self.tables.kk(black_king, white_king);
        self.with_noise(0, black_king * Square::NUM + white_king, weight)
    }

    fn kkp(&self, black_king: usize, white_king: usize, piece: usize) -> Weight {
        let weight = self.tables.kkp(black_king, white_king, piece);
        let index = (black_king * Square::NUM + white_king) * NUMBERS + piece;
        self.with_noise(1, index, weight)
    }

    fn kpp(&self, king: usize, one: usize, other: usize) -> Weight {
        let weight = self.tables.kpp(king, one, other);
        let index = (king * NUMBERS + one.max(other)) * NUMBERS + one.min(other);
        self.with_noise(2, index, weight)
    }
}

/// The root mean squares of the weights that are not 0, of KK, KKP and KPP, board and turn part.
fn spreads(tables: &Tables) -> [[f64; 2]; 3] {
    let kings =
        || (0..Square::NUM * Square::NUM).map(|pair| (pair / Square::NUM, pair % Square::NUM));
    let kk = kings().map(|(black, white)| tables.kk(black, white));
    let kkp = kings()
        .flat_map(|(black, white)| (1..NUMBERS).map(move |piece| tables.kkp(black, white, piece)));
    let kpp = (0..Square::NUM).flat_map(|king| {
        let pairs = (2..NUMBERS).flat_map(|one| (1..one).map(move |other| (one, other)));
        pairs.map(move |(one, other)| tables.kpp(king, one, other))
    });
    [spread(kk), spread(kkp), spread(kpp)]
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn spread(weights: impl Iterator<Item = Weight>) -> [f64; 2] {
    let (mut squares, mut counts) = ([0.0; 2], [0_u64; 2]);
    for weight in weights {
        for (part, number) in weight.into_iter().enumerate() {
            squares[part] += f64::from(number).powi(2);
            counts[part] += u64::from(number != 0);
        }
    }
    [0, 1].map(|part| (squares[part] / counts[part].max(1) as f64).sqrt())
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "zeros are exact")]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;
    use crate::eval::kppt::Tables;
    use crate::eval::kppt::scalar::evaluate;
    use crate::position::Position;
    use crate::util::mixed;

    /// Scattered numbers, symmetric in pairs; every seventh is 0.
    struct Scattered {
        half: u64,
    }

    impl Scattered {
        fn weight(&self, index: usize) -> Weight {
            [0, 1].map(|part| {
                let bits = mixed(2 * index as u64 + part);
                let number = (bits >> 8) % (2 * self.half + 1);
                if bits.is_multiple_of(7) {
                    0
                } else {
                    number as i32 - self.half as i32
                }
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

    fn folder(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("raicho-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        path
    }

    #[test]
    fn numbers_that_do_not_fit_are_set_to_the_nearest_and_counted() {
        let folder = folder("kppt-saturation");
        let weights = vec![[40_000, -5], [-32_768, 32_767], [-32_769, i32::MIN], [7, 1]];
        let written = |is_narrow, left_out| {
            let mut saturated = 0;
            let rows = std::iter::once((left_out, weights.clone()));
            write_file(&folder, "rows", is_narrow, &mut saturated, rows).expect("it is written");
            let bytes = fs::read(folder.join("rows")).expect("just written");
            (bytes, saturated)
        };
        let narrow = [32_767, -5, -32_768, 32_767, -32_768, -32_768, 7, 1_i16];
        let (bytes, saturated) = written(true, 0);
        assert_eq!(bytes, narrow.map(i16::to_le_bytes).as_flattened());
        assert_eq!(saturated, 3);
        let (bytes, saturated) = written(true, 1);
        let board = [32_767, -32_768, -32_768, 7_i16];
        assert_eq!(bytes, board.map(i16::to_le_bytes).as_flattened());
        assert_eq!(saturated, 2, "what is left out does not count");
        let (bytes, saturated) = written(false, 0);
        let wide: Vec<u8> = weights
            .iter()
            .flatten()
            .flat_map(|n| n.to_le_bytes())
            .collect();
        assert_eq!((bytes, saturated), (wide, 0));
        fs::remove_dir_all(&folder).expect("our own folder");
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

    #[test]
    fn noise_has_the_asked_size_and_spares_zeros() {
        let tables = Scattered { half: 900 };
        let noisy = |seed| Noisy {
            tables: &tables,
            deviations: [[50.0, 5.0], [200.0, 20.0], [100.0, 0.0]],
            seed,
        };
        let differences = |of: &dyn Fn(usize) -> [Weight; 2]| {
            let mut squares = [0.0; 2];
            let mut counts = [0_u32; 2];
            for index in 2..30_000 {
                let [before, after] = of(index);
                for part in 0..2 {
                    let difference = f64::from(after[part] - before[part]);
                    assert!(before[part] != 0 || difference == 0.0);
                    squares[part] += difference * difference;
                    counts[part] += u32::from(before[part] != 0);
                }
            }
            [0, 1].map(|part| (squares[part] / f64::from(counts[part])).sqrt())
        };
        let one = noisy(1);
        let split = |index: usize| (index % NUMBERS, index / NUMBERS);
        let kk = differences(&|index| {
            let (black, white) = (index / 81 % 81, index % 81);
            [tables.kk(black, white), one.kk(black, white)]
        });
        let kkp = differences(&|index| {
            let (piece, king) = split(index);
            [tables.kkp(king, 7, piece), one.kkp(king, 7, piece)]
        });
        let kpp = differences(&|index| {
            let (piece, other) = split(index);
            let pair = one.kpp(3, piece, other + 1);
            assert_eq!(pair, one.kpp(3, other + 1, piece));
            [tables.kpp(3, piece, other + 1), pair]
        });
        let close = |found: f64, expected: f64| (found - expected).abs() <= 0.05 * expected;
        assert!(close(kk[0], 50.0) && close(kk[1], 5.0), "{kk:?}");
        assert!(close(kkp[0], 200.0) && close(kkp[1], 20.0), "{kkp:?}");
        assert!(close(kpp[0], 100.0) && kpp[1] == 0.0, "{kpp:?}");
        let of = |noisy: &Noisy<'_, Scattered>| [noisy.kk(1, 2), noisy.kk(3, 4), noisy.kk(5, 6)];
        assert_eq!(of(&one), of(&noisy(1)));
        assert_ne!(of(&one), of(&noisy(2)));
    }

    #[test]
    fn the_spread_is_the_root_mean_square_of_what_is_not_zero() {
        let weights = [[3, 0], [0, 0], [4, 10], [-5, 0]];
        let [board, turn] = spread(weights.into_iter());
        assert!((board - (50.0_f64 / 3.0).sqrt()).abs() < 1e-9 && (turn - 10.0).abs() < 1e-9);
        assert!(spread(std::iter::once([0; 2])) == [0.0; 2]);
    }

    /// Writes more than 2 GB; run with `--release -- --ignored whole_folders`.
    #[test]
    #[ignore = "writes and reads more than 2 GB"]
    fn whole_folders_are_read_back_as_written() {
        let weights = Scattered { half: 900 };
        let folder = folder("kppt-whole");
        let sfen = "lnsgk2nl/1r4gs1/p1pppp1pp/6p2/1p5P1/2P6/PPSPPPP1P/7R1/LN1GKGSNL b Bb 1";
        let position: Position = Position::from_sfen(sfen).expect("a good position");
        let layouts = [
            (Kind::Kppt, false),
            (Kind::Kppt, true),
            (Kind::KppKkpt, false),
        ];
        for (kind, is_narrow) in layouts {
            let layout = Layout { kind, is_narrow };
            let saturated = write(&folder, &weights, layout).expect("it is written");
            assert_eq!(saturated, Saturated::default());
            let (tables, _) = Tables::open(&folder).expect("it is read");
            assert_eq!(tables.kind(), kind);
            let (found, expected) = (evaluate(&tables, &position), evaluate(&weights, &position));
            assert_eq!(
                found == expected,
                kind == Kind::Kppt,
                "{found:?}, {expected:?}"
            );
            let turn = i32::from(kind == Kind::Kppt);
            for index in 1..1500 {
                let [board, of_turn] = weights.kpp(index % 81, index, index + 7);
                let pair = tables.kpp(index % 81, index, index + 7);
                assert_eq!(pair, [board, of_turn * turn]);
                let piece = weights.kkp(index % 81, index % 79, index);
                assert_eq!(tables.kkp(index % 81, index % 79, index), piece);
            }
        }
        fs::remove_dir_all(&folder).expect("our own folder");
    }
}
