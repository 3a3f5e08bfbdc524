//! The parameters of `go` and of `ponderhit`.
//!
//! A bad parameter is reported and left out. The search uses the others, because the clock is
//! running.

use super::{CommandError, Unit, Words};

const EXPECTED: &str = "a parameter of go such as \"btime\" or \"infinite\"";
const EXPECTED_TIMES: &str = "\"btime\", \"wtime\", \"binc\", \"winc\" or \"byoyomi\"";

/// The parameters of `go`.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct GoCommand {
    /// Ponder: answer only after `stop` or `ponderhit`.
    pub ponder: bool,
    /// The clocks of both sides.
    pub times: Times,
    /// Fixed time for the move in ms.
    pub movetime: Option<u64>,
    /// Depth limit in plies, 1 to 1000.
    pub depth: Option<u32>,
    /// Node limit, from 1.
    pub nodes: Option<u64>,
    /// Search until `stop`.
    pub infinite: bool,
    /// Search for a mate, and answer with `checkmate`.
    pub mate: Option<MateLimit>,
    /// Depth of a perft in plies, 0 to 100; answered without `bestmove`.
    pub perft: Option<u32>,
    /// The root moves to search as USI text; empty for all.
    pub search_moves: Vec<String>,
}

/// The time limit of `go mate`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MateLimit {
    /// None: until a mate is found or disproved, or `stop`.
    Infinite,
    /// Time in milliseconds after which the answer is `timeout`.
    Milliseconds(u64),
}

/// The clocks in ms; `None` for those that were not sent.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Times {
    /// Time left for Black.
    pub btime: Option<u64>,
    /// Time left for White.
    pub wtime: Option<u64>,
    /// Increment of Black for each move.
    pub binc: Option<u64>,
    /// Increment of White for each move.
    pub winc: Option<u64>,
    /// Time for each move after the main time is used up (秒読み).
    pub byoyomi: Option<u64>,
}

impl GoCommand {
    /// Whether there is any limit, or `infinite` says that there is none.
    pub fn has_limit(&self) -> bool {
        self.infinite
            || self.movetime.or(self.nodes).is_some()
            || self.depth.is_some()
            || !self.times.is_empty()
    }

    /// `None` for a perft without a depth that can be read: a search would be answered with
    /// `bestmove`.
    pub(super) fn parse(words: &mut Words<'_>, errors: &mut Vec<CommandError>) -> Option<Self> {
        let mut go = Self::default();
        let mut asks_perft = false;
        while let Some(word) = words.next() {
            asks_perft |= word == "perft";
            if let Err(error) = go.parse_parameter(word, words) {
                errors.push(error);
            }
        }
        (go.perft.is_some() || !asks_perft).then_some(go)
    }

    fn parse_parameter(&mut self, word: &str, words: &mut Words<'_>) -> Result<(), CommandError> {
        match word {
            "ponder" => self.ponder = true,
            "infinite" => self.infinite = true,
            "movetime" => self.movetime = Some(words.number(Unit::Milliseconds, is_parameter)?),
            "depth" => self.depth = Some(words.number(Unit::Depth, is_parameter)? as u32),
            "nodes" => self.nodes = Some(words.number(Unit::Nodes, is_parameter)?),
            "perft" => self.perft = Some(words.number(Unit::PerftDepth, is_parameter)? as u32),
            "mate" => {
                let limit = MateLimit::parse(words);
                // Whatever the limit is, the answer is `checkmate`.
                let given = limit.as_ref().copied();
                self.mate = Some(given.unwrap_or(MateLimit::FALLBACK));
                limit?;
            }
            "searchmoves" => {
                while let Some(word) = words.peek().filter(|word| !is_parameter(word)) {
                    self.search_moves.push(word.to_owned());
                    words.next();
                }
            }
            _ => {
                let Some(slot) = self.times.slot(word) else {
                    let error = words.unexpected(word, EXPECTED);
                    skip_to_parameter(words);
                    return Err(error);
                };
                *slot = Some(words.number(Unit::Milliseconds, is_parameter)?);
            }
        }
        Ok(())
    }
}

impl MateLimit {
    /// The limit in place of one that cannot be read.
    const FALLBACK: Self = Self::Milliseconds(1000);

    /// `go mate` without a limit is infinite.
    fn parse(words: &mut Words<'_>) -> Result<Self, CommandError> {
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

    /// Whether no clock was sent.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn parse(words: &mut Words<'_>, errors: &mut Vec<CommandError>) -> Self {
        let mut times = Self::default();
        while let Some(word) = words.next() {
            let Some(slot) = times.slot(word) else {
                errors.push(words.unexpected(word, EXPECTED_TIMES));
                skip_to_parameter(words);
                continue;
            };
            match words.number(Unit::Milliseconds, is_parameter) {
                Ok(number) => *slot = Some(number),
                Err(error) => errors.push(error),
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

/// Whether a word is the name of a parameter of `go`, so that it cannot be the value of another.
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

/// Skips the words after an unknown parameter, as its values, so that there is one error for all.
fn skip_to_parameter(words: &mut Words<'_>) {
    while words.peek().is_some_and(|word| !is_parameter(word)) {
        words.next();
    }
}
