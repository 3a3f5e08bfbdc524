//! The numbered words of a line, and the errors that name them. The command itself is word 1.

use thiserror::Error;

use crate::util::shorten;

/// Longest time in ms, about 30 years. Sums and squares of this fit in 64 bits.
pub(crate) const LONGEST_MILLISECONDS: u64 = 1_000_000_000_000;

/// Why a line, or a part of it, is not a valid command.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum CommandError {
    /// The line has no words.
    #[error("empty line, word 1, expected a command")]
    Empty,
    /// The line is longer than any command.
    #[error("a line of more than {most} bytes, expected a command")]
    TooLong {
        /// The command with which it begins, if that holds a position.
        command: Option<&'static str>,
        /// Bytes of the longest line.
        most: usize,
    },
    /// The first word is no command; holds it, shortened.
    #[error("unknown command \"{0}\", word 1, expected a USI command such as \"usi\" or \"go\"")]
    Unknown(String),
    /// A command of other engines.
    #[error("\"{command}\", word 1, is a command of other engines: {instead}")]
    OtherEngine {
        /// The command.
        command: &'static str,
        /// What to use instead.
        instead: &'static str,
    },
    /// A word that is not valid at its place.
    #[error("\"{found}\", word {place} of \"{command}\", expected {expected}")]
    Unexpected {
        /// The command that contains it.
        command: &'static str,
        /// The number of the word; the command is word 1.
        place: usize,
        /// The word, shortened.
        found: String,
        /// What is valid there.
        expected: &'static str,
    },
    /// The line ends, or the next parameter follows, where a value is needed.
    #[error("nothing, word {place} of \"{command}\", expected {expected}")]
    Missing {
        /// The command that lacks it.
        command: &'static str,
        /// The number that the word would have; the command is word 1.
        place: usize,
        /// What is valid there.
        expected: &'static str,
    },
}

impl CommandError {
    /// The command that contains the error, `None` if the line has no command of this engine.
    pub fn command(&self) -> Option<&'static str> {
        match self {
            Self::Empty | Self::Unknown(_) | Self::OtherEngine { .. } => None,
            Self::TooLong { command, .. } => *command,
            Self::Unexpected { command, .. } | Self::Missing { command, .. } => Some(command),
        }
    }
}

/// Largest depth in plies; no search reaches it, and every integer type holds it.
const MAX_DEPTH: u64 = 1000;

/// The unit of a number in a command, with its range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unit {
    /// Milliseconds. Negative numbers count as 0: servers may subtract a delay from the time left.
    Milliseconds,
    /// Plies to search, at least one.
    Depth,
    /// Nodes to search, at least one.
    Nodes,
    /// Plies of a perft, 0 to 100: the recursion needs stack, and no larger count would ever end.
    PerftDepth,
}

impl Unit {
    fn expected(self) -> &'static str {
        match self {
            Self::Milliseconds => "a number of milliseconds",
            Self::Depth => "a number of plies from 1",
            Self::Nodes => "a number of nodes from 1",
            Self::PerftDepth => "a number of plies from 0 to 100",
        }
    }

    fn accept(self, number: i64) -> Option<u64> {
        match self {
            Self::Milliseconds => Some((number.max(0) as u64).min(LONGEST_MILLISECONDS)),
            Self::Nodes => positive(number),
            Self::Depth => positive(number).map(|plies| plies.min(MAX_DEPTH)),
            Self::PerftDepth => u64::try_from(number).ok().filter(|&number| number <= 100),
        }
    }
}

fn positive(number: i64) -> Option<u64> {
    u64::try_from(number).ok().filter(|&number| number > 0)
}

/// The words that follow a command.
pub(super) struct Words<'a> {
    command: &'static str,
    rest: &'a str,
    place: usize,
}

impl<'a> Words<'a> {
    /// The words of `text`, which follows `command`.
    pub(super) fn new(command: &'static str, text: &'a str) -> Self {
        Self {
            command,
            rest: text.trim(),
            place: 1,
        }
    }

    pub(super) fn next(&mut self) -> Option<&'a str> {
        let word = self.peek()?;
        self.rest = self.rest[word.len()..].trim_start();
        self.place += 1;
        Some(word)
    }

    pub(super) fn peek(&self) -> Option<&'a str> {
        self.rest.split_whitespace().next()
    }

    /// The rest of the line, with its inner spaces.
    pub(super) fn remainder(&self) -> &'a str {
        self.rest
    }

    /// The error for the word that [`Self::next`] has just returned.
    pub(super) fn unexpected(&self, found: &str, expected: &'static str) -> CommandError {
        CommandError::Unexpected {
            command: self.command,
            place: self.place,
            found: shorten(found),
            expected,
        }
    }

    /// The error for a word that is missing next.
    pub(super) fn missing(&self, expected: &'static str) -> CommandError {
        CommandError::Missing {
            command: self.command,
            place: self.place + 1,
            expected,
        }
    }

    /// Takes the next word as a number, unless `is_parameter` holds for it.
    pub(super) fn number(
        &mut self,
        unit: Unit,
        is_parameter: fn(&str) -> bool,
    ) -> Result<u64, CommandError> {
        if self.peek().is_none_or(is_parameter) {
            return Err(self.missing(unit.expected()));
        }
        let word = self.next().unwrap_or_default();
        parse_integer(word)
            .and_then(|number| unit.accept(number))
            .ok_or_else(|| self.unexpected(word, unit.expected()))
    }
}

/// Parses a decimal number with an optional sign. Numbers beyond 64 bits become the nearest one.
pub(crate) fn parse_integer(text: &str) -> Option<i64> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let bound = if is_negative { i64::MIN } else { i64::MAX };
    Some(text.parse().unwrap_or(bound))
}
