//! The engine of a client: our own, or the program of another. Neither blocks its caller for longer
//! than a search takes to stop.

mod inside;
mod program;
mod settings;

use super::reports::EngineCommand;
use inside::Inside;
use program::Driver;
pub(super) use settings::{OnWord, Word};
pub use settings::{PlayerError, PlayerSettings};

/// A running engine.
pub(super) enum Player {
    Inside(Box<Inside>),
    Program(Driver),
}

impl Player {
    /// Starts the engine, and waits until it is ready or `is_given_up`.
    ///
    /// # Errors
    /// It does not start, or does not take an option.
    pub(super) fn start(
        settings: &PlayerSettings,
        on_word: OnWord,
        is_given_up: &dyn Fn() -> bool,
    ) -> Result<Self, PlayerError> {
        Ok(match &settings.program {
            None => Self::Inside(Box::new(Inside::start(settings, on_word)?)),
            Some(program) => Self::Program(Driver::start(program, settings, on_word, is_given_up)?),
        })
    }

    pub(super) fn perform(&mut self, command: EngineCommand) {
        match self {
            Self::Inside(inside) => inside.perform(command),
            Self::Program(driver) => driver.perform(command),
        }
    }
}
