//! A line cut into numbered words, and what can be wrong with one.
//!
//! Places count from 1 with the command itself, so that an error can say "word 3" and a person can point at it.

use thiserror::Error;

use crate::util::shorten;

/// No clock of any game is longer (about 30 years), and sums and squares of this still fit in 64 bits.
pub(crate) const LONGEST_MILLISECONDS: u64 = 1_000_000_000_000;

/// Why a line, or a part of one, is not a command.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum CommandError {
    /// Nothing but spaces.
    #[error("empty line, word 1, expected a command")]
    Empty,
    /// The first word is no command.
    #[error("unknown command \"{0}\", word 1, expected a USI command such as \"usi\" or \"go\"")]
    Unknown(String),
    /// A word that does not belong where it stands.
    #[error("\"{found}\", word {place} of \"{command}\", expected {expected}")]
    Unexpected {
        /// The command in which it stands.
        command: &'static str,
        /// The number of the word, the command being word 1.
        place: usize,
        /// The word itself, cut off where it is very long.
        found: String,
        /// What could have stood there.
        expected: &'static str,
    },
    /// The line ends, or goes on with the next parameter, where a word is needed.
    #[error("nothing, word {place} of \"{command}\", expected {expected}")]
    Missing {
        /// The command that lacks it.
        command: &'static str,
        /// The number that the word would have.
        place: usize,
        /// What it should be.
        expected: &'static str,
    },
}

impl CommandError {
    /// The command in which the fault lies, `None` where there is no such command.
    pub fn command(&self) -> Option<&'static str> {
        match self {
            Self::Empty | Self::Unknown(_) => None,
            Self::Unexpected { command, .. } | Self::Missing { command, .. } => Some(command),
        }
    }
}

/// A depth that no search reaches and every type holds.
const DEEPEST: u64 = 1000;

/// What a number in a command counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unit {
    /// Milliseconds; below zero reads as zero, because servers send what is left after a delay.
    Milliseconds,
    /// Plies to search, at least one.
    Depth,
    /// Nodes to search, at least one.
    Nodes,
    /// Plies to count, zero included. More than a hundred take for ever, and the recursion needs stack.
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
            Self::Depth => positive(number).map(|plies| plies.min(DEEPEST)),
            Self::PerftDepth => u64::try_from(number).ok().filter(|&number| number <= 100),
        }
    }
}

fn positive(number: i64) -> Option<u64> {
    u64::try_from(number).ok().filter(|&number| number > 0)
}

/// The words after the command.
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

    /// All that follows, with its inner spaces.
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

    /// The error for the word that should come next and does not.
    pub(super) fn missing(&self, expected: &'static str) -> CommandError {
        CommandError::Missing {
            command: self.command,
            place: self.place + 1,
            expected,
        }
    }

    /// The number that comes next. A word for which `is_parameter` holds is left where it is.
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

/// Reads a decimal number with an optional sign; one that is too large for 64 bits becomes the largest or smallest.
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
