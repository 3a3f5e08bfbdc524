//! What readers of `.pack` and `.hcpe3` have in common: one stored game after the other, each proved move by move, and
//! errors that say where they are.

use std::io::Read;

use thiserror::Error;

use super::apery_move::from_apery;
use crate::position::Position;
use crate::types::Move;

/// A game that cannot be read, and where it stands.
#[derive(Debug, Error)]
#[error("game {game}, at byte {offset}: {fault}")]
pub struct GameError<F> {
    /// The number of the game, from 1.
    pub game: u64,
    /// Where the game begins, in bytes from the beginning of the input.
    pub offset: u64,
    /// What is wrong with it.
    pub fault: F,
}

/// A stored move that cannot be made.
#[derive(Debug, Error)]
#[error("move {number}, {text}, is illegal in {sfen}")]
pub struct IllegalMove {
    /// The number of the move in the game, from 1.
    pub number: usize,
    /// The move, or its bits where they are none.
    pub text: String,
    /// The position in which it should be made.
    pub sfen: String,
}

/// A format that stores games one after the other.
pub trait GameFormat: Default {
    /// A game as it is stored, taken apart without knowing shogi.
    type Frame;
    /// A game that was played by the rules.
    type Game;
    /// What can be wrong with one.
    type Fault;

    /// The next game and how many bytes it takes; `None` where the input ends before it.
    ///
    /// # Errors
    /// The input fails, or is no game.
    fn frame(input: &mut impl Read) -> Result<Option<(Self::Frame, u64)>, Self::Fault>;

    /// The game, proved move by move.
    ///
    /// # Errors
    /// Something in it is against the rules.
    fn understand(&self, frame: Self::Frame) -> Result<Self::Game, Self::Fault>;

    /// Whether nothing can be read behind a game with this fault, because nobody knows where it ends.
    fn is_fatal(fault: &Self::Fault) -> bool;
}

/// Reads one game after the other. A game that breaks the rules is an error, and the next one follows; after an error that
/// hides where the game ends there is no next one.
pub struct GameReader<R: Read, F: GameFormat> {
    input: R,
    format: F,
    /// Games begun.
    games: u64,
    /// Where the next game begins.
    offset: u64,
    good_bytes: u64,
    is_over: bool,
}

impl<R: Read, F: GameFormat> GameReader<R, F> {
    /// Reads from `input`, which should be buffered.
    pub fn new(input: R) -> Self {
        Self {
            input,
            format: F::default(),
            games: 0,
            offset: 0,
            good_bytes: 0,
            is_over: false,
        }
    }

    /// Where the last good game ended. A file that was cut off within a game can be continued from here.
    pub const fn good_bytes(&self) -> u64 {
        self.good_bytes
    }

    /// Where the next game begins.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    fn read(&mut self) -> Result<Option<F::Game>, F::Fault> {
        let Some((frame, length)) = F::frame(&mut self.input)? else {
            return Ok(None);
        };
        self.offset += length;
        let game = self.format.understand(frame)?;
        self.good_bytes = self.offset;
        Ok(Some(game))
    }
}

impl<R: Read, F: GameFormat> Iterator for GameReader<R, F> {
    type Item = Result<F::Game, GameError<F::Fault>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let offset = self.offset;
        self.games += 1;
        let game = self.read().map_err(|fault| GameError {
            game: self.games,
            offset,
            fault,
        });
        self.is_over = match &game {
            Ok(game) => game.is_none(),
            Err(error) => F::is_fatal(&error.fault),
        };
        game.transpose()
    }
}

/// The move that Apery stores so, which is the one with this number, from 1.
///
/// # Errors
/// The bits are no move, or it is illegal here.
pub(super) fn legal_move(
    position: &Position,
    bits: u16,
    number: usize,
) -> Result<Move, IllegalMove> {
    let stored = from_apery(bits);
    stored
        .and_then(|mv| position.to_move(mv))
        .filter(|&mv| position.pseudo_legal(mv) && position.legal(mv))
        .ok_or_else(|| IllegalMove {
            number,
            text: stored.map_or_else(|| format!("{bits:#06x}"), |mv| mv.to_string()),
            sfen: position.to_sfen(),
        })
}
