//! The tools on small files: they keep every record and find every fault.

use crate::runs::{Interrupted, Watch};
use std::{collections::BTreeMap, fs};

use super::pass::Destination;
use super::*;
use crate::records::pack::{PackGame, PackReason};
use crate::records::teacher::{Format, FormatError, TeacherWriter};
use crate::{movegen::legal_moves, position::Position, records::game::GameResult};
use crate::{
    records::sample::PackedSfenValue, records::sample::PositionSum, records::sample::Sample,
};
use crate::{records::score::NINTHS, types::Color, util::TestFolder};

mod choices;
mod files;
mod held_out;
mod trees;

fn watched<T>(work: impl FnOnce(&Watch<'_>) -> T) -> T {
    work(&Watch::of_nobody())
}

/// A game of made-up moves in which the winner's scores are positive, or negative if `sign` is -1.
fn game(number: usize, sign: i16) -> PackGame {
    let start = Position::startpos();
    let mut position = start.clone();
    let mut moves = Vec::new();
    let result = GameResult::from_code((number % 3) as u8).unwrap();
    for ply in 0..20 {
        let legal = legal_moves(&position);
        let Some(&mv) = legal.get((number * 7919 + ply * 104_729) % legal.len().max(1)) else {
            break;
        };
        let points = i16::from(result.for_side(position.side_to_move()));
        let noise = (number * 31 + ply * 17) as i16 % 300 - 150;
        moves.push((mv, sign * 100 * points + noise));
        position.do_move(mv);
    }
    PackGame { start, moves, result, reason: PackReason::RESIGNATION }
}

fn write(path: &Path, games: usize, sign: i16) {
    let format = Format::of_path(path).unwrap();
    let mut writer = TeacherWriter::new(Vec::new(), format);
    for number in 0..games {
        writer.write(&game(number, sign).into()).unwrap();
    }
    fs::write(path, writer.finish().unwrap().0).unwrap();
}

fn sources(paths: &[&PathBuf]) -> Sources {
    let paths: Vec<PathBuf> = paths.iter().map(|&path| path.clone()).collect();
    Sources::new(&paths, None).unwrap()
}

fn records(path: &Path, size: usize) -> Vec<Vec<u8>> {
    let bytes = fs::read(path).unwrap();
    assert!(bytes.len().is_multiple_of(size));
    bytes.chunks(size).map(<[u8]>::to_vec).collect()
}

fn to_file(path: &Path) -> Destination {
    Destination {
        output: Some((path.to_owned(), Format::of_path(path).unwrap())),
        ..Destination::default()
    }
}

#[test]
fn right_and_wrong_signs_are_told_apart() {
    let folder = TestFolder::new();
    for (sign, is_right) in [(1, true), (-1, false)] {
        for ending in ["pack", "psv", "hcpe", "hcpe3", "psum"] {
            let path = folder.file(&format!("{sign}.{ending}"));
            write(&path, 60, sign);
            let report =
                watched(|watch| pass::run(&sources(&[&path]), &Destination::default(), watch));
            let signs = report.unwrap().signs;
            assert_eq!(signs.are_right(), is_right, "{ending}");
            for side in Color::ALL {
                let slope = signs.slope(side).expect("a line").slope;
                assert_eq!(slope > 0.0, is_right);
            }
        }
    }
}

#[test]
fn the_scale_of_the_sigmoid_is_found() {
    let mut signs = pass::Signs::default();
    let start = Position::startpos();
    for step in -40..=40_i16 {
        let score = step * 40;
        let chance = 1.0 / (1.0 + (-f64::from(score) / 600.0).exp());
        for number in 0..1000 {
            let wins = f64::from(number) < chance * 1000.0;
            signs.add(&Sample {
                position: crate::records::packed::PackedSfen::of(&start),
                score,
                mv: None,
                result: GameResult::Win(if wins { Color::Black } else { Color::White }),
                ply: 1,
            });
        }
    }
    let fit = signs.slope(Color::Black).unwrap();
    assert!((1.0 / fit.slope - 600.0).abs() < 5.0, "{fit:?}");
    assert!(fit.intercept.abs() < 0.01, "{fit:?}");
    assert_eq!(signs.slope(Color::White), None);
}

#[test]
fn bad_records_are_counted_and_left_out() {
    let folder = TestFolder::new();
    let [path, good] = ["in.psv", "good.psv"].map(|name| folder.file(name));
    write(&path, 5, 1);
    let whole = fs::read(&path).unwrap();
    let mut bytes = whole.clone();
    bytes[40 + 38] = 9;
    bytes[80] = 0xff;
    bytes.truncate(whole.len() - 1);
    fs::write(&path, &bytes).unwrap();
    let run = |is_skipping| {
        let sources = sources(&[&path]).skipping_bad_records(is_skipping);
        watched(|watch| pass::run(&sources, &to_file(&good), watch))
    };
    let error = format!("{:#}", run(false).err().unwrap());
    let part = "in.psv: record 2, at byte 40: result 9, expected 1, 0 or -1";
    assert!(error.ends_with(part), "{error}");
    assert_eq!(folder.count(), 1);

    let report = run(true).unwrap();
    let faults = report.tally.faults.iter();
    let classes = faults.map(|(name, class)| (name.as_str(), class.count));
    let expected = [("bad king", 1), ("bad result", 1), ("cut off", 1)];
    assert_eq!(classes.collect::<Vec<_>>(), expected);
    let expected = [&whole[..40], &whole[120..whole.len() - 40]].concat();
    assert!(fs::read(&good).unwrap() == expected);
    assert_eq!(report.tally.written, 97);
}

#[test]
fn shuffled_positions_are_the_same_in_another_order() {
    let folder = TestFolder::new();
    let [path, plain, out] = ["in.pack", "plain.psv", "out.psv"].map(|name| folder.file(name));
    write(&path, 300, 1);
    watched(|watch| pass::run(&sources(&[&path]), &to_file(&plain), watch)).unwrap();
    let mut expected = records(&plain, PackedSfenValue::SIZE);
    let mut orders = Vec::new();
    // 240 kB of positions: all in memory, in a few buckets, and in buckets of buckets.
    let all = 1 << 20;
    for (memory, seed) in [(all, 1), (all, 1), (50_000, 1), (400, 1), (all, 2)] {
        let tally = watched(|watch| {
            sort::shuffle(&sources(&[&path]), (&out, Format::Psv), memory, seed, watch)
        })
        .unwrap();
        assert_eq!(tally.written, 6000);
        orders.push(records(&out, PackedSfenValue::SIZE));
    }
    assert!(orders[0] == orders[1] && orders[0] != orders[2] && orders[0] != orders[4]);
    expected.sort();
    for mut order in orders {
        let plain = records(&plain, PackedSfenValue::SIZE);
        let kept = order.iter().zip(&plain).filter(|(a, b)| a == b).count();
        // The start position occurs in each game, so a few places match by chance.
        assert!(kept < 600, "{kept}");
        order.sort();
        assert!(order == expected);
    }
    assert_eq!(folder.count(), 3);
    let error =
        watched(|watch| sort::shuffle(&sources(&[&path]), (&out, Format::Pack), 1, 1, watch));
    let error = error.err().unwrap();
    let Some(FormatError::Unwritable { format, .. }) = error.downcast_ref() else {
        panic!("{error}");
    };
    assert_eq!(*format, Format::Pack);
}

#[test]
fn duplicates_become_exact_sums() {
    let folder = TestFolder::new();
    let [psv, pack, out] = ["in.psv", "in.pack", "out.psum"].map(|name| folder.file(name));
    write(&psv, 200, 1);
    write(&pack, 100, 1);
    // The expected sums by position, added up in memory.
    let mut expected: BTreeMap<[u8; 32], (i64, [u32; 3])> = BTreeMap::new();
    let both = sources(&[&psv, &pack]);
    watched(|watch| {
        both.read(watch, |_, record| {
            record.for_each_sum(|sum| {
                let entry = expected.entry(sum.position.to_bytes()).or_default();
                entry.0 += sum.score_sum;
                for (a, b) in entry.1.iter_mut().zip(sum.results) {
                    *a += b;
                }
            });
            Ok(())
        })
    })
    .unwrap();
    for memory in [1 << 20, 100_000, 2_000] {
        let report =
            watched(|watch| sort::dedup(&both, (&out, Format::Psum), memory, watch)).unwrap();
        let sums: Vec<PositionSum> = records(&out, PositionSum::SIZE)
            .iter()
            .map(|bytes| PositionSum::from_bytes(bytes.as_slice().try_into().unwrap()))
            .collect();
        assert_eq!(report.tally.written, expected.len() as u64);
        let found: BTreeMap<_, _> = sums
            .iter()
            .map(|sum| (sum.position.to_bytes(), (sum.score_sum, sum.results)))
            .collect();
        assert!(found == expected, "{memory}");
        assert_eq!(sums.len(), expected.len());
        assert!(report.contested > 0 && report.repeated > 1000);
    }
    assert_eq!(folder.count(), 3);
    let start = expected[&crate::records::packed::PackedSfen::of(&Position::startpos()).to_bytes()];
    assert_eq!(start.1.iter().sum::<u32>(), 300);
    assert_eq!(start.0 % NINTHS, start.0 % 9);
}
