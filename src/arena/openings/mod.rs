//! The openings of a match.
//!
//! An opening is a line whose text is the argument of the USI command `position`: `startpos moves
//! 7g7f …`. [`Openings`] lists them in an order that follows from the settings alone: opening `k`
//! is the same on every machine, whichever openings were requested before, so that shards and
//! resumed matches need no further coordination. No opening of a file or of few random moves occurs
//! twice; two openings are the same if they lead to the same position. Positions in which the game
//! is over are left out; a warning names the lines of a file with such positions.

mod file;
mod judge;
mod random;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::records::RecordError;
use crate::records::sfen_line::SfenLine;
use crate::types::EnteringKingRule;
use crate::util::{counted, shorten};
use file::Texts;
pub use judge::Endings;
use judge::Judge;
use random::{Purpose, RandomOpenings};

/// The openings of a match.
pub struct Openings {
    /// The openings found so far, in order, except random ones.
    found: Texts,
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
    Unjudged {
        candidates: Texts,
        next: usize,
        judge: Judge,
    },
    /// Random openings, as many as requested.
    Random(RandomOpenings),
}

impl Openings {
    /// Prepares the openings of games with these rules; reads the file, if they come from one.
    ///
    /// # Errors
    /// The file cannot be read, has an invalid line, or has no openings.
    pub fn new(
        settings: &OpeningSettings,
        endings: impl Into<Endings>,
    ) -> Result<Self, OpeningError> {
        let endings = endings.into();
        let judge = settings.max_imbalance.map(Judge::new);
        let mut found = Texts::default();
        let mut warning = None;
        let (supply, origin) = match &settings.source {
            Source::Startpos => {
                found.push("startpos");
                (Supply::Nothing, "the start position".to_owned())
            }
            Source::Random { plies } => {
                let random = RandomOpenings::new(*plies, settings, endings.entering_king, judge);
                (Supply::Random(random), format!("random {plies} plies"))
            }
            Source::File(path) => {
                let mut contents = file::read(path, settings.max_imbalance, endings)?;
                let over = contents.left_out.warning();
                warning = over.map(|over| format!("openings {}: {over}", path.display()));
                if settings.order == Order::Random {
                    let mut generator = random::generator(Purpose::Order, settings.seed, 0, 0);
                    contents.texts.shuffle(&mut generator);
                }
                let supply = match judge {
                    Some(judge) if !contents.is_valued => Supply::Unjudged {
                        candidates: contents.texts,
                        next: 0,
                        judge,
                    },
                    _ => {
                        found = contents.texts;
                        Supply::Nothing
                    }
                };
                (supply, path.display().to_string())
            }
        };
        Ok(Self {
            found,
            supply,
            origin,
            current: None,
            warning,
        })
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
                    return Err(OpeningError::TooFew {
                        number: index + 1,
                        count: self.found.len(),
                        origin: self.origin.clone(),
                    });
                }
            }
            self.found.get(index).unwrap_or_default()
        };
        let opening = text.parse().map_err(|error| OpeningError::Unreadable {
            number: index + 1,
            error,
        })?;
        Ok(self.current.insert(opening))
    }

    /// Checks that games do not end before the engines move. The longer ones of a file were left
    /// out; others are nearly of one length.
    ///
    /// # Errors
    /// The first opening is longer, or there is none.
    pub fn check_length(&mut self, max_moves: u32) -> Result<(), OpeningError> {
        let ply = self.get(0)?.position().game_ply();
        if max_moves > 0 && ply > max_moves {
            return Err(OpeningError::Long {
                ply,
                most: max_moves,
            });
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
            Supply::Unjudged {
                candidates,
                next,
                judge,
            } => {
                while let Some(text) = candidates.get(*next) {
                    *next += 1;
                    let opening: SfenLine =
                        text.parse().map_err(|error| OpeningError::Unreadable {
                            number: *next,
                            error,
                        })?;
                    if judge.is_balanced(&opening.position()) {
                        self.found.push(text);
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Plies {
    least: u32,
    most: u32,
}

/// Maximum number of plies of a random opening. Games of random moves end soon after that.
const MOST_PLIES: u32 = 100;

/// A text that is not a range of plies.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "'{0}' is no range of plies, expected two numbers from 1 to {MOST_PLIES} such as 8..12 (both \
    included), or one"
)]
pub struct PliesError(String);

impl Plies {
    /// The range from `least` to `most`; `None` unless 1 <= `least` <= `most` <= 100.
    pub fn new(least: u32, most: u32) -> Option<Self> {
        (1 <= least && least <= most && most <= MOST_PLIES).then_some(Self { least, most })
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
    type Err = PliesError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (least, most) = text.split_once("..").unwrap_or((text, text));
        let most = most.strip_prefix('=').unwrap_or(most);
        let number = |text: &str| text.trim().parse::<u32>().ok();
        number(least)
            .zip(number(most))
            .and_then(|(least, most)| Self::new(least, most))
            .ok_or_else(|| PliesError(shorten(text)))
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

impl TryFrom<String> for Plies {
    type Error = PliesError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Plies> for String {
    fn from(plies: Plies) -> Self {
        plies.to_string()
    }
}

/// Why an opening cannot be provided.
#[derive(Debug, Error)]
pub enum OpeningError {
    /// A file cannot be read.
    #[error("openings {}: {source}", path.display())]
    Read {
        /// Its path.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A line of a file is not an opening.
    #[error("openings {}, line {line}: {reason}", path.display())]
    Line {
        /// Its path.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// What was found and what was expected.
        reason: String,
    },
    /// A file has no usable opening.
    #[error(
        "openings {} has no position to play from, expected lines such as 'startpos moves 7g7f' \
        or an SFEN, or a book with values within the imbalance allowed{}",
        path.display(),
        left_out.as_ref().map(|left_out| format!("; {left_out}")).unwrap_or_default()
    )]
    Empty {
        /// Its path.
        path: PathBuf,
        /// Its positions where no game can begin, if it has some.
        left_out: Option<String>,
    },
    /// Games end with their openings.
    #[error("the first opening ends before move {ply}, expected --max-moves above {most}")]
    Long {
        /// Ply of the first move of an engine, from 1.
        ply: u32,
        /// Move number after which a game is a draw.
        most: u32,
    },
    /// There are fewer openings than requested.
    #[error(
        "opening {number} was asked for, but {origin} has only {count}: play fewer games, allow a \
        larger imbalance if there is a limit, or take a larger file or random moves"
    )]
    TooFew {
        /// Number of the requested opening, from 1.
        number: usize,
        /// Number of available openings.
        count: usize,
        /// The source of the openings, for the message.
        origin: String,
    },
    /// Random moves lead to no new positions.
    #[error(
        "no opening {number} in {attempts} attempts: too few positions after {plies} plies are \
        new, balanced and out of check; use more plies or allow a larger imbalance"
    )]
    UsedUp {
        /// Number of the requested opening, from 1.
        number: u64,
        /// Number of random lines that were tried.
        attempts: u64,
        /// The range of plies.
        plies: Plies,
    },
    /// A set of openings cannot be written.
    #[error("cannot write the openings: {0}")]
    Write(#[from] io::Error),
    /// An opening made by this program cannot be parsed.
    #[error("opening {number}: {error}")]
    Unreadable {
        /// Number of the opening, from 1.
        number: usize,
        /// The error of the parser.
        error: RecordError,
    },
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
    let mut openings = Openings::new(settings, EnteringKingRule::NoEnteringKing)?;
    let version = env!("CARGO_PKG_VERSION");
    let openings_count = counted(count, "opening");
    writeln!(out, "# {openings_count}, made by Raicho {version} with")?;
    writeln!(out, "# {command}")?;
    // Random openings may by chance be the same.
    let mut keys = HashSet::new();
    for index in 0.. {
        if keys.len() == count {
            break;
        }
        let opening = openings.get(index)?;
        if keys.insert(opening.position().key()) {
            writeln!(out, "{opening}")?;
            on_progress(keys.len());
        }
    }
    out.flush()?;
    Ok(openings.warning().map(str::to_owned))
}
