//! The lines of an engine as data: pure text, no process.
//!
//! Engines differ, so that unknown words are skipped, nothing is an error, and no text makes the
//! parser panic. Moves stay text.

#[cfg(test)]
mod tests;

use std::time::Duration;

use crate::types::{Bound, Score};

/// A line of an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reply<'a> {
    /// `usiok`: the end of the options.
    UsiOk,
    /// `readyok`: the answer to `isready`.
    ReadyOk,
    /// `id name …`: the name of the engine.
    IdName(&'a str),
    /// `option name …`: the declaration of an option.
    Option(DeclaredOption),
    /// `bestmove …`: the answer to `go`.
    BestMove(BestMove<'a>),
    /// `info …`: progress of the search, or text for people.
    Info(InfoLine<'a>),
    /// `checkmate …`: the answer to `go mate`, without the word itself.
    Checkmate(&'a str),
    /// Any other line, also an empty one, which engines send during long preparations.
    Other,
}

/// The decision of the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BestMove<'a> {
    /// A move, which may be any word.
    Move {
        /// The move to play.
        best: &'a str,
        /// The expected answer, on which the engine would ponder.
        ponder: Option<&'a str>,
    },
    /// `resign`.
    Resign,
    /// `win`: the declaration of the entering king.
    Win,
    /// No move: nothing follows, or `none`, `(none)`, `null` or `0000`.
    Missing,
}

/// The values of an `info` line as the engine sent them, `None` for those that are missing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct InfoLine<'a> {
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Selective depth in plies.
    pub seldepth: Option<u32>,
    /// Rank of the principal variation, from 1.
    pub multipv: Option<u32>,
    /// Time since the start of the search.
    pub time: Option<Duration>,
    /// Nodes searched so far.
    pub nodes: Option<u64>,
    /// Nodes per second.
    pub nps: Option<u64>,
    /// How full the hash table is, in permill.
    pub hashfull: Option<u32>,
    /// The score from the view of the engine. `mate +` without a length is a mate in one ply; with
    /// 0 or less the engine is mated.
    pub score: Option<Score>,
    /// Set if the score is a bound, not exact.
    pub bound: Option<Bound>,
    /// The moves of the principal variation, to the end of the line.
    pub pv: Option<&'a str>,
    /// Text for people, to the end of the line.
    pub string: Option<&'a str>,
}

/// An option as the engine declares it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeclaredOption {
    /// Its name, as declared.
    pub name: String,
    /// The values that it can take.
    pub kind: OptionKind,
}

/// The type of an option, with its range.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionKind {
    /// A switch: `true` or `false`.
    Check {
        /// The value before any `setoption`.
        default: bool,
    },
    /// An integer in a range.
    Spin {
        /// The value before any `setoption`.
        default: i64,
        /// The smallest value that the engine takes.
        min: i64,
        /// The largest value that the engine takes.
        max: i64,
    },
    /// One of several words.
    Combo {
        /// The value before any `setoption`.
        default: String,
        /// The words in the order of the declaration.
        values: Vec<String>,
    },
    /// An action without a value.
    Button,
    /// A text of one line.
    String {
        /// The value before any `setoption`; `<empty>` for none.
        default: String,
    },
    /// The path of a file or folder.
    Filename {
        /// The value before any `setoption`; `<empty>` for none.
        default: String,
    },
    /// An unknown type or a contradictory declaration. Any value may be sent.
    Unknown,
}

impl<'a> Reply<'a> {
    /// Parses a line; whatever is not known is [`Self::Other`].
    pub fn of(line: &'a str) -> Self {
        let mut words = Words(line);
        match words.next() {
            Some("usiok") => Self::UsiOk,
            Some("readyok") => Self::ReadyOk,
            Some("id") => match words.next() {
                Some("name") => Self::IdName(words.rest()),
                _ => Self::Other,
            },
            Some("option") => declared_option(words).map_or(Self::Other, Self::Option),
            Some("bestmove") => Self::BestMove(best_move(words)),
            Some("info") => Self::Info(info_line(words)),
            Some("checkmate") => Self::Checkmate(words.rest()),
            _ => Self::Other,
        }
    }
}

/// An iterator over the words of a line.
#[derive(Clone)]
struct Words<'a>(&'a str);

impl<'a> Words<'a> {
    fn rest(&self) -> &'a str {
        self.0.trim()
    }

    /// Takes the next word if it equals `keyword`.
    fn skip_word(&mut self, keyword: &str) -> Option<()> {
        self.read(|word| (word == keyword).then_some(()))
    }

    /// Takes the next word if `read` accepts it.
    fn read<T>(&mut self, read: impl FnOnce(&'a str) -> Option<T>) -> Option<T> {
        let mut after = self.clone();
        let value = after.next().and_then(read);
        if value.is_some() {
            *self = after;
        }
        value
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let text = self.0.trim_start();
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.0 = rest;
        (!word.is_empty()).then_some(word)
    }
}

fn best_move(mut words: Words<'_>) -> BestMove<'_> {
    match words.next().filter(|word| is_move(word)) {
        None => BestMove::Missing,
        Some(word) if word.eq_ignore_ascii_case("resign") => BestMove::Resign,
        Some(word) if word.eq_ignore_ascii_case("win") => BestMove::Win,
        Some(best) => {
            let ponder =
                words.skip_word("ponder").and_then(|()| words.next()).filter(|word| is_move(word));
            BestMove::Move { best, ponder }
        }
    }
}

fn is_move(word: &str) -> bool {
    !["none", "(none)", "null", "0000"].contains(&word)
}

fn info_line(mut words: Words<'_>) -> InfoLine<'_> {
    let mut info = InfoLine::default();
    while let Some(word) = words.next() {
        match word {
            "depth" => info.depth = words.read(small_number),
            "seldepth" => info.seldepth = words.read(small_number),
            "multipv" => info.multipv = words.read(small_number),
            "time" => info.time = words.read(number).map(Duration::from_millis),
            "nodes" => info.nodes = words.read(number),
            "nps" => info.nps = words.read(number),
            "hashfull" => info.hashfull = words.read(small_number),
            // `score` itself is skipped, so that the bound may precede or follow the number.
            "cp" => info.score = words.read(signed_number).map(Score::Cp),
            "mate" => info.score = words.read(plies_to_mate).map(Score::Mate),
            "lowerbound" => info.bound = Some(Bound::Lower),
            "upperbound" => info.bound = Some(Bound::Upper),
            "pv" => info.pv = text_to_the_end(&mut words),
            "string" => info.string = text_to_the_end(&mut words),
            _ => {}
        }
    }
    info
}

fn text_to_the_end<'a>(words: &mut Words<'a>) -> Option<&'a str> {
    let text = words.rest();
    words.0 = "";
    (!text.is_empty()).then_some(text)
}

fn plies_to_mate(word: &str) -> Option<i32> {
    match word {
        "+" | "+0" => Some(1),
        "-" => Some(-1),
        _ => signed_number(word),
    }
}

/// A decimal number without a sign; saturates.
fn number(word: &str) -> Option<u64> {
    let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| word.parse().unwrap_or(u64::MAX))
}

fn small_number(word: &str) -> Option<u32> {
    number(word).map(|number| u32::try_from(number).unwrap_or(u32::MAX))
}

fn signed_number(word: &str) -> Option<i32> {
    let (sign, digits) = match word.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, word.strip_prefix('+').unwrap_or(word)),
    };
    number(digits).map(|number| sign * i32::try_from(number).unwrap_or(i32::MAX))
}

fn declared_option(mut words: Words<'_>) -> Option<DeclaredOption> {
    words.skip_word("name")?;
    let mut name = Vec::new();
    let kind = loop {
        match words.next() {
            Some("type") => break words.next().unwrap_or_default(),
            Some(word) => name.push(word),
            None => break "",
        }
    };
    if name.is_empty() {
        return None;
    }
    Some(DeclaredOption { name: name.join(" "), kind: option_kind(kind, words) })
}

fn option_kind(kind: &str, mut words: Words<'_>) -> OptionKind {
    let text = |mut words: Words<'_>| match words.skip_word("default") {
        Some(()) => words.rest().to_owned(),
        None => String::new(),
    };
    match kind {
        "check" => {
            OptionKind::Check { default: words.any(|word| word.eq_ignore_ascii_case("true")) }
        }
        "spin" => spin(words).unwrap_or(OptionKind::Unknown),
        "combo" => combo(words),
        "button" => OptionKind::Button,
        "string" => OptionKind::String { default: text(words) },
        "filename" => OptionKind::Filename { default: text(words) },
        _ => OptionKind::Unknown,
    }
}

fn spin(mut words: Words<'_>) -> Option<OptionKind> {
    let (mut default, mut min, mut max) = (None, i64::MIN, i64::MAX);
    while let Some(word) = words.next() {
        match word {
            "default" => default = Some(words.next()?.parse().ok()?),
            "min" => min = words.next()?.parse().ok()?,
            "max" => max = words.next()?.parse().ok()?,
            _ => {}
        }
    }
    (min <= max).then(|| OptionKind::Spin {
        default: default.unwrap_or(0_i64).clamp(min, max),
        min,
        max,
    })
}

/// A value may consist of several words.
fn combo(words: Words<'_>) -> OptionKind {
    let (mut default, mut values) = (String::new(), Vec::<String>::new());
    let mut is_default = false;
    for word in words {
        match word {
            "default" if values.is_empty() => is_default = true,
            "var" => {
                is_default = false;
                values.push(String::new());
            }
            _ => {
                let value = match values.last_mut() {
                    Some(value) => value,
                    None if is_default => &mut default,
                    None => continue,
                };
                if !value.is_empty() {
                    value.push(' ');
                }
                value.push_str(word);
            }
        }
    }
    values.retain(|value| !value.is_empty());
    OptionKind::Combo { default, values }
}
