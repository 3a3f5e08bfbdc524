//! The openings of games: those of matches and of tuning runs, and in `self_play` those of
//! self-play.
//!
//! An opening of a match is a line whose text is the argument of the USI command `position`:
//! `startpos moves 7g7f …`. [`Openings`] lists them in an order that follows from the settings
//! alone: opening `k` is the same on every machine, whichever openings were requested before, so
//! that shards and resumed matches need no further coordination. No opening of a file or of few
//! random moves occurs twice; two openings are the same if they lead to the same position.
//! Positions in which the game is over are left out; a warning names the lines of a file with such
//! positions.

mod self_play;
mod sources;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::{collections::HashSet, fmt, io::Write, str::FromStr, sync::mpsc, time::Duration};

use serde::{Deserialize, Serialize};
use sources::RandomOpenings;
use thiserror::Error;

use crate::search::{Event, Limits};
use crate::types::{Bound, Color, EnteringKingRule, Repetition, Score};
use crate::util::{counted, shorten};
use crate::{
    engine::Engine, movegen::legal_moves, position::Position, records::sfen_line::SfenLine,
};

pub(crate) use self_play::Opener;
pub use self_play::{SelfPlayOpenings, StartSet};
pub(crate) use sources::{Purpose, below, fraction, generator};

/// The openings of a match.
pub struct Openings {
    /// The openings found so far, in order, except random ones.
    found: Vec<Box<str>>,
    /// The source of further openings.
    supply: Supply,
    /// Description of the source for messages.
    origin: String,
    /// The opening that was requested last.
    current: Option<SfenLine>,
    /// See [`Openings::warning`].
    warning: Option<String>,
}

enum Supply {
    /// There are no further openings.
    Nothing,
    /// Lines of a file that have not been judged yet, from `next` on.
    Unjudged { candidates: Vec<Box<str>>, next: usize, judge: Judge },
    /// Random openings, as many as requested.
    Random(RandomOpenings),
}

impl Openings {
    /// Prepares the openings of games with this rule of declarations, which are drawn after
    /// `max_moves` unless that is 0; reads the file, if they come from one.
    ///
    /// # Errors
    /// The file cannot be read, has an invalid line, or has no openings.
    pub fn new(
        settings: &OpeningSettings,
        rule: EnteringKingRule,
        max_moves: u32,
    ) -> Result<Self, OpeningError> {
        let judge = settings.max_imbalance.map(Judge::new);
        let mut found = Vec::new();
        let mut warning = None;
        let (supply, origin) = match &settings.source {
            Source::Startpos => {
                found.push("startpos".into());
                (Supply::Nothing, "the start position".to_owned())
            }
            Source::Random { plies } => {
                let random = RandomOpenings::new(*plies, settings, rule, judge);
                (Supply::Random(random), format!("random {plies} plies"))
            }
            Source::File(path) => {
                let mut contents = sources::read(path, settings.max_imbalance, (rule, max_moves))?;
                let over = contents.left_out.warning();
                warning = over.map(|over| format!("openings {}: {over}", path.display()));
                if settings.order == Order::Random {
                    let mut generator = generator(Purpose::ORDER, settings.seed, 0, 0);
                    sources::shuffle(&mut contents.texts, &mut generator);
                }
                let supply = match judge {
                    Some(judge) if !contents.is_valued => {
                        Supply::Unjudged { candidates: contents.texts, next: 0, judge }
                    }
                    _ => {
                        found = contents.texts;
                        Supply::Nothing
                    }
                };
                (supply, path.display().to_string())
            }
        };
        Ok(Self { found, supply, origin, current: None, warning })
    }

    /// The file and its lines with positions in which the game is over, which were left out; `None`
    /// without such lines.
    pub fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    /// The opening with this index, from 0. This can take a while if those of a file are filtered
    /// by a search, as all earlier ones are found first.
    ///
    /// # Errors
    /// There are not enough openings.
    pub fn get(&mut self, index: usize) -> Result<&SfenLine, OpeningError> {
        let text = if let Supply::Random(random) = &mut self.supply {
            random.get(index)?
        } else {
            while self.found.len() <= index {
                if !self.find_one_more()? {
                    return Err(self.too_few(index + 1));
                }
            }
            &self.found[index]
        };
        Ok(self.current.insert(parse(text, index + 1)?))
    }

    /// As [`Openings::get`], but begins again with the first opening after the last one.
    ///
    /// # Errors
    /// There are no openings.
    pub fn get_in_turn(&mut self, index: usize) -> Result<&SfenLine, OpeningError> {
        // Some sources know their number of openings only when all have been used.
        let is_there = self.get(index).is_ok();
        match self.known() {
            Some(count) if !is_there && count > 0 => self.get(index % count),
            _ => self.get(index),
        }
    }

    fn too_few(&self, number: usize) -> OpeningError {
        let (origin, count) = (&self.origin, self.found.len());
        OpeningError(format!(
            "opening {number} was asked for, but {origin} has only {count}: play fewer games, \
            allow a larger imbalance if there is a limit, or take a larger file or random moves"
        ))
    }

    /// Checks that games do not end before the engines move. The longer ones of a file were left
    /// out; others are nearly of one length.
    ///
    /// # Errors
    /// The first opening is longer, or there is none.
    pub fn check_length(&mut self, max_moves: u32) -> Result<(), OpeningError> {
        let ply = self.get(0)?.position().game_ply();
        if max_moves > 0 && ply > max_moves {
            return Err(OpeningError(format!(
                "the first opening ends before move {ply}, expected --max-moves above {max_moves}"
            )));
        }
        Ok(())
    }

    /// The number of openings; `None` if it is not known because they are made or judged on demand.
    pub fn known(&self) -> Option<usize> {
        match &self.supply {
            Supply::Nothing => Some(self.found.len()),
            Supply::Unjudged { .. } | Supply::Random(_) => None,
        }
    }

    /// Finds one more opening of a file; false if there is none.
    fn find_one_more(&mut self) -> Result<bool, OpeningError> {
        match &mut self.supply {
            Supply::Nothing | Supply::Random(_) => Ok(false),
            Supply::Unjudged { candidates, next, judge } => {
                while let Some(text) = candidates.get(*next) {
                    *next += 1;
                    let opening = parse(text, *next)?;
                    if judge.is_balanced(&opening.position()) {
                        self.found.push(text.clone());
                        return Ok(true);
                    }
                }
                self.supply = Supply::Nothing;
                Ok(false)
            }
        }
    }
}

/// The settings of the openings of a match. Together with the version of the program they determine
/// every opening.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpeningSettings {
    /// The source of the openings.
    pub source: Source,
    /// The order of the openings of a file.
    pub order: Order,
    /// Maximum advantage of either side in centipawns, by the values of a book or else by our own
    /// search. `None` accepts every opening.
    pub max_imbalance: Option<u32>,
    /// Seed of the random order and of random openings.
    pub seed: u64,
}

/// Openings of at least this many random moves do not depend on each other: of 200,000 with 8 to 12
/// moves, 5 repeat another one.
const INDEPENDENT_PLIES: u32 = 8;

impl OpeningSettings {
    /// Whether each opening can be made without the others. Two may then be the same by chance.
    pub(crate) fn are_independent(&self) -> bool {
        match self.source {
            Source::Random { plies } => plies.least >= INDEPENDENT_PLIES,
            Source::Startpos | Source::File(_) => false,
        }
    }
}

/// A source of openings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Only the standard start position.
    Startpos,
    /// The lines of a file, or the positions of a book.
    File(PathBuf),
    /// Random moves from the start position.
    Random {
        /// Range of the number of moves.
        #[serde(with = "crate::runs::as_text")]
        plies: Plies,
    },
}

/// The order in which the openings of a file are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// The order of the file.
    #[default]
    Sequential,
    /// A random order that depends on the seed.
    Random,
}

/// A range of plies, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plies {
    least: u32,
    most: u32,
}

/// Maximum number of plies of a random opening. Most games of random moves have ended by then.
const MOST_PLIES: u32 = 200;

impl Plies {
    /// The range from `least` to `most`; `None` unless `least` <= `most` <= 200.
    pub fn new(least: u32, most: u32) -> Option<Self> {
        (least <= most && most <= MOST_PLIES).then_some(Self { least, most })
    }

    /// The random plies of self-play from the start position.
    pub const SELF_PLAY: Self = Self { least: 8, most: 9 };

    /// This number of plies.
    pub const fn exactly(plies: u32) -> Self {
        Self { least: plies, most: plies }
    }

    /// The lower end of the range.
    pub const fn least(self) -> u32 {
        self.least
    }

    /// The upper end of the range.
    pub const fn most(self) -> u32 {
        self.most
    }
}

impl FromStr for Plies {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (least, most) = text.split_once("..").unwrap_or((text, text));
        let most = most.strip_prefix('=').unwrap_or(most);
        let number = |text: &str| text.trim().parse::<u32>().ok();
        number(least).zip(number(most)).and_then(|(least, most)| Self::new(least, most)).ok_or_else(
            || {
                let text = shorten(text);
                format!(
                    "'{text}' is not a range of plies, expected two numbers up to {MOST_PLIES} \
                    such as 8..12 (both included), or one"
                )
            },
        )
    }
}

impl fmt::Display for Plies {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.least == self.most {
            write!(formatter, "{}", self.least)
        } else {
            write!(formatter, "{}..{}", self.least, self.most)
        }
    }
}

/// Why an opening cannot be provided: what was found and what was expected.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct OpeningError(String);

impl OpeningError {
    fn of_file(path: &Path, reason: impl fmt::Display) -> Self {
        Self(format!("openings {}: {reason}", path.display()))
    }

    fn in_line(path: &Path, line: usize, reason: impl fmt::Display) -> Self {
        let path = path.display();
        Self(format!("openings {path}, line {line}: {reason}"))
    }
}

/// Parses the opening with this number, from 1.
fn parse(text: &str, number: usize) -> Result<SfenLine, OpeningError> {
    text.parse().map_err(|error| OpeningError(format!("opening {number}: {error}")))
}

/// Writes a set of openings that [`Openings`] can read from a file: the first `count` of the
/// settings, one per line, after comments with `command`, which reproduces the set. Positions in
/// which a win can be declared stay: the rule is that of a match, which leaves them out. Calls
/// `on_progress` with the number of openings written so far.
///
/// Returns [`Openings::warning`].
///
/// # Errors
/// There are fewer openings, or `out` cannot be written.
pub fn write_set(
    settings: &OpeningSettings,
    count: usize,
    command: &str,
    out: &mut impl Write,
    mut on_progress: impl FnMut(usize),
) -> Result<Option<String>, OpeningError> {
    let mut openings = Openings::new(settings, EnteringKingRule::NoEnteringKing, 0)?;
    let version = env!("CARGO_PKG_VERSION");
    let openings_count = counted(count, "opening");
    let fault = |error| OpeningError(format!("cannot write the openings: {error}"));
    let header = format!("# {openings_count}, made by Raicho {version} with\n# {command}\n");
    out.write_all(header.as_bytes()).map_err(fault)?;
    // Random openings may by chance be the same.
    let mut keys = HashSet::new();
    for index in 0.. {
        if keys.len() == count {
            break;
        }
        let opening = openings.get(index)?;
        if keys.insert(opening.position().key()) {
            writeln!(out, "{opening}").map_err(fault)?;
            on_progress(keys.len());
        }
    }
    out.flush().map_err(fault)?;
    Ok(openings.warning().map(str::to_owned))
}

// --- Whether a game can begin from a position ---

/// Nodes per position: enough to see exchanges and simple threats.
const NODES: u64 = 20_000;

/// Size of the transposition table in MB. A small one is cleared quickly before each search.
const HASH_MB: usize = 1;

/// Why no game can begin here: there is no legal move, a repetition ends the game, the side to move
/// can declare a win, or the game is a draw by its length.
fn why_over(position: &Position, rule: EnteringKingRule, max_moves: u32) -> Option<&'static str> {
    if max_moves > 0 && position.game_ply() > max_moves {
        Some("beyond --max-moves")
    } else {
        match end_by_rules(position) {
            Some((_, RuleEnd::Mate)) => Some("no legal move"),
            Some(_) => Some("a repetition ends the game"),
            None => (position.declaration(rule).is_some()).then_some("a win can be declared"),
        }
    }
}

/// How the rules end a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RuleEnd {
    /// The loser has no legal move, in check or not.
    Mate,
    /// The fourth occurrence of a position, a draw.
    Repetition,
    /// The same where all moves of the loser were checks.
    PerpetualCheck,
}

/// The end of the game by the rules, with the winner; that of a draw is `None`. Nobody needs to
/// declare a win.
pub(crate) fn end_by_rules(position: &Position) -> Option<(Option<Color>, RuleEnd)> {
    let us = position.side_to_move();
    if legal_moves(position).is_empty() {
        return Some((Some(!us), RuleEnd::Mate));
    }
    Some(match position.rule_repetition()? {
        Repetition::Win => (Some(us), RuleEnd::PerpetualCheck),
        Repetition::Lose => (Some(!us), RuleEnd::PerpetualCheck),
        _ => (None, RuleEnd::Repetition),
    })
}

/// Judges the balance of positions by our own search. Each search starts from an empty table, so
/// the score depends only on the position and the version of the program.
struct Judge {
    engine: Engine,
    max_imbalance: u32,
}

impl Judge {
    fn new(max_imbalance: u32) -> Self {
        let mut engine = Engine::new();
        let settings = &mut engine.settings_mut().search;
        settings.threads = 1;
        settings.hash_mb = HASH_MB;
        // Report every PV, so that the last one is not suppressed.
        settings.pv_interval = Duration::ZERO;
        Self { engine, max_imbalance }
    }

    /// Whether the score is within the allowed imbalance.
    fn is_balanced(&mut self, position: &Position) -> bool {
        let score = self.score(position);
        matches!(score, Some(Score::Cp(cp)) if cp.unsigned_abs() <= self.max_imbalance)
    }

    fn score(&mut self, position: &Position) -> Option<Score> {
        for problem in self.engine.prepare() {
            log::warn!("{problem}");
        }
        if let Err(error) = self.engine.set_position(Some(&position.to_sfen()), &[]) {
            log::warn!("{error}");
            return None;
        }
        let limits = Limits { nodes: Some(NODES), ..Limits::default() };
        let (sender, events) = mpsc::channel();
        // The receiver outlives the search, as it is read until the search is done.
        self.engine.go(limits, Box::new(move |event| drop(sender.send(event))));
        let mut score = None;
        for event in events {
            match event {
                Event::Info(info) if info.bound == Bound::Exact => score = Some(info.score),
                Event::Info(_) | Event::CurrentMove(_) => {}
                Event::Note(note) => log::info!("{note}"),
                Event::Done(_) => break,
            }
        }
        self.engine.finish();
        score
    }
}
