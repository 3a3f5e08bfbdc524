//! New scores are those of searches, whatever divides or interrupts the run.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::eval::Evaluator;
use crate::movegen::legal_moves;
use crate::position::Position;
use crate::records::game::GameResult;
use crate::records::pack::{PackGame, PackReason};
use crate::records::teacher::{Format, Record, TeacherReader, TeacherWriter};
use crate::runs::{Shard, Stop, Watch};
use crate::train::data::Sources;
use crate::train::data::pass::BadRecords;
use crate::train::gensfen::{Effort, centipawns};

static RUNNING: Stop = Stop::new();

/// A folder that is removed at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("raicho-rescore-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("it can be made");
        Self(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A game of made-up moves, all with score 0.
fn game(number: usize) -> PackGame {
    let start = Position::startpos();
    let mut position = start.clone();
    let mut moves = Vec::new();
    for ply in 0..12 {
        let legal = legal_moves(&position);
        let mv = legal[(number * 7919 + ply * 104_729) % legal.len()];
        moves.push((mv, 0));
        position.do_move(mv);
    }
    PackGame {
        start,
        moves,
        result: GameResult::from_code((number % 3) as u8).expect("three codes"),
        reason: PackReason::RESIGNATION,
    }
}

fn write(path: &Path, games: usize) {
    let format = Format::of_path(path).expect("a known ending");
    let mut writer = TeacherWriter::new(Vec::new(), format);
    for number in 0..games {
        let written = writer.write(&game(number).into());
        written.expect("a format with scores");
    }
    let (bytes, _) = writer.finish().expect("memory takes all");
    fs::write(path, bytes).expect("it can be written");
}

/// Searches of 50 nodes.
const SEARCH: Option<Effort> = Some(Effort {
    nodes: Some(50),
    depth: None,
});

fn rescored(paths: &[&PathBuf], out: &Path, shard: &str, threads: usize) -> RescoreReport {
    rescored_by(SEARCH, paths, out, (shard, threads))
}

fn rescored_by(
    effort: Option<Effort>,
    paths: &[&PathBuf],
    out: &Path,
    (shard, threads): (&str, usize),
) -> RescoreReport {
    let paths: Vec<PathBuf> = paths.iter().map(|&path| path.clone()).collect();
    let settings = RescoreSettings {
        effort,
        hash_mb: 1,
        threads,
        bad_records: BadRecords::Stop,
    };
    let rescoring = Rescoring {
        sources: &Sources::new(&paths, None).expect("known endings"),
        output: (out, Format::of_path(out).expect("a known ending")),
        settings: &settings,
        evaluator: &Evaluator::Material,
    };
    let shard: Shard = shard.parse().expect("a shard");
    let watch = Watch {
        stop: &RUNNING,
        progress: &|_, _| {},
    };
    run(
        &rescoring,
        &mut Steps::new(shard, None, None),
        &watch,
        &|_| {},
    )
    .expect("good files")
}

fn read(path: &Path) -> Vec<Record> {
    let format = Format::of_path(path).expect("a known ending");
    let bytes = fs::read(path).expect("it was written");
    let records = TeacherReader::new(&bytes[..], format);
    records
        .map(|record| record.expect("a good record"))
        .collect()
}

#[test]
fn only_the_scores_change() {
    let folder = Folder::new("scores");
    for ending in ["pack", "psv", "hcpe", "psum"] {
        let [path, out] = ["in", "out"].map(|name| folder.path(&format!("{name}.{ending}")));
        write(&path, 12);
        let report = rescored(&[&path], &out, "1/1", 1);
        assert_eq!(
            (report.searches.positions, report.tally.written),
            (144, 144)
        );
        assert!(report.searches.nodes > 144 * 30 && report.searches.change > 0);
        let mut changed = 0;
        for (old, new) in read(&path).iter().zip(&read(&out)) {
            let mut samples = [Vec::new(), Vec::new()];
            old.for_each_sample(|sample| samples[0].push(*sample));
            new.for_each_sample(|sample| samples[1].push(*sample));
            for (old, new) in samples[0].iter().zip(&samples[1]) {
                changed += usize::from(old.score != new.score);
                let mut same = *new;
                same.score = old.score;
                assert_eq!(same, *old, "{ending}");
            }
        }
        assert!(changed >= 5, "{ending}: {changed}");
    }
}

#[test]
fn static_scores_are_evaluations() {
    let folder = Folder::new("static");
    let [path, out] = ["in.pack", "out.pack"].map(|name| folder.path(name));
    write(&path, 12);
    let report = rescored_by(None, &[&path], &out, ("1/1", 2));
    assert_eq!((report.searches.positions, report.searches.nodes), (144, 0));
    assert!(report.to_string().contains("144 positions evaluated\n"));
    let mut scores = 0;
    for record in read(&out) {
        let game = record.game().expect("a game");
        let mut position = game.game.start.clone();
        let evaluator = Evaluator::Material;
        let mut accumulator = evaluator.accumulator();
        for (mv, score) in game.scored_moves() {
            let value = evaluator.evaluate(&position, &mut accumulator);
            assert_eq!(score, Some(centipawns(value)));
            scores += usize::from(value != 0);
            position.do_move(mv);
        }
    }
    assert!(scores > 0, "all are 0");
}

#[test]
fn shards_and_threads_change_nothing() {
    let folder = Folder::new("shards");
    for ending in ["pack", "psv"] {
        let path = |name: &str| folder.path(&format!("{name}.{ending}"));
        let inputs = ["a", "b"].map(path);
        // 252 and 96 samples: groups end within and at the end of files.
        write(&inputs[0], 21);
        write(&inputs[1], 8);
        let inputs = [&inputs[0], &inputs[1]];
        rescored(&inputs, &path("whole"), "1/1", 1);
        let whole = fs::read(path("whole")).expect("it was written");
        rescored(&inputs, &path("threads"), "1/1", 3);
        assert!(fs::read(path("threads")).expect("it was written") == whole);
        for count in [2, 3, 7] {
            let mut parts = Vec::new();
            for number in 1..=count {
                let out = path(&format!("part-{number}"));
                rescored(&inputs, &out, &format!("{number}/{count}"), 1);
                parts.extend(fs::read(out).expect("it was written"));
            }
            assert!(parts == whole, "{ending} in {count} parts");
        }
    }
}

#[test]
fn other_kinds_of_data_are_refused() {
    let folder = Folder::new("kinds");
    let [pack, psv] = ["in.pack", "out.psv"].map(|name| folder.path(name));
    write(&pack, 1);
    let settings = RescoreSettings {
        effort: SEARCH,
        hash_mb: 1,
        threads: 1,
        bad_records: BadRecords::Stop,
    };
    let sources = Sources::new(&[pack], None).expect("a known ending");
    let mut rescoring = Rescoring {
        sources: &sources,
        output: (&psv, Format::Psv),
        settings: &settings,
        evaluator: &Evaluator::Material,
    };
    let watch = Watch {
        stop: &RUNNING,
        progress: &|_, _| {},
    };
    let result = run(&rescoring, &mut Steps::whole(), &watch, &|_| {});
    assert!(matches!(result, Err(DataError::OtherKind { .. })));
    // Lines of moves have no scores, so that the work would be lost.
    rescoring.output = (&psv, Format::Usi);
    let result = run(&rescoring, &mut Steps::whole(), &watch, &|_| {});
    let said = result.expect_err("there are no scores").to_string();
    assert!(
        said.starts_with("usi cannot be written here, expected psv "),
        "{said}"
    );
    assert!(!psv.exists());
}
