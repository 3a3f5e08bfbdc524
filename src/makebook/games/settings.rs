//! What a book is made of, and what came out.

use std::path::{Path, PathBuf};

use crate::book::{BookFormat, Losses};
use crate::records::teacher::{Format, TeacherError};
use crate::types::Color;

/// Which games, and which of their moves, a book is made of.
#[derive(Clone, Debug)]
pub struct GameFilter {
    /// Number of first moves of each game.
    pub plies: usize,
    /// Least rating, which both players must have.
    pub min_rating: Option<f64>,
    /// Least number of games in which a move was played.
    pub min_count: u64,
    /// Whether only the moves of one side are taken.
    pub side: Option<Color>,
}

/// The settings of a run.
#[derive(Clone, Debug)]
pub struct GamesSettings {
    /// Which games and moves.
    pub filter: GameFilter,
    /// Whether values are made of win rates; they are 0 otherwise.
    pub has_values: bool,
    /// Whether games that cannot be read are skipped instead of ending the work.
    pub skips_bad: bool,
    /// Memory for positions in bytes.
    pub memory: u64,
}

/// A file of games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its format.
    pub format: Format,
}

/// What is written.
#[derive(Clone, Copy, Debug)]
pub struct GamesOutput<'a> {
    /// The book.
    pub path: &'a Path,
    /// The format of the book.
    pub format: BookFormat,
    /// A table of results, tabs between columns: position, move, games, wins, draws and losses of
    /// the side to move, games without a result, win rate.
    pub results: Option<&'a Path>,
}

/// The result of a run.
#[derive(Debug, Default)]
pub struct GamesSummary {
    /// Games read.
    pub games: u64,
    /// Games left out because a player's rating is unknown or too low.
    pub low_ratings: u64,
    /// Games that cannot be read: the number of each in its file, and why; at most 10.
    pub bad: Vec<(PathBuf, TeacherError)>,
    /// Number of games that cannot be read.
    pub bad_count: u64,
    /// Positions written.
    pub positions: u64,
    /// What the book could not hold.
    pub losses: Losses,
}
