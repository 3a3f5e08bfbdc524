//! New scores are those of searches, whatever interrupts the run.

use std::fs;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

use super::*;
use crate::records::pack::{PackGame, PackReason};
use crate::records::teacher::{Format, Record, TeacherReader, TeacherWriter};
use crate::runs::Watch;
use crate::{eval::Evaluator, movegen::legal_moves, position::Position, records::game::GameResult};
use crate::{records::score, train::data::Sources, train::gensfen::Effort, util::TestFolder};

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
const SEARCH: Option<Effort> = Some(Effort { nodes: Some(50), depth: None });

fn rescored(paths: &[&PathBuf], out: &Path, threads: usize) -> RescoreReport {
    rescored_by(SEARCH, paths, out, threads)
}

fn rescored_by(
    effort: Option<Effort>,
    paths: &[&PathBuf],
    out: &Path,
    threads: usize,
) -> RescoreReport {
    let paths: Vec<PathBuf> = paths.iter().map(|&path| path.clone()).collect();
    let rescoring = Rescoring {
        sources: &Sources::new(&paths, None).expect("known endings"),
        output: (out, Format::of_path(out).expect("a known ending")),
        evaluator: &Evaluator::Material,
        effort,
        threads,
    };
    let watch = Watch::of_nobody();
    run(&rescoring, KeptCheckpoints::default(), &watch, &|_| {}).expect("good files")
}

fn read(path: &Path) -> Vec<Record> {
    let format = Format::of_path(path).expect("a known ending");
    let bytes = fs::read(path).expect("it was written");
    let records = TeacherReader::new(&bytes[..], format);
    records.map(|record| record.expect("a good record")).collect()
}

#[test]
fn only_the_scores_change() {
    let folder = TestFolder::new();
    for ending in ["pack", "psv", "hcpe", "psum"] {
        let [path, out] = ["in", "out"].map(|name| folder.file(&format!("{name}.{ending}")));
        write(&path, 12);
        let report = rescored(&[&path], &out, 1);
        let expected = (144, 144);
        assert_eq!((report.searches.positions, report.tally.written), expected);
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
    let folder = TestFolder::new();
    let [path, out] = ["in.pack", "out.pack"].map(|name| folder.file(name));
    write(&path, 12);
    let report = rescored_by(None, &[&path], &out, 2);
    assert_eq!((report.searches.positions, report.searches.nodes), (144, 0));
    assert!(report.to_string().contains("144 positions evaluated\n"));
    let mut scores = 0;
    for record in read(&out) {
        let game = record.game().expect("a game");
        let mut position = game.game.start.clone();
        let mut evaluator = Evaluator::Material.for_thread();
        for (mv, score) in game.scored_moves() {
            let value = evaluator.evaluate(&position);
            assert_eq!(score, Some(score::of_value(value)));
            scores += usize::from(value != 0);
            position.do_move(mv);
        }
    }
    assert!(scores > 0, "all are 0");
}

#[test]
fn threads_change_nothing() {
    let folder = TestFolder::new();
    for ending in ["pack", "psv"] {
        let path = |name: &str| folder.file(&format!("{name}.{ending}"));
        let inputs = ["a", "b"].map(path);
        // 252 and 96 samples: groups end within and at the end of files.
        write(&inputs[0], 21);
        write(&inputs[1], 8);
        let inputs = [&inputs[0], &inputs[1]];
        rescored(&inputs, &path("whole"), 1);
        let whole = fs::read(path("whole")).expect("it was written");
        rescored(&inputs, &path("threads"), 3);
        assert!(fs::read(path("threads")).expect("it was written") == whole);
    }
}

#[test]
fn other_kinds_of_data_are_refused() {
    let folder = TestFolder::new();
    let [pack, psv] = ["in.pack", "out.psv"].map(|name| folder.file(name));
    write(&pack, 1);
    let sources = Sources::new(&[pack], None).expect("a known ending");
    let mut rescoring = Rescoring {
        sources: &sources,
        output: (&psv, Format::Psv),
        evaluator: &Evaluator::Material,
        effort: SEARCH,
        threads: 1,
    };
    let watch = Watch::of_nobody();
    let result = run(&rescoring, KeptCheckpoints::default(), &watch, &|_| {});
    let said = result.expect_err("another kind").to_string();
    assert!(said.contains("pack is not written as psv"), "{said}");
    // Lines of moves have no scores, so that the work would be lost.
    rescoring.output = (&psv, Format::Usi);
    let result = run(&rescoring, KeptCheckpoints::default(), &watch, &|_| {});
    let said = result.expect_err("there are no scores").to_string();
    let part = "usi cannot be written here, expected psv ";
    assert!(said.starts_with(part), "{said}");
    assert!(!psv.exists());
}

// --- Scores of another program ---

fn sources(path: &Path) -> Sources {
    Sources::new(&[path.to_owned()], None).expect("a known ending")
}

fn positions_of(path: &Path) -> String {
    let watch = Watch::of_nobody();
    let mut out = Vec::new();
    let to = (Path::new("positions.tsv"), &mut out as &mut dyn Write);
    let report = write_positions(&sources(path), to, &watch);
    let text = String::from_utf8(out).expect("keys and SFENs");
    let positions = report.expect("good files").searches.positions;
    assert_eq!(text.lines().count() as u64, 1 + positions);
    text
}

fn take(path: &Path, scores: &str, out: &Path) -> Result<RescoreReport> {
    let watch = Watch::of_nobody();
    let mut scores = scores.as_bytes();
    let reader = &mut scores as &mut dyn BufRead;
    let column = (Path::new("scores.tsv"), reader, 800);
    let output = (out, Format::of_path(out).expect("a known ending"));
    take_scores(&sources(path), column, output, &watch)
}

/// A file of scores for exported positions, by their number from 0.
fn column(positions: &str, header: &str, score: impl Fn(usize) -> String) -> String {
    let keys = positions.lines().skip(1).map(|line| &line[..16]);
    let lines = keys.enumerate().map(|(number, key)| format!("{key}\t{}\n", score(number)));
    format!("{header}\n{}", lines.collect::<String>())
}

/// The scores of all records in centipawns.
fn scores_in(path: &Path) -> Vec<i16> {
    let mut scores = Vec::new();
    for record in read(path) {
        record.for_each_sample(|sample| scores.push(sample.score));
        if let Record::Tree(node) = record {
            scores.push(node.score);
        }
    }
    scores
}

#[test]
fn scores_of_another_program_come_back_in_their_order() {
    let folder = TestFolder::new();
    for ending in ["pack", "hcpe", "psum"] {
        let [path, out] = ["in", "out"].map(|name| folder.file(&format!("{name}.{ending}")));
        write(&path, 9);
        let positions = positions_of(&path);
        let count = scores_in(&path).len();
        let score = |number: usize| (number as i16 * 7 % 3000) - 1500;
        let scores = column(&positions, "key\tcp", |number| score(number).to_string());
        let report = take(&path, &scores, &out).expect("good scores");
        assert_eq!(report.searches.positions, count as u64);
        let expected: Vec<i16> = (0..count).map(score).collect();
        assert_eq!(scores_in(&out), expected, "{ending}");
        // Nothing but the scores changes.
        assert_eq!(positions_of(&out), positions);
    }
}

#[test]
fn winning_probabilities_become_scores() {
    let folder = TestFolder::new();
    let [path, out] = ["in.pack", "out.pack"].map(|name| folder.file(name));
    write(&path, 1);
    let rates = ["0.5", "0.7310586", "0.2689414", "0", "1", "0.50"];
    let scores = column(&positions_of(&path), "key\twin_rate", |number| {
        rates[number % rates.len()].to_owned()
    });
    take(&path, &scores, &out).expect("good scores");
    // 1 / (1 + e^-1) is the probability of the scale itself: 800 units of 1/90 pawn.
    let expected = [0, 889, -889, -30_999, 30_999, 0].into_iter().cycle();
    let expected: Vec<i16> = expected.take(12).collect();
    assert_eq!(scores_in(&out), expected);
}

#[test]
fn scores_of_other_positions_are_refused() {
    let folder = TestFolder::new();
    let [path, out] = ["in.pack", "out.pack"].map(|name| folder.file(name));
    write(&path, 2);
    let good = column(&positions_of(&path), "key\tcp", |_| "5".to_owned());
    let key = good.lines().nth(3).map_or("", |line| &line[..16]);
    let bad_value = format!("{key}\t40000");
    let lines: Vec<String> = good.lines().map(str::to_owned).collect();
    let edited = |edit: &dyn Fn(&mut Vec<String>)| {
        let mut lines = lines.clone();
        edit(&mut lines);
        lines.join("\n") + "\n"
    };
    for (scores, message) in cases! {
        String::new() => "line 1: ";
        edited(&|lines| lines[0] = "key\teval".to_owned()) => "line 1: key";
        edited(&|lines| lines.swap(4, 5)) => "line 5: ";
        edited(&|lines| lines[2] = "5".to_owned()) => "line 3: 5, expected the key ";
        edited(&|lines| lines[3].clone_from(&bad_value)) => "line 4: ";
        edited(&|lines| lines.truncate(20)) => "ends after 19 scores, expected one for ";
        edited(&|lines| lines.push("0000000000000000\t0".to_owned())) => "line 26: ";
    } {
        let error = take(&path, &scores, &out).expect_err("not the scores of these positions");
        let error = format!("{error:#}");
        assert!(error.starts_with("scores.tsv: "), "{error}");
        assert!(error.contains(message), "{error}");
        assert!(!out.exists(), "nothing is written");
    }
}
