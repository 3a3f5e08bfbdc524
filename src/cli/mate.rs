//! `raicho mate`: solves tsume problems, one or thousands.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{cmp::Ordering, collections::BTreeMap, iter::Peekable};

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};
use unicode_width::UnicodeWidthStr;

use crate::cli::arguments::{WorkArguments, numbered_lines, read_bytes, set_position, time};
use crate::cli::progress::{Meter, stop_on_ctrl_c_with};
use crate::cli::{output, result_file};
use crate::lang::{self, Lang};
use crate::mate::{
    EqualDefence, MateLimits, MateSolver, SecondSolution, SecondSolutions, Solution,
};
use crate::mate::{Verdict, is_mating_line};
use crate::page::diagram::{self, Diagram};
use crate::page::{Game, Kind, PROGRAM, Page};
use crate::records::{GameRecord, RecordError, TextFormat, csa, encoding};
use crate::runs::{Execution, Job, Numbers, Plan, RunFolder, RunKind, Shard, Stop, execute};
use crate::types::{Hand, Move};
use crate::util::BareNumber;
use crate::{
    cli::error::as_usage, engine::Engine, position::Position, records::notation::japanese,
};

/// Example: `raicho mate problems.txt --threads 4 --time 30s --shortest`
#[derive(Args)]
#[command(
    before_help = "Example: raicho mate --sfen \"4k4/9/4P4/9/9/9/9/9/4K4 b G 1\" --shortest\n\
        Example: raicho mate problems.txt --threads 4 --time 30s"
)]
pub(super) struct Arguments {
    /// File with a problem a line: an SFEN, optionally among other columns separated by tabs; or a
    /// record in KIF, KI2, CSA or JKF that begins with the problem; `-` reads standard input
    #[arg(value_name = "FILE", conflicts_with = "sfen", required_unless_present = "sfen")]
    file: Option<PathBuf>,

    /// The problem; the side to move gives mate
    #[arg(long, value_name = "SFEN")]
    sfen: Option<String>,

    #[command(flatten)]
    search: SearchArguments,

    /// Number of threads: each solves one problem at a time; a single problem is solved by all
    /// together
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: u16,

    /// Notation of the moves [default: that of the language, ki2 or usi]
    #[arg(long, value_enum, value_name = "NOTATION")]
    notation: Option<Notation>,

    /// Write a page with the solutions, which any browser plays through without a network
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Write a picture: a diagram of each problem with its solution
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Print only the totals
    #[arg(long)]
    summary: bool,

    #[command(flatten)]
    work: WorkArguments,
}

/// How moves are written.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Notation {
    /// 3c2b+
    Usi,
    /// +3322UM
    Csa,
    /// ２二角成(33)
    Kif,
    /// ▲２二角成
    Ki2,
}

impl Notation {
    fn of(lang: Lang) -> Self {
        match lang {
            Lang::En => Self::Usi,
            Lang::Ja => Self::Ki2,
        }
    }

    /// A legal move of the position.
    fn text(self, position: &Position, mv: Move) -> String {
        let last = position.last_move().map(Move::to);
        match self {
            Self::Usi => mv.to_string(),
            Self::Csa => csa::move_text(mv),
            Self::Kif => japanese::with_origin(mv, last),
            Self::Ki2 => japanese::with_mark(position, mv, last),
        }
    }
}

/// What decides the answers. It is stored with them.
#[derive(Args, Clone, PartialEq, Debug, Serialize, Deserialize)]
struct SearchArguments {
    /// Time per problem: milliseconds, or with a unit as in 3s, 500ms, 2m [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = time(BareNumber::Milliseconds))]
    time: Option<Duration>,

    /// Nodes per problem
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Total size of the tables of all threads in MB
    #[arg(long, value_name = "MB", default_value_t = 256,
          value_parser = clap::value_parser!(u32).range(1..))]
    hash: u32,

    /// Search until no shorter mate exists
    #[arg(long)]
    shortest: bool,

    /// Search for what a problem should not have: second solutions (余詰) at every move of the line;
    /// and with --shortest pieces left in hand (駒余り), answers that hold out as long (変化同手数), and
    /// a solution of the record that is not the shortest (早詰) or not the longest defence
    #[arg(long)]
    check_dual: bool,
}

const KIND: RunKind =
    RunKind { noun: "run of mate", settings: "mate.json", journal: "mate.jsonl", format: 1 };

pub(super) fn run(arguments: &Arguments, lang: Lang) -> Result<()> {
    let problems = read_problems(arguments, lang)?;
    for (kind, path) in [("html", &arguments.html), ("svg", &arguments.svg)] {
        if let Some(path) = path {
            result_file::check_kind(path, kind, arguments.file.as_deref().into_iter())?;
        }
    }
    let shard = arguments.work.shard();
    let settings = Settings::new(arguments, &problems, shard);
    let (folder, earlier): (_, Vec<Answer>) = arguments.work.open(KIND, &settings)?;
    let stop = stop_on_ctrl_c_with(&lang.ending_after_pieces())?;
    let start = Instant::now();
    let numbers = 1..=problems.len() as u64;
    let here = numbers.filter(|number| shard.has(*number)).count();
    let all = usize::from(arguments.threads);
    let threads = all.min(here).max(1);
    let job = Problems {
        all: &problems,
        settings: &settings,
        // With fewer problems than threads, several threads solve each problem together.
        threads_each: all / threads,
        hash_each: (arguments.search.hash as usize / threads).max(1),
        stop: &stop,
    };
    let done = earlier.len() as u64;
    let numbers = settings.numbers(earlier.iter().map(|answer| answer.number));
    let goes_on = arguments.html.is_some() || arguments.svg.is_some() || folder.is_some();
    let mut report = Report::new(lang, &problems, settings.numbers([]), here);
    report.notation = arguments.notation.unwrap_or(report.notation);
    report.begin(earlier, !arguments.summary, goes_on)?;
    let meter = Meter::with_rows(lang, &lang.unit_problems(), Some(here as u64), done);
    let mut schedule = Schedule { numbers, folder, report, meter: &meter };
    let execution = Execution { threads, name: "mate", stack_bytes: None, stop: &stop };
    let result = execute(&job, &mut schedule, &execution);
    meter.finish();
    result?;
    let printed = schedule.report.finish(start.elapsed());
    if let Some(path) = &arguments.html {
        schedule.report.write_page(path)?;
    }
    if let Some(path) = &arguments.svg {
        schedule.report.write_diagrams(path)?;
    }
    printed?;
    arguments.work.check_complete(&stop)
}

// --- Problems and answers ---

/// A position in which the side to move gives mate.
struct Problem {
    start: Position,
    /// The length of the solution that its record has, if that mates.
    recorded: Option<usize>,
}

impl Problem {
    fn of(start: &Position) -> Self {
        Self { start: start.clone(), recorded: None }
    }

    fn of_record(game: GameRecord) -> Self {
        let moves: Vec<Move> = game.moves.iter().map(|recorded| recorded.mv).collect();
        Self {
            recorded: is_mating_line(&game.start, &moves).then_some(moves.len()),
            start: game.start,
        }
    }
}

/// The problems, of which the first has the number 1.
fn read_problems(arguments: &Arguments, lang: Lang) -> Result<Vec<Problem>> {
    let mut engine = Engine::new();
    if let Some(sfen) = &arguments.sfen {
        let set = set_position(&mut engine, sfen).context("--sfen");
        set.map_err(as_usage)?;
        return Ok(vec![Problem::of(engine.position())]);
    }
    let path = arguments.file.clone().unwrap_or_default();
    let bytes = read_bytes(&path)?;
    let text = encoding::decode(&bytes);
    if let Some(format) = record_format(&path, &text) {
        return problems_of_records(&path, format, &text, lang);
    }
    let mut problems = Vec::new();
    for (number, line) in numbered_lines(&text) {
        let is_sfen = |column: &&str| column.matches('/').count() >= 8;
        let sfen = line.split('\t').find(is_sfen).unwrap_or(line);
        let place = || format!("{} line {number}", path.display());
        set_position(&mut engine, sfen).with_context(place)?;
        problems.push(Problem::of(engine.position()));
    }
    if problems.is_empty() {
        bail!("{}: no problem, expected an SFEN a line", path.display());
    }
    Ok(problems)
}

/// The format of a file of records, by its name or by its content; `None` for lines of SFEN.
fn record_format(path: &Path, text: &str) -> Option<TextFormat> {
    let named = TextFormat::of_path(path).map(|(format, _)| format);
    let is_record = |format: &TextFormat| {
        let has_sfen = numbered_lines(text).any(|(_, line)| line.matches('/').count() >= 8);
        !has_sfen && format.read_text(text).iter().any(Result::is_ok)
    };
    let found = named.or_else(|| Some(TextFormat::of_content(text)).filter(is_record));
    found.filter(|&format| format != TextFormat::Usi)
}

/// The problems that records begin with.
fn problems_of_records(
    path: &Path,
    format: TextFormat,
    text: &str,
    lang: Lang,
) -> Result<Vec<Problem>> {
    let name = path.display();
    let games = format.read_or(TextFormat::of_content(text), text);
    let problem = |game: Result<GameRecord, RecordError>| {
        let game = game.with_context(|| name.to_string())?;
        for note in game.notes() {
            output::eprint_line(lang.note(format!("{name}: {note}")));
        }
        Ok(Problem::of_record(game))
    };
    games.into_iter().map(problem).collect()
}

/// The answer to a problem. Moves are in USI notation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Answer {
    /// Number of the problem, from 1.
    number: u64,
    verdict: Outcome,
    /// Length of the mate in plies, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    plies: Option<usize>,
    /// Whether it is proven that no attack is shorter.
    #[serde(default)]
    is_shortest: bool,
    /// The line to the mate, with futile interpositions at its end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    moves: Vec<String>,
    nodes: u64,
    time: Duration,
    /// The second solutions, if they were searched for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    second: Option<Second>,
}

/// The verdict of the solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Mate,
    NoMate,
    /// The limit of time or nodes was reached.
    Unknown,
}

/// The second solutions (余詰) of a mate.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Second {
    found: Vec<SecondMove>,
    /// The answers that hold out as long as those of the line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    defences: Vec<Defence>,
    /// Whether all other moves were proved not to mate.
    is_complete: bool,
    nodes: u64,
}

/// A move that also mates, in place of that of the line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct SecondMove {
    /// Index of the replaced move in the line.
    index: usize,
    mv: String,
    /// Maximum length of the mate in plies, this move included.
    plies: usize,
}

/// An answer that holds out as long as that of the line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Defence {
    /// Index of the replaced move in the line.
    index: usize,
    mv: String,
    /// Whether pieces are left in hand at the mate.
    leaves_pieces: bool,
}

impl Answer {
    fn new(
        number: u64,
        solution: &Solution,
        second: Option<&SecondSolutions>,
        time: Duration,
    ) -> Self {
        let (mut plies, mut is_shortest, mut moves) = (None, false, &[][..]);
        let verdict = match &solution.verdict {
            Verdict::Mate { line, is_shortest: is_proven, .. } => {
                (plies, is_shortest, moves) = (Some(line.length), *is_proven, &line.moves[..]);
                Outcome::Mate
            }
            Verdict::NoMate => Outcome::NoMate,
            Verdict::Unknown => Outcome::Unknown,
        };
        let second_move = |solution: &SecondSolution| SecondMove {
            index: solution.index,
            mv: solution.mv.to_string(),
            plies: solution.length,
        };
        let defence = |defence: &EqualDefence| Defence {
            index: defence.index,
            mv: defence.mv.to_string(),
            leaves_pieces: defence.leaves_pieces,
        };
        Self {
            number,
            verdict,
            plies,
            is_shortest,
            moves: moves.iter().map(Move::to_string).collect(),
            nodes: solution.nodes,
            time,
            second: second.map(|solutions| Second {
                found: solutions.found.iter().map(second_move).collect(),
                defences: solutions.defences.iter().map(defence).collect(),
                is_complete: solutions.is_complete,
                nodes: solutions.nodes,
            }),
        }
    }
}

// --- The work ---

/// The settings that determine the answers. They are stored with the answers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Settings {
    /// Number of problems of the whole file.
    problems: u64,
    /// CRC-32 of their positions.
    checksum: u32,
    shard: Shard,
    #[serde(flatten)]
    search: SearchArguments,
}

impl Settings {
    fn new(arguments: &Arguments, problems: &[Problem], shard: Shard) -> Self {
        let mut checksum = crc32fast::Hasher::new();
        for problem in problems {
            checksum.update(problem.start.to_sfen().as_bytes());
            checksum.update(b"\n");
        }
        Self {
            problems: problems.len() as u64,
            checksum: checksum.finalize(),
            shard,
            search: arguments.search.clone(),
        }
    }

    /// The numbers of the problems of this shard, which count from 1.
    fn numbers(&self, done: impl IntoIterator<Item = u64>) -> Numbers {
        let done = done.into_iter().chain([0]);
        Numbers::new(Some(self.problems + 1), self.shard, done)
    }
}

/// The problems as a [`Job`].
struct Problems<'a> {
    all: &'a [Problem],
    settings: &'a Settings,
    /// Threads that search each problem together.
    threads_each: usize,
    /// Table size per problem in MB.
    hash_each: usize,
    stop: &'a Stop,
}

impl Job for Problems<'_> {
    type Worker = MateSolver;
    /// The number of a problem.
    type Piece = u64;
    type Output = Answer;
    type Error = anyhow::Error;

    fn worker(&self) -> Result<MateSolver> {
        let solver = MateSolver::new(self.hash_each);
        // A smaller table would give other answers than the settings of the run say.
        ensure!(
            solver.megabytes() >= self.hash_each,
            "no memory for a mate table of {} MB: give a smaller --hash",
            self.hash_each
        );
        Ok(solver)
    }

    fn perform(&self, solver: &mut MateSolver, &number: &u64) -> Result<Option<Answer>> {
        // The nodes of a problem must not depend on those before it: shards have others.
        solver.clear();
        let start = Instant::now();
        let position = &self.all[number as usize - 1].start;
        let search = &self.settings.search;
        let limits = |begun: Instant| MateLimits {
            deadline: search.time.and_then(|time| begun.checked_add(time)),
            nodes: search.nodes,
            shortest: search.shortest,
            threads: self.threads_each,
            // A problem can take arbitrarily long, so the first request to end stops its search.
            ..MateLimits::until(self.stop.flag())
        };
        let solution = solver.solve(position, &limits(start), &mut |_| {})?;
        let second = match &solution.verdict {
            Verdict::Mate { line, is_shortest, .. } if self.settings.search.check_dual => {
                let limits = limits(Instant::now());
                Some(solver.second_solutions(position, line, *is_shortest, &limits)?)
            }
            _ => None,
        };
        if self.stop.is_requested() {
            // An interrupted search could have found another answer.
            return Ok(None);
        }
        let time = start.elapsed();
        Ok(Some(Answer::new(number, &solution, second.as_ref(), time)))
    }
}

/// The order of the problems, and their answers.
struct Schedule<'a> {
    numbers: Numbers,
    folder: Option<RunFolder>,
    report: Report<'a>,
    meter: &'a Meter,
}

impl Plan<Problems<'_>> for Schedule<'_> {
    fn next(&mut self) -> Result<Option<u64>> {
        Ok(self.numbers.next())
    }

    fn keep(&mut self, _: u64, answer: Answer) -> Result<()> {
        if let Some(folder) = &mut self.folder {
            folder.append(&answer)?;
        }
        self.meter.suspend(|| self.report.add(answer))?;
        self.meter.advance(self.report.count() as u64, &self.report.words());
        Ok(())
    }
}

// --- The answers as a table, in the order of the problems, with the totals, and as a page ---

/// Prints each answer as soon as all before it are printed.
struct Report<'a> {
    lang: Lang,
    notation: Notation,
    problems: &'a [Problem],
    /// Number of problems that are solved here.
    here: usize,
    /// By the numbers of the problems.
    answers: BTreeMap<u64, Answer>,
    /// The numbers of the problems whose answers were not printed yet.
    order: Peekable<Numbers>,
    prints_lines: bool,
    /// Whether the run goes on where standard output fails: its answers go elsewhere too.
    goes_on: bool,
    /// Why nothing is printed any more.
    fault: Option<io::Error>,
    mates: usize,
    refuted: usize,
    /// Nodes of an earlier part of the run.
    earlier_nodes: u64,
}

impl<'a> Report<'a> {
    /// A report on `here` of the problems, whose numbers come in this `order`.
    fn new(lang: Lang, problems: &'a [Problem], order: Numbers, here: usize) -> Self {
        Self {
            lang,
            notation: Notation::of(lang),
            problems,
            here,
            answers: BTreeMap::new(),
            order: order.peekable(),
            prints_lines: false,
            goes_on: false,
            fault: None,
            mates: 0,
            refuted: 0,
            earlier_nodes: 0,
        }
    }

    /// Begins with the answers of an earlier part of the run.
    fn begin(&mut self, earlier: Vec<Answer>, prints_lines: bool, goes_on: bool) -> io::Result<()> {
        (self.prints_lines, self.goes_on) = (prints_lines, goes_on);
        if prints_lines {
            self.note(writeln!(output::stdout(), "{}", self.lang.mate_heading()))?;
        }
        earlier.into_iter().try_for_each(|answer| self.add(answer))?;
        self.earlier_nodes = self.nodes();
        Ok(())
    }

    /// Takes the result of printing; its error is kept for the end where the run goes on.
    fn note(&mut self, printed: io::Result<()>) -> io::Result<()> {
        match printed {
            Err(fault) if self.goes_on => {
                self.prints_lines = false;
                self.fault.get_or_insert(fault);
                Ok(())
            }
            other => other,
        }
    }

    /// Number of finished problems.
    fn count(&self) -> usize {
        self.answers.len()
    }

    /// Nodes of all answers.
    fn nodes(&self) -> u64 {
        let second = |answer: &Answer| answer.second.as_ref().map_or(0, |second| second.nodes);
        let answers = self.answers.values();
        answers.map(|answer| answer.nodes + second(answer)).sum()
    }

    /// The results so far, for the progress bar.
    fn words(&self) -> String {
        self.lang.mates_so_far(self.lang.mates(self.mates), self.refuted)
    }

    fn add(&mut self, answer: Answer) -> io::Result<()> {
        self.mates += usize::from(answer.verdict == Outcome::Mate);
        self.refuted += usize::from(answer.verdict == Outcome::NoMate);
        self.answers.insert(answer.number, answer);
        while let Some(number) = self.order.peek()
            && let Some(answer) = self.answers.get(number)
        {
            if self.prints_lines {
                let printed = self.print(answer);
                self.note(printed)?;
            }
            self.order.next();
        }
        Ok(())
    }

    /// Prints the remaining answers and the totals.
    fn finish(&mut self, time: Duration) -> io::Result<()> {
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        let first = self.order.peek().copied().filter(|_| self.prints_lines);
        for (_, answer) in self.answers.range(first.unwrap_or(u64::MAX)..) {
            self.print(answer)?;
        }
        let mut out = output::stdout();
        let lang = self.lang;
        let totals = lang.mate_totals(
            self.count(),
            lang.problems(self.here),
            lang.mates(self.mates),
            self.refuted,
            self.count() - self.mates - self.refuted,
        );
        write!(out, "{totals}")?;
        let second = self.answers.values().flat_map(|answer| &answer.second);
        let with_second = second.filter(|second| !second.found.is_empty()).count();
        if with_second > 0 {
            write!(out, "{}", lang.with_second_solutions(with_second))?;
        }
        let (nodes, seconds) = (self.nodes(), time.as_secs_f64());
        let speed = ((nodes - self.earlier_nodes) as f64 / seconds.max(1e-9)) as u64;
        let seconds = format!("{seconds:.3}");
        let speed = lang.mate_speed(lang.nodes(nodes), seconds, lang.number(speed));
        writeln!(out, "{speed}")
    }

    fn print(&self, answer: &Answer) -> io::Result<()> {
        let mut out = output::stdout();
        let plies = answer.plies.map_or_else(|| "-".to_owned(), |plies| plies.to_string());
        let moves = self.line(answer);
        let row = format!(
            "{:>7}  {}  {plies:>5}  {:>10}  {:>8.3}  {}",
            answer.number,
            lang::left(&self.verdict(answer.verdict), 7),
            self.lang.number(answer.nodes),
            answer.time.as_secs_f64(),
            moves.join(" ")
        );
        writeln!(out, "{}", row.trim_end())?;
        if let Some(plies) = answer.plies.filter(|_| !answer.is_shortest) {
            writeln!(out, "         {}", self.lang.not_proven_shortest(plies))?;
        }
        if let Some(second) = &answer.second {
            self.print_second(&mut out, second, answer)?;
        }
        Ok(())
    }

    fn verdict(&self, verdict: Outcome) -> String {
        match verdict {
            Outcome::Mate => self.lang.mate(),
            Outcome::NoMate => self.lang.no_mate(),
            Outcome::Unknown => self.lang.mate_unknown(),
        }
    }

    /// The moves of an answer's line; those that its length leaves out are marked.
    fn line(&self, answer: &Answer) -> Vec<String> {
        let moves = answer.moves.iter().enumerate();
        let moves = moves.map(|(index, mv)| self.move_text(answer, index, mv));
        let mut moves: Vec<String> = moves.collect();
        if let Some(plies) = answer.plies.filter(|&plies| plies < moves.len()) {
            let rest = self.lang.futile_rest(moves.split_off(plies).join(" "));
            let rest = moves.pop().unwrap_or_default() + &rest;
            moves.extend(rest.split(' ').map(str::to_owned));
        }
        moves
    }

    /// A move in place of that with this index in the line of an answer.
    fn move_text(&self, answer: &Answer, index: usize, mv: &str) -> String {
        let mut position = self.problem(answer).clone();
        for earlier in answer.moves.iter().take(index) {
            if let Some(earlier) = parsed(&position, earlier) {
                position.do_move(earlier);
            }
        }
        parsed(&position, mv).map_or_else(|| mv.to_owned(), |mv| self.notation.text(&position, mv))
    }

    fn problem(&self, answer: &Answer) -> &'a Position {
        &self.problems[answer.number as usize - 1].start
    }

    fn print_second(
        &self,
        out: &mut impl Write,
        second: &Second,
        answer: &Answer,
    ) -> io::Result<()> {
        let lang = self.lang;
        let length = answer.plies.unwrap_or_default();
        for solution in &second.found {
            let (number, plies) = (solution.index + 1, solution.plies);
            let all = solution.index + plies;
            let mv = self.move_text(answer, solution.index, &solution.mv);
            // A later mate in place of the last move is more than another last move.
            let text = if number == length && plies == 1 {
                lang.second_solution_last(number, mv)
            } else if all < length {
                lang.quicker_solution(number, mv, plies, all)
            } else {
                lang.second_solution(number, mv, plies, all)
            };
            writeln!(out, "         {text}")?;
        }
        if !second.found.is_empty() && !answer.is_shortest {
            writeln!(out, "         {}", lang.line_of_no_author())?;
        }
        match (second.found.is_empty(), second.is_complete) {
            (true, true) => writeln!(out, "         {}", lang.no_second_solution())?,
            (_, false) => writeln!(out, "         {}", lang.second_solutions_incomplete())?,
            (false, true) => {}
        }
        if answer.is_shortest {
            for remark in self.remarks(second, answer) {
                writeln!(out, "         {remark}")?;
            }
        }
        Ok(())
    }

    /// What else an author wants to know of a line whose length is proven.
    fn remarks(&self, second: &Second, answer: &Answer) -> Vec<String> {
        let lang = self.lang;
        let mut remarks = Vec::new();
        let plies = answer.plies.unwrap_or_default();
        let recorded = self.problems[answer.number as usize - 1].recorded;
        match recorded.map(|recorded| (recorded, recorded.cmp(&plies))) {
            Some((recorded, Ordering::Greater)) => {
                remarks.push(lang.sooner_than_recorded(plies, recorded));
            }
            Some((recorded, Ordering::Less)) => {
                remarks.push(lang.longer_than_recorded(plies, recorded));
            }
            _ => {}
        }
        let left = self.left_in_hand(answer, plies);
        if !left.is_empty() {
            remarks.push(lang.left_in_hand(match lang {
                Lang::En => left.to_string(),
                Lang::Ja => japanese::hand(left),
            }));
        }
        remarks.extend(second.defences.iter().map(|defence| {
            let mv = self.move_text(answer, defence.index, &defence.mv);
            if defence.leaves_pieces {
                lang.equal_defence_with_pieces(defence.index + 1, mv)
            } else {
                lang.equal_defence(defence.index + 1, mv)
            }
        }));
        remarks
    }

    /// The attacker's hand after the line of an answer.
    fn left_in_hand(&self, answer: &Answer, plies: usize) -> Hand {
        let mut position = self.problem(answer).clone();
        let attacker = position.side_to_move();
        for text in &answer.moves[..plies] {
            if let Some(mv) = parsed(&position, text) {
                position.do_move(mv);
            }
        }
        position.hand(attacker)
    }

    /// Writes the solutions as a page.
    ///
    /// # Errors
    /// The file cannot be written.
    fn write_page(&self, path: &Path) -> Result<()> {
        // Only a part of the problems may be here, so each has its number in the file.
        let is_whole = self.answers.len() == self.problems.len();
        let games = self.answers.values().map(|answer| {
            let mut game = game(self.problem(answer), answer);
            if !is_whole {
                game.title = self.lang.problem_number(answer.number);
            }
            game
        });
        let title = path.file_stem().unwrap_or_default().to_string_lossy();
        let page = Page {
            kind: Kind::Mate,
            title: title.into_owned(),
            lang: self.lang,
            program: PROGRAM,
            effort: String::new(),
            thresholds: None,
            games: games.collect(),
            of_match: None,
        };
        result_file::save(path, page.html().as_bytes())
    }

    /// Writes a diagram of each problem with its solution.
    ///
    /// # Errors
    /// The file cannot be written.
    fn write_diagrams(&self, path: &Path) -> Result<()> {
        let diagrams = self.answers.values().map(|answer| {
            let number = self.lang.problem_number(answer.number);
            let length = answer.plies.map(|plies| self.lang.mate_in(plies));
            let verdict = length.unwrap_or_else(|| self.verdict(answer.verdict));
            Diagram {
                title: format!("{number}  {verdict}"),
                position: self.problem(answer),
                lines: wrapped(&self.line(answer)),
            }
        });
        let diagrams: Vec<Diagram<'_>> = diagrams.collect();
        result_file::save(path, diagram::svg(&diagrams).as_bytes())
    }
}

/// The moves in lines that a diagram has room for.
fn wrapped(moves: &[String]) -> Vec<String> {
    let mut lines = vec![String::new()];
    for mv in moves {
        match lines.last_mut() {
            Some(line) if line.width() + mv.width() <= 44 => {
                line.push_str(if line.is_empty() { "" } else { " " });
                line.push_str(mv);
            }
            _ => lines.push(mv.clone()),
        }
    }
    lines
}

/// A move of an answer, which is legal in its position.
fn parsed(position: &Position, text: &str) -> Option<Move> {
    position.legal_move(text.parse().ok()?)
}

fn game(problem: &Position, answer: &Answer) -> Game {
    let mut position = problem.clone();
    let mut moves: Vec<Move> = Vec::new();
    let mut seconds = Vec::new();
    for index in 0..=answer.moves.len() {
        let found = answer.second.iter().flat_map(|second| &second.found);
        let here = found
            .filter(|second| second.index == index)
            .filter_map(|second| Some((parsed(&position, &second.mv)?, second.plies)));
        seconds.push(Game::mate_lines(&position, &here.collect::<Vec<_>>()));
        let next = answer.moves.get(index);
        let Some(mv) = next.and_then(|text| parsed(&position, text)) else {
            break;
        };
        position.do_move(mv);
        moves.push(mv);
    }
    let mut game = Game::of_problem(problem, &moves);
    game.verdict = match answer.verdict {
        Outcome::Mate => "mate",
        Outcome::NoMate => "nomate",
        Outcome::Unknown => "unknown",
    };
    game.plies = answer.plies;
    game.unproven = answer.plies.is_some() && !answer.is_shortest;
    if seconds.iter().any(|lines| !lines.is_empty()) {
        game.lines = seconds;
    }
    game
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An answer whose length is 3 plies, with other moves of the attacker by index and length.
    fn answer(is_shortest: bool, second: &[(usize, &str, usize)]) -> Answer {
        let found = second.iter().map(|&(index, mv, plies)| {
            let mv = mv.to_owned();
            SecondMove { index, mv, plies }
        });
        let moves = ["7g7f", "3c3d", "8h2b+", "3a2b", "B*5e"];
        Answer {
            number: 1,
            verdict: Outcome::Mate,
            plies: Some(3),
            is_shortest,
            moves: moves.map(str::to_owned).into(),
            nodes: 1,
            time: Duration::ZERO,
            second: Some(Second {
                found: found.collect(),
                defences: Vec::new(),
                is_complete: true,
                nodes: 1,
            }),
        }
    }

    #[test]
    fn a_page_says_whether_a_length_is_proven() {
        for (is_shortest, second, expected) in cases! {
            true, vec![] => false;
            false, vec![] => true;
        } {
            let game = game(&Position::startpos(), &answer(is_shortest, &second));
            assert_eq!((game.plies, game.unproven), (Some(3), expected));
        }
    }

    #[test]
    fn lines_and_second_solutions_count_without_what_is_futile() {
        let problems = [Problem::of(&Position::startpos())];
        let report = |lang| Report::new(lang, &problems, Numbers::new(None, Shard::WHOLE, [0]), 1);
        let (ja, en) = (report(Lang::Ja), report(Lang::En));
        let line = |report: &Report<'_>| report.line(&answer(true, &[])).join(" ");
        let expected = "▲７六歩 △３四歩 ▲２二角成（以下無駄合い △同　銀 ▲５五角）";
        assert_eq!(line(&ja), expected);
        assert_eq!(line(&en), "7g7f 3c3d 8h2b+ (then futile: 3a2b B*5e)");
        let own =
            "最短とは証明されていないため、作意とは限りません（--shortestで最短手順を求めます）";
        let left = "駒余り：角";
        for (is_shortest, second, expected) in cases! {
            true, vec![] => format!("余詰なし{left}");
            true, vec![(2, "2g2f", 1)] => format!("最終手余詰（3手目）：▲２六歩{left}");
            true, vec![(0, "2g2f", 3)] => format!("余詰：1手目 ▲２六歩（以下3手、全3手）{left}");
            false, vec![(0, "2g2f", 1)] => format!("早詰：1手目 ▲２六歩（以下1手、全1手）{own}");
            false, vec![(2, "2g2f", 3)] => format!("余詰：3手目 ▲２六歩（以下3手、全5手）{own}");
        } {
            let answer = answer(is_shortest, &second);
            let mut out = Vec::new();
            let second = answer.second.as_ref().expect("it was given");
            ja.print_second(&mut out, second, &answer).expect("memory");
            let text = String::from_utf8(out).expect("text");
            let lines: String = text.lines().map(str::trim).collect();
            assert_eq!(lines, expected);
        }
    }
}
