//! The parameters of `go` and of `ponderhit`.
//!
//! A bad parameter does not spoil the command: the engine is on the clock, so it is reported and left out, and the
//! search uses the others.

use std::fmt;

use super::words::{CommandError, Unit, Words};

const EXPECTED: &str = "a parameter of go such as \"btime\" or \"infinite\"";
const EXPECTED_TIMES: &str = "\"btime\", \"wtime\", \"binc\", \"winc\" or \"byoyomi\"";

/// How long and on what to think.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct GoCommand {
    /// Think on the opponent's time and answer only after `stop` or `ponderhit`.
    pub ponder: bool,
    /// The clocks.
    pub times: Times,
    /// Think exactly so many milliseconds.
    pub movetime: Option<u64>,
    /// Search so many plies.
    pub depth: Option<u32>,
    /// Search so many nodes.
    pub nodes: Option<u64>,
    /// Think until `stop`.
    pub infinite: bool,
    /// Look for a mate, and answer with `checkmate`.
    pub mate: Option<MateLimit>,
    /// Count leaves to this depth; a tool, answered without `bestmove`.
    pub perft: Option<u32>,
    /// The moves to choose from as USI text; empty for all.
    pub search_moves: Vec<String>,
}

/// How long to look for a mate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MateLimit {
    /// Until it is found, refuted, or `stop` comes.
    Infinite,
    /// So many milliseconds.
    Milliseconds(u64),
}

/// The clocks in milliseconds, as far as they were given.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Times {
    /// What Black has left.
    pub btime: Option<u64>,
    /// What White has left.
    pub wtime: Option<u64>,
    /// What Black gains by each move.
    pub binc: Option<u64>,
    /// What White gains by each move.
    pub winc: Option<u64>,
    /// What each move may take when the main time is gone.
    pub byoyomi: Option<u64>,
}

impl GoCommand {
    /// Whether something ends the search by itself, or `infinite` says that nothing does.
    pub fn has_limit(&self) -> bool {
        self.infinite
            || self.movetime.or(self.nodes).is_some()
            || self.depth.is_some()
            || !self.times.is_empty()
    }

    pub(super) fn read(words: &mut Words<'_>, faults: &mut Vec<CommandError>) -> Self {
        let mut go = Self::default();
        while let Some(word) = words.next() {
            if let Err(fault) = go.read_parameter(word, words) {
                faults.push(fault);
            }
        }
        go
    }

    fn read_parameter(&mut self, word: &str, words: &mut Words<'_>) -> Result<(), CommandError> {
        match word {
            "ponder" => self.ponder = true,
            "infinite" => self.infinite = true,
            "movetime" => self.movetime = Some(words.number(Unit::Milliseconds, is_parameter)?),
            "depth" => self.depth = Some(words.number(Unit::Depth, is_parameter)? as u32),
            "nodes" => self.nodes = Some(words.number(Unit::Nodes, is_parameter)?),
            "perft" => self.perft = Some(words.number(Unit::PerftDepth, is_parameter)? as u32),
            "mate" => self.mate = Some(MateLimit::read(words)?),
            "searchmoves" => {
                while let Some(word) = words.peek().filter(|word| !is_parameter(word)) {
                    self.search_moves.push(word.to_owned());
                    words.next();
                }
            }
            _ => {
                let Some(slot) = self.times.slot(word) else {
                    let fault = words.unexpected(word, EXPECTED);
                    skip_to_parameter(words);
                    return Err(fault);
                };
                *slot = Some(words.number(Unit::Milliseconds, is_parameter)?);
            }
        }
        Ok(())
    }
}

impl MateLimit {
    /// The limit may be left out: `go mate` alone looks as long as it takes.
    fn read(words: &mut Words<'_>) -> Result<Self, CommandError> {
        match words.peek() {
            Some("infinite") => {
                words.next();
                Ok(Self::Infinite)
            }
            Some(word) if !is_parameter(word) => words
                .number(Unit::Milliseconds, is_parameter)
                .map(Self::Milliseconds),
            _ => Ok(Self::Infinite),
        }
    }
}

impl Times {
    const NAMES: [&str; 5] = ["btime", "wtime", "binc", "winc", "byoyomi"];

    /// Whether no clock was given at all.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn read(words: &mut Words<'_>, faults: &mut Vec<CommandError>) -> Self {
        let mut times = Self::default();
        while let Some(word) = words.next() {
            let Some(slot) = times.slot(word) else {
                faults.push(words.unexpected(word, EXPECTED_TIMES));
                skip_to_parameter(words);
                continue;
            };
            match words.number(Unit::Milliseconds, is_parameter) {
                Ok(number) => *slot = Some(number),
                Err(fault) => faults.push(fault),
            }
        }
        times
    }

    fn slot(&mut self, name: &str) -> Option<&mut Option<u64>> {
        let place = Self::NAMES.iter().position(|&known| known == name)?;
        let slots = [
            &mut self.btime,
            &mut self.wtime,
            &mut self.binc,
            &mut self.winc,
            &mut self.byoyomi,
        ];
        slots.into_iter().nth(place)
    }
}

/// Whether a word begins a new parameter of `go`, so that it cannot be the value of the one before.
fn is_parameter(word: &str) -> bool {
    const OTHERS: [&str; 8] = [
        "ponder",
        "infinite",
        "movetime",
        "depth",
        "nodes",
        "perft",
        "mate",
        "searchmoves",
    ];
    OTHERS.contains(&word) || Times::NAMES.contains(&word)
}

/// One unknown word is one error: what follows it is taken for its values.
fn skip_to_parameter(words: &mut Words<'_>) {
    while words.peek().is_some_and(|word| !is_parameter(word)) {
        words.next();
    }
}

impl fmt::Display for GoCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("go")?;
        if self.ponder {
            f.write_str(" ponder")?;
        }
        self.times.fmt(f)?;
        let numbers = [
            ("movetime", self.movetime),
            ("depth", self.depth.map(u64::from)),
            ("nodes", self.nodes),
            ("perft", self.perft.map(u64::from)),
        ];
        write_numbers(f, &numbers)?;
        if self.infinite {
            f.write_str(" infinite")?;
        }
        match self.mate {
            Some(MateLimit::Infinite) => f.write_str(" mate infinite")?,
            Some(MateLimit::Milliseconds(limit)) => write!(f, " mate {limit}")?,
            None => {}
        }
        if !self.search_moves.is_empty() {
            write!(f, " searchmoves {}", self.search_moves.join(" "))?;
        }
        Ok(())
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = [self.btime, self.wtime, self.binc, self.winc, self.byoyomi];
        for (name, value) in Self::NAMES.into_iter().zip(values) {
            write_numbers(f, &[(name, value)])?;
        }
        Ok(())
    }
}

fn write_numbers(f: &mut fmt::Formatter<'_>, numbers: &[(&str, Option<u64>)]) -> fmt::Result {
    for (name, number) in numbers {
        if let Some(number) = number {
            write!(f, " {name} {number}")?;
        }
    }
    Ok(())
}
