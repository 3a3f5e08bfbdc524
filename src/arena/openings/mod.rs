//! Where the games of a match begin.
//!
//! [`Openings`] knows them in an order that follows from the settings alone: opening `k` is the same on every machine
//! and whatever was asked for before, so that the shards of a match and its continuation need not agree on anything
//! else. No opening occurs twice; two are the same when they lead to the same position, by whatever moves. Positions
//! in which the game is over are left out.

mod file;
mod judge;
mod random;
mod set;
mod settings;

#[cfg(test)]
mod tests;

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::str::FromStr;

use thiserror::Error;

use crate::position::Position;
use crate::records::sfen_line::{SfenLine, SfenLineError};
use crate::types::Move;

pub use set::write_set;
pub use settings::{OpeningSettings, Order, Plies, PliesError, Source};

use file::Texts;
use judge::Judge;
use random::{Purpose, RandomOpenings};

/// The beginning of a game. Its text is what follows `position` in USI: `startpos moves 7g7f …`.
#[derive(Clone, Debug)]
pub struct Opening {
    /// A position and the moves from there.
    pub line: SfenLine,
}

impl Opening {
    /// The position after the moves, in which the engines begin.
    pub fn position(&self) -> Position {
        self.line.position()
    }

    /// The moves.
    pub fn moves(&self) -> &[Move] {
        &self.line.moves
    }
}

impl fmt::Display for Opening {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.line.fmt(formatter)
    }
}

impl FromStr for Opening {
    type Err = SfenLineError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(|line| Self { line })
    }
}

/// Why there is no opening, or none more.
#[derive(Debug, Error)]
pub enum OpeningError {
    /// The file cannot be read.
    #[error("openings {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A line of the file is no opening.
    #[error("openings {}, line {line}: {reason}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// What was found and what was expected.
        reason: String,
    },
    /// The file has nothing to begin a game with.
    #[error(
        "openings {} has no position to play from, expected lines such as 'startpos moves 7g7f' or an SFEN, or a book with values within the imbalance allowed",
        path.display()
    )]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// There are fewer openings than games to play.
    #[error(
        "opening {number} was asked for, but {origin} has only {count}: play fewer games, allow a larger imbalance if there is a limit, or take a larger file or random moves"
    )]
    TooFew {
        /// The one that was asked for, from 1.
        number: usize,
        /// How many there are.
        count: usize,
        /// Where they come from.
        origin: String,
    },
    /// Random moves lead nowhere new.
    #[error(
        "no opening {number} in {attempts} attempts: too few positions after {plies} plies are new, balanced and out of check; use more plies or allow a larger imbalance"
    )]
    UsedUp {
        /// The one that was asked for, from 1.
        number: u64,
        /// How often it was tried.
        attempts: u64,
        /// The plies that were tried.
        plies: Plies,
    },
    /// A set of openings cannot be written.
    #[error("cannot write the openings: {0}")]
    Write(#[from] io::Error),
    /// An opening of ours cannot be read back.
    #[error("opening {number}: {error}")]
    Unreadable {
        /// Its number, from 1.
        number: usize,
        /// What is wrong with it.
        error: SfenLineError,
    },
}

/// The openings of a match.
pub struct Openings {
    /// Those that are known, in their order.
    found: Texts,
    /// Where more come from.
    supply: Supply,
    /// For messages.
    origin: String,
    /// The one that was asked for last.
    current: Option<Opening>,
}

enum Supply {
    /// There are no more.
    Nothing,
    /// Lines of a file that have yet to be judged, from `next` on.
    Unjudged {
        candidates: Texts,
        next: usize,
        judge: Judge,
    },
    /// As many as are asked for.
    Random(RandomOpenings),
}

impl Openings {
    /// Reads the file, if the openings come from one.
    ///
    /// # Errors
    /// When the file cannot be read, or holds something else than openings, or nothing.
    pub fn new(settings: &OpeningSettings) -> Result<Self, OpeningError> {
        let judge = settings.max_imbalance.map(Judge::new);
        let mut found = Texts::default();
        let (supply, origin) = match &settings.source {
            Source::Startpos => {
                found.push("startpos");
                (Supply::Nothing, "the start position".to_owned())
            }
            Source::Random { plies } => {
                let random = RandomOpenings::new(*plies, settings.seed, judge);
                (Supply::Random(random), format!("random {plies} plies"))
            }
            Source::File(path) => {
                let mut contents = file::read(path, settings.max_imbalance)?;
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
        })
    }

    /// The opening with this index, from 0. May search for a while where openings are filtered: all before it are
    /// found first.
    ///
    /// # Errors
    /// When there are not so many.
    pub fn get(&mut self, index: usize) -> Result<&Opening, OpeningError> {
        while self.found.len() <= index {
            if !self.find_one_more()? {
                return Err(OpeningError::TooFew {
                    number: index + 1,
                    count: self.found.len(),
                    origin: self.origin.clone(),
                });
            }
        }
        let text = self.found.get(index).unwrap_or_default();
        let opening = text.parse().map_err(|error| OpeningError::Unreadable {
            number: index + 1,
            error,
        })?;
        Ok(self.current.insert(opening))
    }

    /// How many there are; `None` where they are made or judged as they are asked for.
    pub fn known(&self) -> Option<usize> {
        match &self.supply {
            Supply::Nothing => Some(self.found.len()),
            Supply::Unjudged { .. } | Supply::Random(_) => None,
        }
    }

    /// Whether there was one more.
    fn find_one_more(&mut self) -> Result<bool, OpeningError> {
        match &mut self.supply {
            Supply::Nothing => Ok(false),
            Supply::Random(random) => {
                let line = random.next()?;
                self.found.push(&line.to_string());
                Ok(true)
            }
            Supply::Unjudged {
                candidates,
                next,
                judge,
            } => {
                while let Some(text) = candidates.get(*next) {
                    *next += 1;
                    let opening: Opening =
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
