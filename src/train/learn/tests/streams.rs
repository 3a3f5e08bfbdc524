//! Runs whose positions do not fit into the window, so that files are read during the run.

use std::path::{Path, PathBuf};
use std::{collections::BTreeMap, fs};

use super::*;
use crate::records::pack::{PackGame, PackReason, PackWriter};
use crate::records::teacher::{Format, TeacherReader};
use crate::runs::Watch;
use crate::train::learn::data::{FileGroup, Source};
use crate::train::learn::stream::{Place, Stream};
use crate::{records::game::GameResult, types::Color};

impl TestFolder {
    /// Writes games of random moves; each score is `first` plus the number of the position.
    fn games(&self, name: &str, games: usize, first: i16) -> PathBuf {
        let mut random = ChaCha8Rng::seed_from_u64(first.unsigned_abs().into());
        let mut writer = PackWriter::new(Vec::new());
        for number in 0..games {
            let start: Position = Position::startpos();
            let mut position = start.clone();
            let mut moves = Vec::new();
            for ply in 0..40 {
                let legal = legal_moves(&position);
                if legal.is_empty() {
                    break;
                }
                let mv = legal[random.random_range(0..legal.len())];
                moves.push((mv, first + (number * 40 + ply) as i16));
                position.do_move(mv);
            }
            let game = PackGame {
                start,
                moves,
                result: GameResult::Win(Color::Black),
                reason: PackReason::RESIGNATION,
            };
            writer.write(&game).expect("memory takes all");
        }
        let path = self.0.join(name);
        fs::write(&path, writer.into_inner()).expect("the folder can be written");
        path
    }
}

fn group(parts: u32, files: &[&Path]) -> FileGroup {
    let files = files.iter().map(|&file| file.to_owned()).collect();
    FileGroup { files, parts }
}

fn source(groups: Vec<FileGroup>, window: usize) -> Source {
    Source {
        groups,
        filter: Filter { tactical: Tactical::Keep, eval_limit: u16::MAX },
        buffer: window,
        ..Source::default()
    }
}

fn load(source: &Source) -> anyhow::Result<Data> {
    Data::load(source, &Watch::of_nobody())
}

/// How often each score is among the next visits.
fn visits(stream: &mut Stream<'_>, count: usize) -> BTreeMap<i16, usize> {
    let mut samples = Vec::new();
    stream.take(&mut samples, count).expect("good files");
    assert_eq!(samples.len(), count);
    let mut found = BTreeMap::new();
    for sample in samples {
        *found.entry(sample.score()).or_default() += 1;
    }
    found
}

#[test]
fn every_position_is_visited_once_in_each_pass() {
    let folder = TestFolder::new();
    // Some blocks each: a block has 4096 positions.
    let one = folder.games("one.pack", 350, 0);
    let other = folder.games("other.pack", 350, -16_000);
    let groups = vec![group(1, &[&one, &other])];
    let whole = load(&source(groups.clone(), 1 << 20)).expect("good files");
    assert!(!whole.is_streamed());
    let streamed = load(&source(groups, 10_000)).expect("good files");
    assert!(streamed.is_streamed());
    assert_eq!(streamed.positions(), whole.positions());
    let count = whole.training.len();
    assert!(count > 25_000, "{count}");
    let mut expected = BTreeMap::new();
    for sample in &whole.training {
        *expected.entry(sample.score()).or_insert(0) += 1;
    }
    let mut stream = Stream::at(&streamed, 3, Place::default());
    let mut first = visits(&mut stream, count / 2);
    for (score, times) in visits(&mut stream, count - count / 2) {
        *first.entry(score).or_default() += times;
    }
    // The blocks of a pass need not fill its last window, which goes on with the next pass.
    let missing = expected.keys().filter(|score| !first.contains_key(score));
    let missing = missing.count();
    assert!(missing < count / 3, "{missing} of {count}");
    let mut twice = first;
    for (score, times) in visits(&mut stream, 2 * count) {
        *twice.entry(score).or_default() += times;
    }
    assert!(expected.keys().all(|score| twice.contains_key(score)));
    assert!(twice.values().all(|&times| times <= 3 * 2));
}

#[test]
fn a_streamed_run_is_the_same_on_any_number_of_threads_and_after_any_interruption() {
    let folder = TestFolder::new();
    let files =
        [("a.pack", 0), ("b.pack", -12_000)].map(|(name, first)| folder.games(name, 260, first));
    let source = Source { held_out: 0.1, ..source(vec![group(1, &[&files[0], &files[1]])], 6000) };
    let data = load(&source).expect("good files");
    assert!(data.is_streamed() && data.held_out.len() > 1000);
    let settings = || Settings { steps: 60, ..settings() };
    let run = |threads| {
        on_threads(threads, || {
            let mut learner = Learner::new(settings(), &data).expect("good settings");
            run_to_end(&mut learner);
            bytes_of(&learner)
        })
    };
    let whole = run(1);
    assert!(whole == run(3), "runs with one and three threads differ");
    let checkpoint = folder.file("checkpoint.bin");
    for stopped_at in [1, 9, 23, 41] {
        let mut first = Learner::new(settings(), &data).expect("good settings");
        for _ in 0..stopped_at {
            first.step().expect("good files");
            if first.steps() == 20 || first.steps() == 40 {
                first.measure();
            }
        }
        first.save(&checkpoint).expect("the folder can be written");
        // The files are opened again, as after a restart.
        let again = load(&source).expect("good files");
        let mut second = Learner::resume(&checkpoint, &again).expect("a good checkpoint");
        run_to_end(&mut second);
        assert!(bytes_of(&second) == whole, "stopped at {stopped_at}");
    }
    // Other shares are another run.
    let other = Source { groups: vec![group(3, &[&files[0]]), group(1, &[&files[1]])], ..source };
    let other = load(&other).expect("good files");
    assert!(Learner::resume(&checkpoint, &other).is_err());
}

#[test]
fn groups_are_visited_by_their_parts() {
    let folder = TestFolder::new();
    let many = folder.games("many.pack", 700, 0);
    let few = folder.games("few.pack", 120, -10_000);
    for (parts, share) in [((3, 1), 0.75), ((1, 1), 0.5), ((1, 9), 0.1)] {
        let groups = vec![group(parts.0, &[&many]), group(parts.1, &[&few])];
        let data = load(&source(groups, 20_000)).expect("good files");
        let mut stream = Stream::at(&data, 1, Place::default());
        let found = visits(&mut stream, 200_000);
        let first: usize = found.range(0..).map(|(_, times)| times).sum();
        let found = f64::from(first as u32) / 200_000.0;
        assert!((found - share).abs() < 0.06, "{parts:?}: {found}");
    }
}

#[test]
fn held_out_games_are_not_visited() {
    let folder = TestFolder::new();
    let file = folder.games("games.pack", 500, 0);
    let held_out_file = folder.games("others.pack", 20, -16_000);
    let source = Source {
        held_out: 0.2,
        held_out_files: vec![held_out_file],
        ..source(vec![group(1, &[&file])], 5000)
    };
    let data = load(&source).expect("good files");
    assert!(data.is_streamed());
    let held_out: Vec<i16> = data.held_out.iter().map(Sample::score).collect();
    assert!(held_out.iter().any(|score| *score < 0));
    let of_games = held_out.iter().filter(|score| **score >= 0).count();
    assert!((2000..6000).contains(&of_games), "{of_games}");
    let mut stream = Stream::at(&data, 5, Place::default());
    let found = visits(&mut stream, 60_000);
    assert!(found.len() > 10_000, "{}", found.len());
    assert!(held_out.iter().all(|score| !found.contains_key(score)));
    // The choice does not depend on whether the positions are in memory.
    let in_memory = Source { buffer: 1 << 20, ..source };
    let whole = load(&in_memory).expect("good files");
    let all: Vec<i16> = whole.held_out.iter().map(Sample::score).collect();
    assert_eq!(all, held_out);
    let is_held_out = |sample: &Sample| held_out.contains(&sample.score());
    assert!(!whole.training.iter().any(is_held_out));
}

#[test]
fn a_bad_record_is_reported_once_and_a_shorter_file_ends_the_run() {
    let folder = TestFolder::new();
    let file = folder.games("games.pack", 700, 0);
    let bytes = fs::read(&file).expect("just written");
    let mut reader = TeacherReader::new(&bytes[..], Format::Pack);
    assert_eq!(reader.by_ref().take(300).flatten().count(), 300);
    let (before, after) = bytes.split_at(reader.offset() as usize);
    // A game of one move, from an empty square, that black wins.
    let bad = [1, 0x82, 0x00, 0, 0, 0x81, 0x00, 0];
    let with_bad = [before, &bad, after].concat();
    fs::write(&file, &with_bad).expect("the folder can be written");
    let data =
        load(&source(vec![group(1, &[&file])], 5000)).expect("one bad record is not an error");
    let mut stream = Stream::at(&data, 1, Place::default());
    let mut samples = Vec::new();
    let mut count = data.fault_count;
    for _ in 0..100 {
        stream.take(&mut samples, 3000).expect("good files");
        count += stream.take_faults().0;
    }
    // Once when blocks are tried before the run, and once when it is visited.
    assert_eq!(count, data.fault_count + 1);
    fs::write(&file, before).expect("the folder can be written");
    let error = (0..100)
        .find_map(|_| stream.take(&mut samples, 3000).err())
        .expect("the rest of the file is gone");
    let message = error.to_string();
    let is_named = message.contains("games.pack: changed while it was read");
    assert!(is_named, "{message}");
}
