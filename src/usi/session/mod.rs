//! The session: commands from a reader thread, one `match` on them, replies through one writer.
//!
//! Promises: exactly one `bestmove` for every `go` (one `checkmate` for `go mate`), while pondering
//! not before `stop` or `ponderhit`; one `readyok` for every `isready`; one error line for
//! everything that cannot be done; the program ends within milliseconds of `quit` or the end of the
//! input, whatever the search does. Only the tools `perft` and `bench` are finished first, unless a
//! `stop` follows them, and preparations: after `quit` no longer than a few seconds.
//!
//! The search reports from its own thread through the same writer, so commands never wait for it.

mod pipes;
#[cfg(test)]
mod tests;

use std::io::{self, Read, Write};
use std::process;
use std::sync::mpsc::{self, Receiver};
use std::{error::Error, path::PathBuf, sync::Arc, sync::atomic::AtomicBool, time::Duration};

use pipes::{Input, Interrupt, Line, Output, ToolOutput};

use super::command::{Command, CommandError, GoCommand, MateLimit, PositionCommand, Start, Times};
use super::options::{self, Change};
use super::response::Response;
use crate::engine::{Engine, MateAnswer, MateReport, Problem};
use crate::movegen::perft::{self, PerftOptions};
use crate::search::{Clock, Decision, Event, Limits};
use crate::types::{Depth, Move};
use crate::util::system::{Instant, thread};
use crate::{eval::nnue::simd::InstructionSet, lang::Lang, movegen::legal_moves, util::shorten};

/// The benchmark, which belongs to a higher layer: writes its report, and ends early when the flag
/// is set.
pub type BenchTool =
    fn(depth: Option<u32>, output: &mut dyn Write, stop: &AtomicBool) -> Result<(), Box<dyn Error>>;

const NANOSECONDS: u128 = 1_000_000_000;
/// Time of a `go` whose only limits are unreadable, and of a `ponderhit` that no clock belongs to.
const FALLBACK_TIME: Duration = Duration::from_secs(1);
/// Time between two empty lines, as in `YaneuraOu`.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(5);
/// How long a job may run after `quit`: enough for an ordinary `isready` at the end of a script,
/// and no longer than GUIs wait.
const QUIT_GRACE: Duration = Duration::from_secs(3);

/// Serves a GUI until it quits, or closes one of the pipes; `help` is in this language.
///
/// # Errors
/// The system cannot start the reader thread.
pub fn run(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    bench: BenchTool,
    lang: Lang,
) -> io::Result<()> {
    let (sender, inputs) = mpsc::channel();
    let interrupt = Arc::new(Interrupt::default());
    let output = Output::new(output, sender.clone(), Arc::clone(&interrupt));
    pipes::spawn(input, sender, Arc::clone(&interrupt))?;
    Session { lang, ..Session::new(output, interrupt, bench) }.serve(&inputs);
    Ok(())
}

/// A session that is given its lines one by one, where the program cannot wait for input: a page in
/// a browser calls for each line.
pub struct Dialogue {
    session: Session,
    /// Receives the end of the output.
    inputs: Receiver<Input>,
    lines: u64,
}

impl Dialogue {
    /// Begins a session that writes to `output`.
    pub fn new(output: impl Write + Send + 'static, bench: BenchTool) -> Self {
        let (sender, inputs) = mpsc::channel();
        let interrupt = Arc::new(Interrupt::default());
        let output = Output::new(output, sender, Arc::clone(&interrupt));
        Self { session: Session::new(output, interrupt, bench), inputs, lines: 0 }
    }

    /// Does what a line says. A search runs on after the call where there are threads, else it ends
    /// within the call. Returns whether the session goes on.
    pub fn line(&mut self, bytes: &[u8]) -> bool {
        self.lines += 1;
        let session = &mut self.session;
        let line = pipes::receive(bytes, self.lines, &session.interrupt);
        let is_over = session.handle(line) == Flow::End || self.inputs.try_recv().is_ok();
        if is_over {
            session.finish_search();
        }
        !is_over
    }
}

/// The engine, and what the dialogue has to remember.
struct Session {
    engine: Engine,
    output: Output,
    interrupt: Arc<Interrupt>,
    bench: BenchTool,
    lang: Lang,
    ponder: Ponder,
    /// `ClearHash` was pressed during a search: the next one begins with an empty table.
    clears_hash: bool,
    /// The debug log file of the settings when it was last opened.
    debug_log_file: Option<PathBuf>,
}

/// What a `ponderhit` applies to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ponder {
    /// Nothing: the engine does not ponder.
    No,
    /// The running search, which then ends as the clock says.
    Search,
    /// No search, because the position was refused; but the answer must wait for `ponderhit` or
    /// `stop`.
    Refused,
}

/// Whether the session goes on.
#[derive(PartialEq, Eq)]
enum Flow {
    Continue,
    End,
}

impl Session {
    fn new(output: Output, interrupt: Arc<Interrupt>, bench: BenchTool) -> Self {
        Self {
            engine: Engine::new(),
            output,
            interrupt,
            bench,
            lang: Lang::En,
            ponder: Ponder::No,
            clears_hash: false,
            debug_log_file: None,
        }
    }

    fn serve(&mut self, inputs: &Receiver<Input>) {
        while let Ok(Input::Line(line)) = inputs.recv() {
            if self.handle(*line) == Flow::End {
                break;
            }
        }
        self.finish_search();
    }

    fn handle(&mut self, line: Line) -> Flow {
        self.output.log_received(&line);
        let errors = line.parsed.errors;
        for error in &errors {
            self.report_command_error(error, line.parsed.command.is_some());
        }
        let Some(command) = line.parsed.command else {
            return Flow::Continue;
        };
        log::debug!("{command:?}");
        match command {
            Command::Usi => self.introduce(),
            Command::IsReady => self.prepare(),
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::UsiNewGame => self.new_game(),
            Command::Position(position) => self.set_position(&position),
            Command::Go(GoCommand { perft: Some(depth), .. }) | Command::Perft(depth) => {
                self.perft(depth, line.number);
            }
            Command::Go(go) => self.go(&go, line.read_at, !errors.is_empty()),
            Command::Stop | Command::GameOver => self.stop(),
            Command::PonderHit(times) => self.ponderhit(times),
            Command::Quit => return Flow::End,
            Command::Bench { depth } => self.bench(depth, line.number),
            Command::Draw => self.show(self.engine.position().to_string()),
            Command::Moves => self.show(join(&legal_moves(self.engine.position()))),
            Command::Key => self.show(self.engine.position().key().to_string()),
            Command::Eval => {
                let (text, problems) = self.engine.explain();
                self.report_preparation(&problems);
                self.show(text);
            }
            Command::GetOption(name) => self.get_option(name.as_deref()),
            Command::Compiler => self.show(compiler()),
            Command::Help => self.show(self.lang.usi_help()),
        }
        Flow::Continue
    }

    // --- Replies ---

    fn error(&self, text: String) {
        self.output.send(&Response::Error(text));
    }

    fn show(&self, text: impl Into<String>) {
        self.output.send(&Response::Text(text.into()));
    }

    /// `has_command` says whether the rest of the line is a command.
    fn report_command_error(&mut self, error: &CommandError, has_command: bool) {
        match error.command {
            Some("position") => {
                self.finish_search();
                self.engine.refuse_position(error.to_string());
                self.error(format!("{error}, the last good position is kept"));
            }
            Some("go") if has_command => {
                self.error(format!("{error}, the search goes on without it"));
            }
            Some("ponderhit" | "gameover") => {
                self.error(format!("{error}, that word is ignored"));
            }
            _ => self.error(format!("{error}, the line is ignored")),
        }
    }

    /// Reports the problems of a preparation, and the evaluation if it was loaded.
    fn report_preparation(&mut self, problems: &[Problem]) {
        for problem in problems {
            if problem.is_error {
                self.error(problem.to_string());
            } else {
                self.output.send(&Response::Note(problem.to_string()));
            }
        }
        if let Some(evaluation) = self.engine.take_loaded_evaluation() {
            self.output.send(&Response::Note(evaluation));
        }
        for book in self.engine.take_loaded_books() {
            self.output.send(&Response::Note(book));
        }
    }

    fn introduce(&self) {
        self.show(format!("id name Raicho {}", env!("CARGO_PKG_VERSION")));
        self.show("id author the Raicho developers");
        options::option_lines().for_each(|line| self.show(line));
        self.show("usiok");
    }

    // --- Preparation ---

    fn prepare(&mut self) {
        self.finish_search();
        let problems = self.during(Engine::prepare);
        self.report_preparation(&problems);
        self.show("readyok");
    }

    /// Does what may take long.
    fn during<T>(&mut self, job: impl FnOnce(&mut Engine) -> T) -> T {
        let engine = &mut self.engine;
        keep_alive(&self.output, &self.interrupt, KEEP_ALIVE_INTERVAL, || job(engine))
    }

    fn new_game(&mut self) {
        self.finish_search();
        let problems = self.during(Engine::new_game);
        self.report_preparation(&problems);
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        match options::set_option(self.engine.settings_mut(), name, value) {
            Ok(Change::Set | Change::Unknown) => {}
            Ok(Change::ClearHash) => {
                // A search gives its answer in its own time, and a ponder search waits for the GUI.
                self.clears_hash = self.ponder != Ponder::No || self.engine.is_searching();
                if !self.clears_hash {
                    self.new_game();
                }
            }
            Err(error) => self.error(error.to_string()),
        }
        self.update_debug_log();
    }

    /// Starts or ends the debug log if its setting has changed.
    fn update_debug_log(&mut self) {
        let wanted = &self.engine.settings().debug_log_file;
        if *wanted != self.debug_log_file {
            self.debug_log_file.clone_from(wanted);
            let values = options::current_values(self.engine.settings(), None).unwrap_or_default();
            let opening = format!("{}\n{values}", compiler());
            self.output.set_log_file(wanted.as_deref(), &opening);
        }
    }

    fn get_option(&self, name: Option<&str>) {
        match options::current_values(self.engine.settings(), name) {
            Some(values) => self.show(values),
            None => self.error(format!(
                "unknown option \"{}\", word 2 of \"getoption\", \"getoption\" alone lists all",
                shorten(name.unwrap_or_default())
            )),
        }
    }

    fn set_position(&mut self, command: &PositionCommand) {
        self.finish_search();
        let sfen = match &command.start {
            Start::Startpos => None,
            Start::Sfen(sfen) => Some(sfen.as_str()),
        };
        if let Err(error) = self.engine.set_position(sfen, &command.moves) {
            self.error(format!("{error}, the last good position is kept"));
        }
    }

    // --- Search ---

    fn go(&mut self, command: &GoCommand, read_at: Instant, has_errors: bool) {
        self.finish_search();
        if std::mem::take(&mut self.clears_hash) {
            self.new_game();
        }
        let refusal = self.engine.refusal().map(str::to_owned);
        if let Some(reason) = &refusal {
            self.error(format!("{reason}, there is no search until a good position comes"));
        }
        if let Some(limit) = command.mate {
            self.search_mate(command, limit, read_at, refusal.is_some());
        } else if refusal.is_none() {
            self.search(command, read_at, has_errors);
        } else if command.ponder {
            self.ponder = Ponder::Refused;
        } else {
            self.output.send(&Response::BestMove(Decision::Resign));
        }
    }

    fn search(&mut self, command: &GoCommand, read_at: Instant, has_errors: bool) {
        let limits = Limits {
            search_moves: self.parse_search_moves(&command.search_moves),
            start: read_at,
            ..limits_from_go(command, has_errors)
        };
        self.ponder = if command.ponder { Ponder::Search } else { Ponder::No };
        let output = self.output.clone();
        let report = move |event| {
            output.send(&match event {
                Event::Info(info) => Response::Info(info),
                Event::CurrentMove(current) => Response::CurrentMove(current),
                Event::Note(text) => Response::Note(text),
                Event::Done(decision) => Response::BestMove(decision),
            });
        };
        let report = Box::new(report);
        if self.engine.is_ready_to_go() {
            self.engine.go(limits, report);
        } else {
            self.during(|engine| engine.go(limits, report));
        }
    }

    /// Starts the mate solver. After a refused position the answer is `timeout`: nothing is known.
    fn search_mate(
        &mut self,
        command: &GoCommand,
        limit: MateLimit,
        read_at: Instant,
        is_refused: bool,
    ) {
        if is_refused {
            self.output.send(&Response::Checkmate(MateAnswer::Timeout));
            return;
        }
        let time = match limit {
            MateLimit::Infinite => None,
            MateLimit::Milliseconds(milliseconds) => Some(Duration::from_millis(milliseconds)),
        };
        let output = self.output.clone();
        let report = move |report| {
            output.send(&match report {
                MateReport::Info(progress, time) => Response::MateInfo(progress, time),
                MateReport::Note(text) => Response::Note(text),
                MateReport::Done(answer) => Response::Checkmate(answer),
            });
        };
        let search_moves = self.parse_search_moves(&command.search_moves);
        self.engine.go_mate(search_moves, read_at, time, Box::new(report));
    }

    fn parse_search_moves(&self, texts: &[String]) -> Vec<Move> {
        let mut moves = Vec::new();
        for (index, text) in texts.iter().enumerate() {
            match self.engine.parse_move(text) {
                Ok(mv) => moves.push(mv),
                Err(error) => self.error(format!(
                    "{error}, move {} of \"searchmoves\", the search goes on without it",
                    index + 1
                )),
            }
        }
        moves
    }

    /// The search sends the answer itself, within milliseconds.
    fn stop(&mut self) {
        if self.ponder == Ponder::Refused {
            self.output.send(&Response::BestMove(Decision::Nothing));
        }
        self.ponder = Ponder::No;
        self.engine.stop();
    }

    /// Stops and waits for the answer.
    fn finish_search(&mut self) {
        self.stop();
        self.engine.finish();
    }

    fn ponderhit(&mut self, times: Times) {
        match self.ponder {
            Ponder::No => {}
            Ponder::Refused => self.output.send(&Response::BestMove(Decision::Resign)),
            Ponder::Search => self.engine.ponderhit(clock_from_times(&times)),
        }
        self.ponder = Ponder::No;
    }

    // --- Tools for people, which run long ---

    fn perft(&mut self, depth: u32, line: u64) {
        self.finish_search();
        let options =
            PerftOptions { depth, threads: self.engine.settings().search.threads, hash_mb: 0 };
        let start = Instant::now();
        match perft::divide::<1>(self.engine.position(), &options, self.interrupt.tool_flag(line)) {
            Ok(counts) => {
                for (mv, leaves) in &counts {
                    self.show(format!("{mv}: {leaves}"));
                }
                let leaves = if depth == 0 {
                    1
                } else {
                    counts.iter().map(|(_, leaves)| u128::from(*leaves)).sum()
                };
                let speed = leaves * NANOSECONDS / start.elapsed().as_nanos().max(1);
                self.show(format!("{leaves} leaves {speed} lps"));
            }
            Err(error) => self.error(format!("{error}, perft {depth}, nothing was counted")),
        }
    }

    fn bench(&mut self, depth: Option<u32>, line: u64) {
        self.finish_search();
        let cancel = self.interrupt.tool_flag(line);
        let mut output = ToolOutput::new(self.output.clone());
        if let Err(error) = (self.bench)(depth, &mut output, cancel) {
            self.error(format!("{error}, bench, its result is not complete"));
        }
    }
}

fn join(moves: &[Move]) -> String {
    let moves: Vec<String> = moves.iter().map(Move::to_string).collect();
    moves.join(" ")
}

fn compiler() -> String {
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    let (arch, os) = (std::env::consts::ARCH, std::env::consts::OS);
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "Raicho {version}, {build} build for {arch} {os} by {}, networks by {}",
        env!("RAICHO_COMPILER"),
        InstructionSet::best()
    )
}

/// The limits of a `go`. Without any it searches until `stop`, as people at a terminal expect.
fn limits_from_go(command: &GoCommand, has_errors: bool) -> Limits {
    let has_limit = command.has_limit();
    // Some GUIs send the clocks with `ponderhit` only, or never.
    let is_early_ponder = command.ponder && !has_limit;
    let is_unreadable = !command.ponder && !has_limit && has_errors;
    let movetime = command.movetime.map(Duration::from_millis);
    let has_fixed_limit = movetime.is_some() || command.depth.is_some() || command.nodes.is_some();
    Limits {
        clock: clock_from_times(&command.times).or_else(|| is_early_ponder.then(fallback_clock)),
        movetime: movetime.or_else(|| is_unreadable.then_some(FALLBACK_TIME)),
        depth: command.depth.map(|depth| depth as Depth),
        nodes: command.nodes,
        // Clients that send "nodes 5000 infinite" expect an answer, as from other engines.
        infinite: command.infinite && !has_fixed_limit
            || !has_limit && !is_early_ponder && !is_unreadable,
        ponder: command.ponder,
        ..Limits::default()
    }
}

/// `None` without any clock; the clocks that are missing are zero.
fn clock_from_times(times: &Times) -> Option<Clock> {
    let duration = |milliseconds: Option<u64>| Duration::from_millis(milliseconds.unwrap_or(0));
    (!times.is_empty()).then(|| Clock {
        time: [times.btime, times.wtime].map(duration),
        increment: [times.binc, times.winc].map(duration),
        byoyomi: [times.byoyomi; 2].map(duration),
    })
}

fn fallback_clock() -> Clock {
    Clock { byoyomi: [FALLBACK_TIME; 2], ..Clock::default() }
}

/// Runs `job`, and writes an empty line every `interval` until it is done, which shows the GUI that
/// the engine is alive. `quit` ends the program without waiting for the job. The end of the input
/// waits: a script may have written all its commands.
fn keep_alive<T>(
    output: &Output,
    interrupt: &Interrupt,
    interval: Duration,
    job: impl FnOnce() -> T,
) -> T {
    interrupt.set_done(false);
    thread::scope(|scope| {
        // Without this thread the job runs without empty lines.
        let _ = thread::Builder::new().spawn_scoped(scope, || watch(output, interrupt, interval));
        let _done = JobDone(interrupt);
        job()
    })
}

/// Marks the job as done, also after a panic: the scope waits for the watching thread.
struct JobDone<'a>(&'a Interrupt);

impl Drop for JobDone<'_> {
    fn drop(&mut self) {
        self.0.set_done(true);
    }
}

fn watch(output: &Output, interrupt: &Interrupt, interval: Duration) {
    let mut next_line = Instant::now() + interval;
    let mut exit_at = None;
    let mut waiting = interrupt.waiting();
    while !waiting.is_done {
        let now = Instant::now();
        if waiting.has_ended && now >= *exit_at.get_or_insert(now + QUIT_GRACE) {
            // The job cannot be interrupted, and nobody waits for its result.
            process::exit(0);
        }
        if now >= next_line {
            // A write can block, or end the session, which takes the same lock.
            drop(waiting);
            output.send(&Response::KeepAlive);
            next_line = now + interval;
            waiting = interrupt.waiting();
            continue;
        }
        let wake = exit_at.map_or(next_line, |exit_at| next_line.min(exit_at));
        waiting = interrupt.wait(waiting, wake.saturating_duration_since(now));
    }
}
