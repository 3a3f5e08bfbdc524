//! Prints the table of answers in the order of the problems, and the totals.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::iter::Peekable;
use std::time::Duration;

use super::answer::{Answer, Outcome, Second};
use crate::cli::output;
use crate::runs::Numbers;

/// Prints each answer as soon as all before it are printed.
pub(super) struct Report {
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
    count: usize,
}

impl Report {
    /// A report on `problems` problems, whose numbers come in this `order`.
    pub(super) fn new(prints_lines: bool, problems: usize, order: Numbers) -> io::Result<Self> {
        if prints_lines {
            let mut out = output::stdout();
            writeln!(out, "problem  verdict  plies       nodes   seconds  line")?;
        }
        Ok(Self {
            prints_lines,
            problems,
            waiting: BTreeMap::new(),
            order: order.peekable(),
            mates: 0,
            refuted: 0,
            with_second: 0,
            nodes: 0,
            count: 0,
        })
    }

    /// Number of finished problems.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The results so far, for the progress bar.
    pub(super) fn words(&self) -> String {
        format!("{} mates, {} without", self.mates, self.refuted)
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
            print(&answer)?;
        }
        Ok(())
    }

    /// Prints the remaining answers and the totals.
    pub(super) fn finish(self, time: Duration) -> io::Result<()> {
        for answer in self.waiting.values() {
            print(answer)?;
        }
        let unknown = self.count - self.mates - self.refuted;
        let mut out = output::stdout();
        write!(
            out,
            "{} of {} problems: {} mates, {} without, {unknown} unknown",
            self.count, self.problems, self.mates, self.refuted
        )?;
        if self.with_second > 0 {
            write!(out, ", {} with second solutions", self.with_second)?;
        }
        let seconds = time.as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "a speed is an estimate")]
        let speed = (self.nodes as f64 / seconds.max(1e-9)) as u64;
        let nodes = self.nodes;
        writeln!(out, ", {nodes} nodes, {seconds:.3} s, {speed} nodes/s")
    }
}

fn print(answer: &Answer) -> io::Result<()> {
    let mut out = output::stdout();
    let plies = answer
        .plies
        .map_or_else(|| "-".to_owned(), |plies| plies.to_string());
    let row = format!(
        "{:>7}  {:<7}  {plies:>5}  {:>10}  {:>8.3}  {}",
        answer.number,
        answer.verdict.name(),
        answer.nodes,
        answer.time.as_secs_f64(),
        answer.moves.join(" ")
    );
    writeln!(out, "{}", row.trim_end())?;
    if let Some(second) = &answer.second {
        print_second(&mut out, second, answer.moves.len())?;
    }
    Ok(())
}

fn print_second(out: &mut impl Write, second: &Second, plies: usize) -> io::Result<()> {
    for solution in &second.found {
        let place = if solution.index + 1 == plies {
            ", the last"
        } else {
            ""
        };
        writeln!(
            out,
            "         second solution at move {}{place}: {} mates in {}",
            solution.index + 1,
            solution.mv,
            solution.plies
        )?;
    }
    match (second.found.is_empty(), second.is_complete) {
        (true, true) => writeln!(out, "         no second solution"),
        (_, false) => writeln!(
            out,
            "         not all other moves could be looked at in time"
        ),
        (false, true) => Ok(()),
    }
}
