//! Thousands of lines of valid, broken and random commands in one session: it survives, and every
//! `go` is answered.

use std::thread;
use std::time::Duration;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use raicho::engine::Engine;
use raicho::mate::is_mating_line;
use raicho::movegen::legal_moves;
use raicho::position::Position;
use raicho::usi::command::{Command, ParsedLine, Start};

use super::driver::Driver;
use super::oracle;
use super::sequences::{ENDS, POSITIONS, QUESTIONS, SEARCHES};

const LINES: usize = 4_000;

/// Commands in a chunk; the answers are compared after each.
const CHUNK: usize = 100;

/// One chunk in this many is sent line by line with pauses, the others at once.
const SLOW_CHUNKS: usize = 5;
const PAUSE: Duration = Duration::from_millis(2);

/// The answer that a `go` must get.
enum Owed {
    /// A legal move of this position.
    Move(Box<Position>),
    /// The position was refused.
    NoMove,
    /// The answer of a mate search; `None` after a refused position.
    Checkmate(Option<Box<Position>>),
}

/// Derives the answers that are due from the text that was sent.
struct Ledger {
    engine: Engine,
    owed: Vec<Owed>,
    /// Correct answers so far.
    settled: usize,
}

impl Ledger {
    fn enter(&mut self, line: &str) {
        let parsed = ParsedLine::parse(line);
        let mut errors = parsed.errors.iter();
        let is_bad_position = errors.any(|error| error.command == Some("position"));
        match parsed.command {
            Some(Command::Position(position)) => {
                let sfen = match &position.start {
                    Start::Startpos => None,
                    Start::Sfen(sfen) => Some(sfen.as_str()),
                };
                let _ = self.engine.set_position(sfen, &position.moves);
            }
            Some(Command::Go(go)) if go.perft.is_some() => {}
            Some(Command::Go(go)) if go.mate.is_some() => {
                let refuses = self.engine.refusal().is_some();
                let position = (!refuses).then(|| Box::new(self.engine.position().clone()));
                self.owed.push(Owed::Checkmate(position));
            }
            Some(Command::Go(_)) if self.engine.refusal().is_some() => self.owed.push(Owed::NoMove),
            Some(Command::Go(_)) => {
                let position = Box::new(self.engine.position().clone());
                self.owed.push(Owed::Move(position));
            }
            _ if is_bad_position => self.engine.refuse_position("unreadable".to_owned()),
            _ => {}
        }
    }

    /// Compares the answers with what is owed. Infos belong to the search whose answer comes next.
    fn settle(&mut self, lines: &[String]) {
        let owed: Vec<_> = self.owed.drain(..).collect();
        self.settled += owed.len();
        let mut owed = owed.iter();
        let mut next = owed.next();
        for line in lines {
            if line.starts_with("bestmove ") || line.starts_with("checkmate ") {
                check_answer(next.expect("a go for every answer"), line);
                next = owed.next();
            } else if let Some(Owed::Move(position) | Owed::Checkmate(Some(position))) = next {
                oracle::check_pv(position, line);
            }
        }
        assert!(next.is_none(), "an answer is missing");
    }
}

fn check_answer(owed: &Owed, answer: &str) {
    match owed {
        Owed::Move(position) => {
            oracle::check_bestmove(position, answer);
            let has_moves = !legal_moves(position).is_empty();
            assert!(!has_moves || answer != "bestmove none", "{position:?}");
        }
        Owed::NoMove => assert!(matches!(answer, "bestmove resign" | "bestmove none"), "{answer}"),
        Owed::Checkmate(None) => assert_eq!(answer, "checkmate timeout"),
        Owed::Checkmate(Some(position)) => check_checkmate(position, answer),
    }
}

fn check_checkmate(position: &Position, answer: &str) {
    let words = answer.strip_prefix("checkmate ");
    let words = words.expect("an answer to a mate search");
    if ["nomate", "timeout"].contains(&words) {
        return;
    }
    let mut after = position.clone();
    let mut moves = Vec::new();
    for word in words.split(' ') {
        let stored = word.parse().expect("a move");
        let mv = after.to_move(stored).expect("a move of the side to move");
        moves.push(mv);
        after.do_move(mv);
    }
    let is_mating = is_mating_line(position, &moves);
    assert!(is_mating, "{answer} for {position:?}");
}

fn good_line() -> impl Strategy<Value = String> {
    let lines = [
        "d",
        "key",
        "moves",
        "getoption Threads",
        "compiler",
        "",
        "go mate 100",
        "go mate infinite",
        "go perft 1",
        "perft 2",
        "setoption name USI_Hash value 1",
        "setoption name USI_Hash value 2",
        "setoption name Threads value 2",
        "setoption name Threads value 1",
        "setoption name MultiPV value 3",
        "setoption name MultiPV value 1",
        "setoption name ClearHash",
        "setoption name USI_Ponder value true",
        "position sfen 4k4/9/9/9/9/9/9/9/4K4 b RB2G2S2N2L9Prb2g2s2n2l9p 1",
        "position lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w -",
    ];
    let lines = [&lines[..], SEARCHES, ENDS, POSITIONS, QUESTIONS].concat();
    prop::sample::select(lines).prop_map(str::to_owned)
}

fn bad_line() -> impl Strategy<Value = String> {
    let lines = [
        "position",
        "position sfen",
        "position startpos moves 7g7f 7g7f",
        "position startpos move 7g7f",
        "position sfen lnsgkgsnl/9/9/9/9/9/9/9/LNSGKGSN b - 1",
        "position sfen 9/9/9/9/9/9/9/9/9 b 99P 1",
        "position sfen PPPPPPPPP/9/4k4/9/9/9/9/9/4K4 b - 1",
        "position startpos moves 7g7f 3c3d 8h2b+ B*5e",
        "go depth",
        "go depth -1",
        "go movetime x",
        "go btime wtime",
        "go nodes 99999999999999999999 btime -1",
        "go depth 2 winc abc",
        "setoption",
        "setoption name",
        "setoption name SlowMover value many",
        "setoption name MultiPV value -5",
        "setoption name Foo value bar baz",
        "setoption name EvalFile value /dev/null",
        "setoption name EvalFile value <embedded>",
        "perft",
        "go perft",
        "bench deep",
        "ponderhit now",
        "gameover",
        "gameover over",
        "bestmove 7g7f",
        "readyok",
        "getoption Foo",
        "quit?",
        "STOP",
    ];
    prop::sample::select(lines.to_vec()).prop_map(str::to_owned)
}

/// Words in random order, without tools, whose work has no bound, and without sizes of tables and
/// numbers of threads.
fn shuffled_line() -> impl Strategy<Value = String> {
    let words: Vec<&str> = "go position startpos sfen moves 7g7f 3c3d + P*5e btime wtime byoyomi 10 -1 \
        depth 2 ponder infinite mate searchmoves stop setoption name value SlowMover win resign b w - \
        lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL"
        .split_whitespace()
        .collect();
    prop::collection::vec(prop::sample::select(words), 1..8).prop_map(|words| words.join(" "))
}

fn any_line() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => good_line(),
        4 => bad_line(),
        4 => shuffled_line(),
        1 => "\\PC{0,40}",
        1 => "[ -~]{0,200}",
    ]
    // No `quit` and no line ends within the random text.
    .prop_filter("not a line for here", |line| {
        line.split_whitespace().next() != Some("quit") && !line.contains('\n')
    })
}

#[test]
fn garbage_neither_kills_the_session_nor_loses_a_bestmove() {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, b"ten thousand lines of USI seed 1");
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let lines = any_line();
    let mut driver = Driver::ready();
    let mut ledger = Ledger { engine: Engine::new(), owed: Vec::new(), settled: 0 };
    for chunk in 0..LINES / CHUNK {
        let end = if chunk % 2 == 0 { "\n" } else { "\r\n" };
        let mut text = String::new();
        for _ in 0..CHUNK {
            let line = lines.new_tree(&mut runner).expect("a line").current();
            ledger.enter(&line);
            text.extend([line.as_str(), end]);
        }
        if chunk % SLOW_CHUNKS == 0 {
            // Lets searches run before the next line ends them.
            for line in text.split_inclusive('\n') {
                driver.send_bytes(line.as_bytes());
                thread::sleep(PAUSE);
            }
        } else {
            driver.send_bytes(text.as_bytes());
        }
        // Ends a running search, whose answer comes before this one.
        driver.send("isready\ngetoption ClearHash");
        ledger.settle(&driver.until("ClearHash = "));
    }
    assert!(ledger.settled > LINES / 10, "{} answers", ledger.settled);
    driver.send("quit");
    driver.exit();
}
