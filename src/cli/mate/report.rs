//! The answers as a table, in the order of the problems, with the totals, and as a page.

use std::io::{self, Write};
use std::{collections::BTreeMap, iter::Peekable, path::Path, time::Duration};

use super::{Answer, Outcome, Second};
use crate::cli::{output, result_file};
use crate::lang::{self, Lang};
use crate::page::{Game, Kind, PROGRAM, Page};
use crate::position::Position;
use crate::runs::Numbers;
use crate::types::Move;
use crate::util::counted;

/// Prints each answer as soon as all before it are printed.
pub(super) struct Report<'a> {
    lang: Lang,
    problems: &'a [Position],
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
    pub(super) fn new(lang: Lang, problems: &'a [Position], order: Numbers, here: usize) -> Self {
        Self {
            lang,
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
    pub(super) fn begin(
        &mut self,
        earlier: Vec<Answer>,
        prints_lines: bool,
        goes_on: bool,
    ) -> io::Result<()> {
        (self.prints_lines, self.goes_on) = (prints_lines, goes_on);
        if prints_lines {
            self.note(writeln!(output::stdout(), "{}", self.lang.mate_heading()))?;
        }
        earlier
            .into_iter()
            .try_for_each(|answer| self.add(answer))?;
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
    pub(super) fn count(&self) -> usize {
        self.answers.len()
    }

    /// Nodes of all answers.
    fn nodes(&self) -> u64 {
        let second = |answer: &Answer| answer.second.as_ref().map_or(0, |second| second.nodes);
        let answers = self.answers.values();
        answers.map(|answer| answer.nodes + second(answer)).sum()
    }

    /// The results so far, for the progress bar.
    pub(super) fn words(&self) -> String {
        format!("{}, {} without", counted(self.mates, "mate"), self.refuted)
    }

    pub(super) fn add(&mut self, answer: Answer) -> io::Result<()> {
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
    pub(super) fn finish(&mut self, time: Duration) -> io::Result<()> {
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
        #[expect(clippy::cast_precision_loss, reason = "a speed is an estimate")]
        let speed = ((nodes - self.earlier_nodes) as f64 / seconds.max(1e-9)) as u64;
        let seconds = format!("{seconds:.3}");
        writeln!(
            out,
            "{}",
            lang.mate_speed(lang.nodes(nodes), seconds, speed)
        )
    }

    fn print(&self, answer: &Answer) -> io::Result<()> {
        let mut out = output::stdout();
        let plies = answer
            .plies
            .map_or_else(|| "-".to_owned(), |plies| plies.to_string());
        let moves: Vec<String> = (0..answer.moves.len())
            .map(|index| self.move_text(answer, index, &answer.moves[index]))
            .collect();
        let row = format!(
            "{:>7}  {}  {plies:>5}  {:>10}  {:>8.3}  {}",
            answer.number,
            lang::left(&self.verdict(answer.verdict), 7),
            answer.nodes,
            answer.time.as_secs_f64(),
            moves.join(" ")
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

    /// A move in place of that with this index in the line of an answer, in the language.
    fn move_text(&self, answer: &Answer, index: usize, mv: &str) -> String {
        let mut position = self.problem(answer).clone();
        for earlier in answer.moves.iter().take(index) {
            if let Some(earlier) = parsed(&position, earlier) {
                position.do_move(earlier);
            }
        }
        parsed(&position, mv).map_or_else(|| mv.to_owned(), |mv| self.lang.mv(&position, mv))
    }

    fn problem(&self, answer: &Answer) -> &'a Position {
        &self.problems[answer.number as usize - 1]
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
            let mv = self.move_text(answer, solution.index, &solution.mv);
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

    /// Writes the solutions as a page.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn write_page(&self, path: &Path) -> anyhow::Result<()> {
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
    if seconds.iter().any(|lines| !lines.is_empty()) {
        game.lines = seconds;
    }
    game
}
