//! The openings of a match.
//!
//! [`Openings`] lists them in an order that follows from the settings alone: opening `k` is the
//! same on every machine, whichever openings were requested before, so that shards and resumed
//! matches need no further coordination. No opening of a file or of few random moves occurs twice;
//! two openings are the same if they lead to the same position. Positions in which the game is over
//! are left out; a warning names the lines of a file with such positions.

mod file;
mod judge;
mod opening;
mod random;
mod set;
mod settings;

#[cfg(test)]
mod tests;

pub use opening::{Opening, OpeningError};
pub use set::write_set;
pub use settings::{OpeningSettings, Order, Plies, PliesError, Source};

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
    current: Option<Opening>,
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
    pub fn get(&mut self, index: usize) -> Result<&Opening, OpeningError> {
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
