//! Writes a three-piece evaluation as a folder that Apery and `YaneuraOu` read.

use std::fmt;
use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;
use rayon::prelude::*;

use crate::eval::kppt::scalar::{Weight, Weights};
use crate::eval::kppt::{Kind, PIECES_END, SYNTHESIZED};
use crate::runs::OutputFile;
use crate::types::Square;

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

/// Writes the three files. Files of these names that are there are replaced.
///
/// # Errors
/// A file cannot be written.
pub fn write(
    folder: &Path,
    weights: &(impl Weights + Sync),
    layout: Layout,
) -> anyhow::Result<Saturated> {
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
) -> anyhow::Result<()> {
    let mut file = OutputFile::create(&folder.join(name)).context(name)?;
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
        file.write_all(&bytes).context(name)?;
    }
    file.finish().context(name)
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

#[cfg(test)]
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
