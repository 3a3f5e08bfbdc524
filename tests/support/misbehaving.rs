//! A small USI engine that plays legal moves, and misbehaves as it is told to; for the tests of
//! what drives engines.
//!
//! The test executable is the engine too: it starts itself with the name of [`misbehaving_engine`]
//! as the only test to run and the behaviour in an environment variable. What the test harness
//! prints before the engine speaks is a first trial for the client, which has to skip it.
//!
//! A behaviour is a list such as `illegal,flood:1`; the number is the engine's own move, counted
//! from 1 in each game, from which on it does so, by default the third. An empty list plays on in
//! peace.
//!
//! | Behaviour | What it does instead of, or besides, answering |
//! |---|---|
//! | `illegal` | plays a move that the rules forbid |
//! | `garbage` | plays `xyz` |
//! | `hang` | says nothing any more, whatever is sent |
//! | `die` | exits with code 3 |
//! | `abort` | ends by a signal |
//! | `late:MS[:MOVE]` | answers this many milliseconds after its time is over |
//! | `win` | declares |
//! | `resign` | resigns |
//! | `illegal-pv` | announces a line whose second move is impossible |
//! | `flood` | writes 100,000 `info` lines first |
//! | `two-bestmoves` | answers twice |
//! | `no-newline` | writes 10 MB without an end of line first, and its answer right behind |
//! | `closes-stdout` | closes its output, but lives on |
//! | `deaf[:N]` | ignores `isready`, from the `N`th on, by default the first |
//! | `mute` | never says `usiok` |
//! | `boasts` | declares options without end |
//! | `babbles` | writes anything but `readyok` without end |
//! | `chatty` | writes 1 MB to its standard error first |
//! | `unread` | reads nothing any more after `usiok` |
//! | `tuned[:MOVE]` | resigns the more often, the further `Skill` and `Tilt` are from the best |
//! | `stays` | ignores `quit` and the end of its input |

use std::io::{self, BufRead, Write};
use std::time::Duration;

use raicho::movegen::legal_moves;
use raicho::position::{Position, START_SFEN};
use raicho::types::{Move16, Square};
use raicho::usi::client::Program;

/// Holds the behaviour.
const VARIABLE: &str = "RAICHO_TEST_ENGINE";
/// With these values of its options an engine that is tuned resigns least.
pub(crate) const BEST_SKILL: f64 = 75.0;
pub(crate) const BEST_TILT: f64 = 0.2;
/// Stands for no misbehaviour in the variable, which must not be empty.
const PLAIN: &str = "plain";
/// An engine that ignores everything ends by itself, if nobody kills it, after this.
const FOREVER: Duration = Duration::from_mins(5);

/// The engine with this behaviour.
pub(crate) fn program(behaviour: &str) -> Program {
    let path = std::env::current_exe().expect("the test knows its own file");
    // Where this module lies in the test crate.
    let (_, module) = module_path!().split_once("::").expect("a module of the tests");
    let test = format!("{module}::misbehaving_engine");
    let arguments = [&test, "--exact", "--ignored", "--nocapture"];
    let behaviour = Some(behaviour).filter(|text| !text.is_empty()).unwrap_or(PLAIN);
    Program {
        arguments: arguments.map(str::to_owned).to_vec(),
        environment: vec![(VARIABLE.to_owned(), behaviour.to_owned())],
        ..Program::new(path)
    }
}

#[test]
#[ignore = "an engine for other tests, not a test"]
fn misbehaving_engine() {
    if let Ok(behaviour) = std::env::var(VARIABLE) {
        Engine::new(&behaviour).run();
        std::process::exit(0);
    }
}

/// One item of the list.
struct Habit {
    name: String,
    /// From this occasion on.
    from: u32,
    milliseconds: u64,
}

impl Habit {
    fn of(text: &str) -> Self {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default().to_owned();
        let mut number = || parts.next().map(|number| number.parse().expect("a number"));
        let milliseconds = if name == "late" { number() } else { None };
        let is_early = ["deaf", "tuned"].contains(&name.as_str());
        let default = if is_early { 1 } else { 3 };
        Self {
            from: number().unwrap_or(default) as u32,
            milliseconds: milliseconds.unwrap_or(0),
            name,
        }
    }
}

struct Engine {
    behaviour: String,
    habits: Vec<Habit>,
    position: Position,
    moves_made: u32,
    times_asked: u32,
    /// What was asked and may be answered only after `stop` or `ponderhit`.
    held_back: Option<String>,
    seed: u64,
    score: i64,
    delay: u64,
    skill: f64,
    tilt: f64,
}

impl Engine {
    fn new(behaviour: &str) -> Self {
        Self {
            behaviour: behaviour.to_owned(),
            habits: behaviour.split(',').map(Habit::of).collect(),
            position: Position::startpos(),
            moves_made: 0,
            times_asked: 0,
            held_back: None,
            seed: 0,
            score: 0,
            delay: 0,
            skill: 50.0,
            tilt: 0.0,
        }
    }

    fn habit(&self, name: &str, occasion: u32) -> Option<&Habit> {
        let mut habits = self.habits.iter();
        habits.find(|habit| habit.name == name && occasion >= habit.from)
    }

    fn has(&self, name: &str) -> bool {
        self.habit(name, u32::MAX).is_some()
    }

    fn run(&mut self) {
        // The harness may have left its line open.
        say("");
        if self.has("chatty") {
            (0..10_000).for_each(|_| eprintln!("{}", "noise ".repeat(17)));
        }
        for line in io::stdin().lock().lines() {
            let line = line.expect("the test writes UTF-8");
            let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
            match word {
                "usi" => self.introduce(),
                "setoption" => self.set_option(rest),
                "isready" => self.prepare(),
                "usinewgame" => self.moves_made = 0,
                "position" => self.position = read_position(rest),
                "go" if rest.starts_with("ponder") || rest.starts_with("infinite") => {
                    self.held_back = Some(rest.to_owned());
                }
                "go" => self.go(rest),
                "stop" | "ponderhit" => {
                    if let Some(go) = self.held_back.take() {
                        self.go(&go);
                    }
                }
                "quit" if !self.has("stays") => return,
                _ => {}
            }
        }
        if self.has("stays") {
            std::thread::sleep(FOREVER);
        }
    }

    fn introduce(&self) {
        say(&format!("id name Misbehaving ({})\nid author nobody", self.behaviour));
        say("option name USI_Hash type spin default 1 min 1 max 1024");
        // 0 plays the first legal move, everything else random ones.
        say("option name Seed type spin default 0 min 0 max 1000000000");
        // What it says that positions are worth.
        say("option name Score type spin default 0 min -30000 max 30000");
        // Milliseconds that it thinks.
        say("option name Delay type spin default 0 min 0 max 100000");
        if self.has("tuned") {
            say("option name Skill type spin default 50 min 0 max 100");
            say("option name Tilt type string default 0");
        }
        if self.has("boasts") {
            endlessly("option name Another type string default x");
        }
        if !self.has("mute") {
            say("usiok");
        }
        if self.has("unread") {
            std::thread::sleep(FOREVER);
        }
    }

    fn set_option(&mut self, text: &str) {
        let words: Vec<&str> = text.split(' ').collect();
        if let ["name", name, "value", value] = words[..] {
            match name {
                "Seed" => self.seed = value.parse().expect("a number"),
                "Score" => self.score = value.parse().expect("a number"),
                "Delay" => self.delay = value.parse().expect("a number"),
                "Skill" => self.skill = value.parse().expect("a number"),
                "Tilt" => self.tilt = value.parse().expect("a number"),
                _ => {}
            }
        }
    }

    fn prepare(&mut self) {
        self.times_asked += 1;
        if self.has("babbles") {
            endlessly("info string not yet");
        }
        if self.habit("deaf", self.times_asked).is_none() {
            say("readyok");
        }
    }

    /// The move that it would play, `None` at the end of the game.
    fn choose(&self) -> Option<String> {
        let moves = legal_moves(&self.position);
        let index = match self.seed {
            0 => 0,
            seed => scramble(seed ^ self.position.key().low64()) as usize % moves.len().max(1),
        };
        moves.get(index).map(ToString::to_string)
    }

    /// Whether it gives up here: the same answer whenever it is asked with the same options.
    fn is_out_of_luck(&self) -> bool {
        let distance = (self.skill - BEST_SKILL).abs() / 100.0 + (self.tilt - BEST_TILT).abs();
        let luck = (scramble(self.position.key().low64()) >> 32) as u32;
        f64::from(luck) / f64::from(u32::MAX) < (0.03 + distance).min(0.9)
    }

    fn go(&mut self, limits: &str) {
        self.moves_made += 1;
        std::thread::sleep(Duration::from_millis(self.delay));
        let Some(mv) = self.choose() else {
            return say("bestmove resign");
        };
        let misbehaves = |name| self.habit(name, self.moves_made).is_some();
        if misbehaves("tuned") && self.is_out_of_luck() {
            return say("bestmove resign");
        }
        if misbehaves("hang") {
            std::thread::sleep(FOREVER);
        }
        // Twice from the same square, or onto the same square.
        let repeated = if misbehaves("illegal-pv") { format!(" {mv}") } else { String::new() };
        let info = format!("info depth 1 score cp {} nodes 1 pv {mv}{repeated}", self.score);
        say(&info);
        if misbehaves("die") {
            std::process::exit(3);
        }
        if misbehaves("abort") {
            std::process::abort();
        }
        if misbehaves("closes-stdout") {
            close_stdout();
        }
        if misbehaves("flood") {
            write(&format!("{info}\n").repeat(100_000));
        }
        if misbehaves("no-newline") {
            write(&"x".repeat(10_000_000));
        }
        if let Some(late) = self.habit("late", self.moves_made) {
            let delay = self.time_left(limits) + late.milliseconds;
            std::thread::sleep(Duration::from_millis(delay));
        }
        let answers = [
            ("illegal", self.illegal_move()),
            ("garbage", "xyz".to_owned()),
            ("win", "win".to_owned()),
            ("resign", "resign".to_owned()),
        ];
        let answer = answers.into_iter().find(|(name, _)| misbehaves(name));
        let answer = answer.map_or(mv, |(_, answer)| answer);
        say(&format!("bestmove {answer}"));
        if misbehaves("two-bestmoves") {
            say(&format!("bestmove {answer}"));
        }
    }

    /// Well formed.
    fn illegal_move(&self) -> String {
        let legal = legal_moves(&self.position);
        let is_legal = |text: &str| legal.iter().any(|mv| mv.to_string() == text);
        let mut drops = Square::ALL.into_iter().map(|to| format!("G*{to}"));
        let drop = drops.find(|text| !is_legal(text));
        drop.expect("a king's square takes no drop")
    }

    /// In milliseconds, as far as `go` says.
    fn time_left(&self, limits: &str) -> u64 {
        let side = ["b", "w"][self.position.side_to_move().index()];
        let parts = [format!("{side}time"), format!("{side}inc")];
        let counts = |word: &str| parts.iter().any(|part| part == word);
        let words: Vec<&str> = limits.split_whitespace().collect();
        let pairs = words.windows(2);
        let pairs =
            pairs.filter(|pair| counts(pair[0]) || ["byoyomi", "movetime"].contains(&pair[0]));
        pairs.map(|pair| pair[1].parse::<u64>().expect("a number")).sum()
    }
}

fn read_position(text: &str) -> Position {
    let (start, moves) = text.split_once("moves").unwrap_or((text, ""));
    let sfen = match start.trim() {
        "startpos" => START_SFEN,
        start => start.strip_prefix("sfen").expect("startpos or sfen").trim(),
    };
    let mut position = Position::from_sfen(sfen).expect("a good position");
    for text in moves.split_whitespace() {
        let stored: Move16 = text.parse().expect("a move");
        position.do_move(position.to_move(stored).expect("a move of a piece"));
    }
    position
}

/// The finalizer of `SplitMix64` (Vigna).
fn scramble(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Ends with whoever reads.
fn endlessly(line: &str) {
    let lines = format!("{line}\n").repeat(1000);
    while io::stdout().write_all(lines.as_bytes()).is_ok() {}
}

fn say(line: &str) {
    write(&format!("{line}\n"));
}

/// A client that has gone is no concern of ours.
fn write(text: &str) {
    let mut output = io::stdout().lock();
    let _ = output.write_all(text.as_bytes());
    let _ = output.flush();
}

/// Becomes a program whose output goes nowhere, which is how to close it in safe code.
#[cfg(unix)]
fn close_stdout() {
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};

    let error = Command::new("sleep")
        .arg(FOREVER.as_secs().to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .exec();
    eprintln!("cannot become sleep: {error}");
}

/// The nearest thing: no more output.
#[cfg(not(unix))]
fn close_stdout() {
    std::thread::sleep(FOREVER);
}
