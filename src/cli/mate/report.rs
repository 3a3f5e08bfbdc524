//! The answers as a table, in the order of the problems, with the totals, and as a page.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::iter::Peekable;
use std::path::Path;
use std::time::Duration;

use super::{Answer, Outcome, Problem, Second};
use crate::cli::{output, result_file};
use crate::lang::{self, Lang};
use crate::page::{Game, Kind, PROGRAM, Page};
use crate::position::Position;
use crate::runs::Numbers;
use crate::types::Move;
use crate::util::counted;

/// The language of the report.
pub(super) struct Words {
    pub(super) lang: Lang,
    /// The problems by their numbers, where moves are not in USI notation.
    pub(super) starts: BTreeMap<u64, Position>,
}

/// Prints each answer as soon as all before it are printed.
pub(super) struct Report {
    words: Words,
    prints_lines: bool,
    problems: usize,
    /// Answers that wait for earlier ones.
    waiting: BTreeMap<u64, Answer>,
    /// The numbers of the problems, in order.
    order: Peekable<Numbers>,
    mates: usize,
    refuted: usize,
    with_second: usize,
    nodes: u64,
    /// Those of an earlier part of the run.
    earlier_nodes: u64,
    count: usize,
    /// Whether the run goes on where standard output fails: its answers go elsewhere too.
    goes_on: bool,
    /// Why nothing is printed any more.
    fault: Option<io::Error>,
}

impl Report {
    /// A report on `problems` problems, whose numbers come in this `order`.
    pub(super) fn new(
        prints_lines: bool,
        problems: usize,
        order: Numbers,
        words: Words,
        goes_on: bool,
    ) -> io::Result<Self> {
        let mut report = Self {
            words,
            prints_lines,
            problems,
            waiting: BTreeMap::new(),
            order: order.peekable(),
            mates: 0,
            refuted: 0,
            with_second: 0,
            nodes: 0,
            earlier_nodes: 0,
            count: 0,
            goes_on,
            fault: None,
        };
        if prints_lines {
            let heading = report.words.lang.mate_heading();
            report.note(writeln!(output::stdout(), "{heading}"))?;
        }
        Ok(report)
    }

    /// Adds the answers of an earlier part of the run.
    pub(super) fn add_earlier(&mut self, answers: &[Answer]) -> io::Result<()> {
        for answer in answers {
            self.add(answer.clone())?;
        }
        self.earlier_nodes = self.nodes;
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
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The results so far, for the progress bar.
    pub(super) fn words(&self) -> String {
        format!("{}, {} without", counted(self.mates, "mate"), self.refuted)
    }

    pub(super) fn add(&mut self, answer: Answer) -> io::Result<()> {
        let second = answer.second.as_ref();
        self.count += 1;
        self.nodes += answer.nodes + second.map_or(0, |second| second.nodes);
        self.with_second += usize::from(second.is_some_and(|second| !second.found.is_empty()));
        match answer.verdict {
            Outcome::Mate => self.mates += 1,
            Outcome::NoMate => self.refuted += 1,
            Outcome::Unknown => {}
        }
        if self.prints_lines {
            self.waiting.insert(answer.number, answer);
        }
        while let Some(number) = self.order.peek()
            && let Some(answer) = self.waiting.remove(number)
        {
            self.order.next();
            if self.fault.is_none() {
                let printed = self.words.print(&answer);
                self.note(printed)?;
            }
        }
        Ok(())
    }

    /// Prints the remaining answers and the totals.
    pub(super) fn finish(self, time: Duration) -> io::Result<()> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        for answer in self.waiting.values() {
            self.words.print(answer)?;
        }
        let unknown = self.count - self.mates - self.refuted;
        let mut out = output::stdout();
        let lang = self.words.lang;
        let totals = lang.mate_totals(
            self.count,
            lang.problems(self.problems),
            lang.mates(self.mates),
            self.refuted,
            unknown,
        );
        write!(out, "{totals}")?;
        if self.with_second > 0 {
            write!(out, "{}", lang.with_second_solutions(self.with_second))?;
        }
        let seconds = time.as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "a speed is an estimate")]
        let speed = ((self.nodes - self.earlier_nodes) as f64 / seconds.max(1e-9)) as u64;
        let seconds = format!("{seconds:.3}");
        writeln!(
            out,
            "{}",
            lang.mate_speed(lang.nodes(self.nodes), seconds, speed)
        )
    }
}

impl Words {
    fn print(&self, answer: &Answer) -> io::Result<()> {
        let mut out = output::stdout();
        let plies = answer
            .plies
            .map_or_else(|| "-".to_owned(), |plies| plies.to_string());
        let row = format!(
            "{:>7}  {}  {plies:>5}  {:>10}  {:>8.3}  {}",
            answer.number,
            lang::left(&self.verdict(answer.verdict), 7),
            answer.nodes,
            answer.time.as_secs_f64(),
            self.moves(answer).join(" ")
        );
        writeln!(out, "{}", row.trim_end())?;
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

    /// The moves of the line in the language.
    fn moves(&self, answer: &Answer) -> Vec<String> {
        let Some(mut position) = self.starts.get(&answer.number).cloned() else {
            return answer.moves.clone();
        };
        let text = |mv: &String| {
            let Some(found) = parsed(&position, mv) else {
                return mv.clone();
            };
            let text = self.lang.mv(&position, found);
            position.do_move(found);
            text
        };
        answer.moves.iter().map(text).collect()
    }

    /// A move in place of that with this index in the line.
    fn other_move(&self, answer: &Answer, index: usize, mv: &str) -> String {
        let Some(mut position) = self.starts.get(&answer.number).cloned() else {
            return mv.to_owned();
        };
        for earlier in answer.moves.iter().take(index) {
            match parsed(&position, earlier) {
                Some(found) => position.do_move(found),
                None => return mv.to_owned(),
            }
        }
        parsed(&position, mv).map_or_else(|| mv.to_owned(), |mv| self.lang.mv(&position, mv))
    }

    fn print_second(
        &self,
        out: &mut impl Write,
        second: &Second,
        answer: &Answer,
    ) -> io::Result<()> {
        let lang = self.lang;
        for solution in &second.found {
            let (number, plies) = (solution.index + 1, solution.plies);
            let mv = self.other_move(answer, solution.index, &solution.mv);
            let text = if number == answer.moves.len() {
                lang.second_solution_last(number, mv, plies)
            } else {
                lang.second_solution(number, mv, plies)
            };
            writeln!(out, "         {text}")?;
        }
        match (second.found.is_empty(), second.is_complete) {
            (true, true) => writeln!(out, "         {}", lang.no_second_solution()),
            (_, false) => writeln!(out, "         {}", lang.second_solutions_incomplete()),
            (false, true) => Ok(()),
        }
    }
}

/// A move of an answer, which is legal in its position.
fn parsed(position: &Position, text: &str) -> Option<Move> {
    position.legal_move(text.parse().ok()?)
}

/// Writes the solutions as a page.
///
/// # Errors
/// The file cannot be written.
pub(super) fn write_page(
    path: &Path,
    problems: &[Problem],
    answers: &[Answer],
    lang: Lang,
) -> anyhow::Result<()> {
    // Only a part of the problems may be here, so each has its number in the file.
    let is_whole = answers.len() == problems.len();
    let games = answers.iter().filter_map(|answer| {
        let problem = problems.get(answer.number as usize - 1)?;
        let mut game = game(problem, answer);
        if !is_whole {
            game.title = lang.problem_number(answer.number);
        }
        Some(game)
    });
    let page = Page {
        kind: Kind::Mate,
        title: path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        lang,
        program: PROGRAM,
        effort: String::new(),
        thresholds: None,
        games: games.collect(),
        of_match: None,
    };
    result_file::save(path, page.html().as_bytes())
}

fn game(problem: &Problem, answer: &Answer) -> Game {
    let mut position = problem.position.clone();
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
    let mut game = Game::of_problem(&problem.position, &moves);
    game.verdict = match answer.verdict {
        Outcome::Mate => "mate",
        Outcome::NoMate => "nomate",
        Outcome::Unknown => "unknown",
    };
    game.plies = answer.plies;
    if seconds.iter().any(|lines| !lines.is_empty()) {
        game.lines = seconds;
    }
    game
}
