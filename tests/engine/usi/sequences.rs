//! Valid commands in any order and at any time: in every state of the engine, each `go` gets
//! exactly one `bestmove`, each `isready` its `readyok`, and `quit` ends the program.
//!
//! The environment variable `RAICHO_SEQUENCES` sets the number of sequences, `RAICHO_SEED` the
//! seed.

use std::env;
use std::thread;
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::driver::{Driver, count};

const SEQUENCES: usize = 100;
const LONGEST: usize = 12;
/// Sequences for each engine; then `quit` is sent in whatever state it is.
const SEQUENCES_PER_PROCESS: usize = 50;

/// Pauses before a command in ms: mostly none, so that commands arrive while the one before is
/// still being executed.
const PAUSES: &[u64] = &[0, 0, 0, 0, 0, 0, 1, 1, 3, 5, 10, 30];

pub(super) const SEARCHES: &[&str] = &[
    "go infinite",
    "go",
    "go depth 1",
    "go depth 4",
    "go nodes 300",
    "go movetime 0",
    "go movetime 5",
    "go btime 0 wtime 0 byoyomi 0",
    "go btime 1 wtime 1",
    "go btime 50 wtime 70 byoyomi 0",
    "go btime 0 wtime 0 byoyomi 10",
    "go btime 60 wtime 60 binc 5 winc 5",
    "go btime 600000 wtime 600000 byoyomi 30000",
    "go ponder",
    "go ponder btime 0 wtime 0 byoyomi 10",
    "go ponder btime 100 wtime 100 binc 5 winc 5",
    "go ponder infinite",
    "go ponder depth 2",
    "go infinite depth 2",
    "go searchmoves 7g7f 2g2f depth 3",
];

pub(super) const ENDS: &[&str] = &[
    "stop",
    "stop",
    "ponderhit",
    "ponderhit btime 20 wtime 20 byoyomi 5",
    "ponderhit btime 60 wtime 60 binc 3 winc 3",
    "gameover win",
    "gameover lose",
    "gameover draw",
];

pub(super) const POSITIONS: &[&str] = &[
    "position startpos",
    "position startpos moves 7g7f",
    "position startpos moves 7g7f 3c3d 2g2f 8c8d",
    "position sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1",
    "position sfen 4K4/9/9/9/9/9/+r+bgggg+b+r1/ssssk4/9 w - 1",
    "position sfen 4k4/9/4G4/9/9/9/9/9/9 b G 1",
    "position sfen l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
    "position startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e",
];

const OPTIONS: &[&str] = &[
    "setoption name USI_Hash value 1",
    "setoption name USI_Hash value 4",
    "setoption name Threads value 1",
    "setoption name Threads value 2",
    "setoption name MultiPV value 1",
    "setoption name MultiPV value 3",
    "setoption name USI_Ponder value true",
    "setoption name Stochastic_Ponder value true",
    "setoption name Stochastic_Ponder value false",
    "setoption name SkillLevel value 0",
    "setoption name SkillLevel value 20",
    "setoption name LimitStrength value true",
    "setoption name LimitStrength value false",
    "setoption name NodesTime value 50",
    "setoption name NodesTime value 0",
    "setoption name NodesLimit value 200",
    "setoption name NodesLimit value 0",
    "setoption name DepthLimit value 2",
    "setoption name DepthLimit value 0",
    "setoption name EvalFile value <material>",
    "setoption name EvalFile value <embedded>",
    "setoption name MinimumThinkingTime value 1",
    "setoption name NetworkDelay2 value 0",
    "setoption name ResignValue value 500",
    "setoption name ClearHash",
];

pub(super) const QUESTIONS: &[&str] = &["isready", "isready", "usinewgame", "usi", "eval", "d"];

const KINDS: &[&[&str]] =
    &[SEARCHES, SEARCHES, SEARCHES, ENDS, ENDS, ENDS, POSITIONS, OPTIONS, QUESTIONS];

/// Numbers of answers that are due.
#[derive(Default, PartialEq, Eq, Debug)]
struct Due {
    bestmove: usize,
    readyok: usize,
    usiok: usize,
}

impl Due {
    fn enter(&mut self, command: &str) {
        match command.split(' ').next() {
            Some("go") => self.bestmove += 1,
            Some("isready") => self.readyok += 1,
            Some("usi") => self.usiok += 1,
            _ => {}
        }
    }

    fn came(lines: &[String]) -> Self {
        Self {
            bestmove: count(lines, "bestmove "),
            readyok: count(lines, "readyok"),
            usiok: count(lines, "usiok"),
        }
    }
}

fn number(name: &str, default: usize) -> usize {
    env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

fn sequence(random: &mut ChaCha8Rng) -> Vec<(Duration, &'static str)> {
    let length = random.random_range(1..=LONGEST);
    let command = |random: &mut ChaCha8Rng| {
        let kind = KINDS[random.random_range(0..KINDS.len())];
        let pause = PAUSES[random.random_range(0..PAUSES.len())];
        let command = kind[random.random_range(0..kind.len())];
        (Duration::from_millis(pause), command)
    };
    (0..length).map(|_| command(random)).collect()
}

/// Sends a sequence and returns the answers that are due for it.
fn send(driver: &mut Driver, sequence: &[(Duration, &str)]) -> Due {
    let mut due = Due::default();
    for (pause, command) in sequence {
        if !pause.is_zero() {
            thread::sleep(*pause);
        }
        driver.send(command);
        due.enter(command);
    }
    due
}

#[test]
fn sequences_in_any_order_and_timing_keep_every_promise() {
    let seed = number("RAICHO_SEED", 1);
    let mut random = ChaCha8Rng::seed_from_u64(seed as u64);
    let sequences = number("RAICHO_SEQUENCES", SEQUENCES);
    for process in 0..sequences.div_ceil(SEQUENCES_PER_PROCESS) {
        let mut driver = Driver::ready();
        for _ in 0..SEQUENCES_PER_PROCESS {
            let sequence = sequence(&mut random);
            let mut due = send(&mut driver, &sequence);
            // Ends a running search, whose answer comes before this one.
            driver.send("isready\ngetoption ClearHash");
            due.readyok += 1;
            let lines = driver.until("ClearHash = ");
            assert_eq!(Due::came(&lines), due, "process {process}: {sequence:#?}");
            // Only `searchmoves` may cause errors: the moves are legal in one position only.
            let is_wrong = |line: &&String| {
                line.contains("info string error") && !line.contains("searchmoves")
            };
            assert_eq!(lines.iter().find(is_wrong), None, "{sequence:#?}");
        }
        let sequence = sequence(&mut random);
        let due = send(&mut driver, &sequence);
        driver.send("quit");
        // `quit` does not wait for a long preparation.
        let came = Due::came(&driver.exit());
        assert!(came.bestmove <= due.bestmove, "quit after {sequence:#?}");
    }
}
