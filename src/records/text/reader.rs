//! Reads the games of a file.

use thiserror::Error;

use super::format::TextFormat;
use crate::records::csa::{self, CsaError};
use crate::records::encoding::decode;
use crate::records::game::{Ending, GameRecord, RecordedMove};
use crate::records::jkf::{self, JkfError};
use crate::records::kif::{self, KifError};
use crate::records::sfen_line::{SfenLine, SfenLineError};

/// A game that cannot be read.
#[derive(Debug, Error)]
#[error("game {game}: {fault}")]
pub struct TextError {
    /// The number of the game in its file, from 1.
    pub game: usize,
    /// What is wrong with it, and where.
    pub fault: TextFault,
}

/// What is wrong with a game. Lines are counted from the beginning of the file.
#[derive(Debug, Error)]
pub enum TextFault {
    /// A game of CSA.
    #[error("{0}")]
    Csa(CsaError),
    /// A game of KIF or KI2.
    #[error("{0}")]
    Kif(KifError),
    /// A game of JKF.
    #[error("{0}")]
    Jkf(JkfError),
    /// A line of USI.
    #[error("line {line}: {error}")]
    Usi {
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        error: SfenLineError,
    },
    /// There is nothing in the file.
    #[error("the file is empty")]
    Blank,
    /// There is no game in the file.
    #[error("no game in the file, expected one of {0}")]
    Empty(TextFormat),
}

impl TextFormat {
    /// Reads the games of a file, whatever its encoding. A game that cannot be read does not stop
    /// those after it. At least one game or error is returned.
    pub fn read(self, bytes: &[u8]) -> Vec<Result<GameRecord, TextError>> {
        self.read_text(&decode(bytes))
    }

    /// As [`Self::read`], of a file whose name stands for this format. If it holds no game of the
    /// format, it may have another name than it should: then its content looks like `other`.
    pub fn read_or(self, other: Self, text: &str) -> Vec<Result<GameRecord, TextError>> {
        let games = self.read_text(text);
        if other == self || games.iter().any(Result::is_ok) {
            return games;
        }
        let others = other.read_text(text);
        if others.iter().any(Result::is_ok) {
            others
        } else {
            games
        }
    }

    /// As [`Self::read`], of a text that is decoded.
    pub fn read_text(self, text: &str) -> Vec<Result<GameRecord, TextError>> {
        let text = text.trim_start_matches('\u{feff}');
        let games = match self {
            _ if text.trim().is_empty() => vec![Err(TextFault::Blank)],
            Self::Csa => games_of_csa(text),
            Self::Kif | Self::Ki2 => vec![kif::read(text).map_err(TextFault::Kif)],
            Self::Jkf => vec![jkf::read(text).map_err(TextFault::Jkf)],
            Self::Usi => games_of_usi(text),
        };
        let games = if games.is_empty() {
            vec![Err(TextFault::Empty(self))]
        } else {
            games
        };
        let numbered = games.into_iter().zip(1..);
        numbered
            .map(|(game, number)| {
                game.map_err(|fault| TextError {
                    game: number,
                    fault,
                })
            })
            .collect()
    }
}

fn games_of_csa(text: &str) -> Vec<Result<GameRecord, TextFault>> {
    let games = csa::read_each(text).into_iter();
    games.map(|game| game.map_err(TextFault::Csa)).collect()
}

fn games_of_usi(text: &str) -> Vec<Result<GameRecord, TextFault>> {
    let lines = (1..).zip(text.lines().map(str::trim));
    let games = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    games
        .map(|(line, text)| game_of_line(text).map_err(|error| TextFault::Usi { line, error }))
        .collect()
}

/// Reads a line of USI, whose last word may be its result.
fn game_of_line(text: &str) -> Result<GameRecord, SfenLineError> {
    let line: SfenLine = text.parse()?;
    let position = line.position();
    let by_rules = csa::ending_by_the_rules(&position);
    let ending = match text.split_whitespace().next_back() {
        Some("resign") if by_rules != Ending::Checkmate => Ending::Resignation,
        Some("win") if by_rules == Ending::Unfinished => Ending::Declaration,
        Some("draw") if by_rules == Ending::Unfinished => Ending::AdjudicatedDraw,
        _ => by_rules,
    };
    Ok(GameRecord {
        moves: line.moves.into_iter().map(RecordedMove::from).collect(),
        ending,
        ..GameRecord::new(line.start)
    })
}
