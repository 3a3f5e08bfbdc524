//! What the referee costs a match: the time between the answer of one engine and the question to
//! the other.
//!
//! Whole games are played through the public runner, between two processes of this engine that
//! search one node a move; their own time does not count. One iteration is one move. A mean of a
//! millisecond or more fails, and so does a millisecond for everything, from question to question:
//! the way through the pipes and the search of the node included.

use std::cell::Cell;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use raicho::arena::journal::{MatchFolder, Overhead};
use raicho::arena::referee::Rules;
use raicho::arena::runner::{self, Event};
use raicho::arena::settings::{EngineSettings, Format, MatchSettings};
use raicho::openings::{OpeningSettings, Order, Plies, Source};

use raicho::arena::time_control::TimeControl;
use raicho::runs::Stop;
use raicho::usi::client::Program;

/// What a move may cost.
const BAR: Duration = Duration::from_millis(1);
/// Games of a match.
const GAMES: u64 = 8;

fn engine(name: &str) -> EngineSettings {
    EngineSettings {
        name: name.to_owned(),
        program: Program::new(env!("CARGO_BIN_EXE_raicho")),
        options: vec![("USI_Hash".to_owned(), "1".to_owned())],
        time_control: TimeControl { nodes: Some(1), ..TimeControl::default() },
    }
}

fn settings() -> MatchSettings {
    let plies = Plies::new(8, 12).expect("a range");
    MatchSettings {
        engines: vec![engine("one"), engine("other")],
        format: Format::RoundRobin,
        games: Some(GAMES),
        rules: Rules::default(),
        openings: OpeningSettings {
            source: Source::Random { plies },
            order: Order::Random,
            max_imbalance: None,
            seed: 1,
        },
        ponder: false,
        sprt: None,
        shard: None,
    }
}

/// Plays a match and sums up the time that was the referee's, and how long a move took in all.
fn play(settings: &MatchSettings, concurrency: usize) -> (Overhead, Duration) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("arena-bench");
    let _ = fs::remove_dir_all(&folder);
    let journal = MatchFolder::create(&folder, settings).expect("the folder can be written");
    let times = Mutex::default();
    let on_event = |event: Event<'_>| {
        if let Event::Game { tally, .. } = event {
            let charged = tally.engines.iter().map(|engine| engine.figures.mean_time());
            let mean = charged.sum::<Duration>() / tally.engines.len() as u32;
            *times.lock().expect("no panic") = (tally.overhead, tally.overhead.mean() + mean);
        }
    };
    runner::run(settings, journal, &[], concurrency, &Stop::new(), &on_event).expect("a match");
    let _ = fs::remove_dir_all(&folder);
    times.into_inner().expect("no panic")
}

#[expect(clippy::cast_precision_loss, reason = "a mean is an estimate")]
fn overhead(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("referee");
    group.sample_size(10);
    for (name, concurrency) in [("one game at a time", 1), ("two games at a time", 2)] {
        let settings = settings();
        let moves = Cell::new(0);
        let [longest, slowest] = [const { Cell::new(Duration::ZERO) }; 2];
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|iterations| {
                let (overhead, in_all) = play(&settings, concurrency);
                moves.set(moves.get() + overhead.count);
                longest.set(longest.get().max(overhead.longest));
                slowest.set(slowest.get().max(in_all));
                assert!(overhead.mean() < BAR, "{overhead:?}");
                assert!(in_all < BAR, "{in_all:?} for a move");
                overhead.sum.mul_f64(iterations as f64 / overhead.count as f64)
            });
        });
        println!(
            "{} moves, {:.3?} at most; with the engine's part {:.3?} on average in the \
             slowest match",
            moves.get(),
            longest.get(),
            slowest.get()
        );
    }
    group.finish();
}

criterion_group!(arena, overhead);
criterion_main!(arena);
