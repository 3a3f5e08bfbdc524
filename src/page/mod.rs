//! Web pages that show games on a board: an analysis, a match, solutions of mate problems. Each is
//! one file that needs no network and no other file, at most about 1 MB for a game of 150 plies.
//!
//! A page is a template with styles, a script and the data as JSON. The script draws the board, the
//! graph and the lists; Rust writes what needs the rules of shogi. Everything that comes from a
//! file, such as names, goes through [`json_text`] and enters the page as text, never as HTML.
//!
//! | Part | What it is |
//! |---|---|
//! | [`Page`] | the data of a page; [`Page::html`] is the page |
//! | [`Game`] | a game with what is known of its moves |
//! | [`Match`] | what the page of a match has besides its games |
//! | `assets/` | template, styles, script |

mod game;
mod html;
mod moves;
#[cfg(test)]
mod tests;

use serde::Serialize;

use crate::analysis::Thresholds;
use crate::lang::Lang;

pub use game::{Game, Line, Player};
pub use html::json_text;
pub use moves::move_list;

/// The language in which a page opens; its reader can change it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Japanese.
    Ja,
    /// English.
    En,
}

impl From<Lang> for Language {
    fn from(lang: Lang) -> Self {
        match lang {
            Lang::En => Self::En,
            Lang::Ja => Self::Ja,
        }
    }
}

/// What a page is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Analysed games.
    Analysis,
    /// A match between engines.
    Match,
    /// Mate problems with their solutions.
    Mate,
}

/// The data of a page.
#[derive(Clone, Debug, Serialize)]
pub struct Page {
    /// What it is about.
    pub kind: Kind,
    /// The title.
    pub title: String,
    /// The language in which it opens.
    pub lang: Language,
    /// Name and version of the program.
    pub program: &'static str,
    /// How the positions were searched, in words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub effort: String,
    /// From which loss moves of an analysis have their names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thresholds: Option<Thresholds>,
    /// The games, or the solutions.
    pub games: Vec<Game>,
    /// The result of the match.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    pub of_match: Option<Match>,
}

/// The result of a match.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Match {
    /// The engines.
    pub engines: Vec<String>,
    /// Results of the pairings, from the view of the first engine.
    pub pairings: Vec<Pairing>,
    /// The first pairing after some number of its games: that number, the Elo difference, and both
    /// ends of its 95 % interval.
    pub course: Vec<(u64, f64, f64, f64)>,
    /// Games that are not on the page.
    pub left_out: usize,
}

/// The results of two engines against each other.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Pairing {
    /// The engines, as indices.
    pub engines: [usize; 2],
    /// Wins, draws and losses of the first.
    pub wdl: [u64; 3],
    /// Elo difference and half its 95 % interval, where finite.
    pub elo: Option<[f64; 2]>,
}

/// Name and version of this program.
pub const PROGRAM: &str = concat!("Raicho ", env!("CARGO_PKG_VERSION"));
