//! Results of the games, and their sums.

#![expect(clippy::cast_precision_loss, reason = "figures for people")]

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::outcome::Reason;
use super::series::Place;
use crate::types::Color;
use crate::util::counted;

/// A line of the journal: a finished game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// The number of the game, from 0, over all shards.
    pub game: u64,
    /// The number of the file that holds it, from 1.
    pub file: u32,
    /// The size of that file after the game, in bytes.
    pub end: u64,
    /// Positions written.
    pub written: u64,
    /// Positions searched.
    pub plies: u64,
    /// Positions left out because another game had them.
    pub repeated: u64,
    /// Nodes of all searches, including those that judged openings.
    pub nodes: u64,
    /// Openings rejected.
    pub rejected: u64,
    /// `None` for a draw.
    pub winner: Option<Color>,
    /// The reason of the result.
    pub reason: Reason,
    /// Whether it is an entering-king game.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub entering_king: bool,
    /// The inner nodes of its searches, in a run that writes them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trees: Option<TreeEntry>,
}

/// The inner nodes of the searches of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TreeEntry {
    /// Nodes written.
    pub positions: u64,
    /// The place behind them.
    pub place: Place,
}

/// Sums over games.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Finished games.
    pub games: u64,
    /// Positions in the files.
    pub written: u64,
    /// Inner nodes of searches in the files.
    pub tree_positions: u64,
    /// Positions searched.
    pub plies: u64,
    /// Positions left out because another game had them.
    pub repeated: u64,
    /// Nodes of all searches.
    pub nodes: u64,
    /// Openings rejected.
    pub rejected: u64,
    /// Entering-king games.
    pub entering_kings: u64,
    /// Games won, by [`Color::index`].
    pub wins: [u64; Color::NUM],
    /// Games by the reason of their result.
    pub reasons: BTreeMap<Reason, u64>,
}

impl Tally {
    /// Adds a game.
    pub fn add(&mut self, entry: &Entry) {
        self.games += 1;
        self.written += entry.written;
        self.tree_positions += entry.trees.map_or(0, |trees| trees.positions);
        self.plies += entry.plies;
        self.repeated += entry.repeated;
        self.nodes += entry.nodes;
        self.rejected += entry.rejected;
        self.entering_kings += u64::from(entry.entering_king);
        if let Some(winner) = entry.winner {
            self.wins[winner.index()] += 1;
        }
        *self.reasons.entry(entry.reason).or_default() += 1;
    }

    /// Games without a winner.
    pub fn draws(&self) -> u64 {
        self.games - self.wins.iter().sum::<u64>()
    }
}

/// In one line: `1234 games, black 48.2 %, white 49.1 %, draws 2.7 %, 97 positions a game`.
impl fmt::Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let games = self.games.max(1) as f64;
        let percent = |count: u64| count as f64 * 100.0 / games;
        write!(
            formatter,
            "{}, black {:.1} %, white {:.1} %, draws {:.1} %, {:.0} positions a game",
            counted(self.games, "game"),
            percent(self.wins[Color::Black.index()]),
            percent(self.wins[Color::White.index()]),
            percent(self.draws()),
            self.written as f64 / games,
        )?;
        if self.entering_kings > 0 {
            let percent = percent(self.entering_kings);
            write!(formatter, ", {percent:.1} % with entering kings")?;
        }
        if self.tree_positions > 0 {
            let each = self.tree_positions as f64 / self.plies.max(1) as f64;
            write!(
                formatter,
                ", {} of search trees, {each:.1} a search",
                counted(self.tree_positions, "position")
            )?;
        }
        if self.repeated > 0 {
            let searched = self.plies.max(1) as f64;
            let percent = self.repeated as f64 * 100.0 / searched;
            write!(formatter, ", {percent:.2} % repeated")?;
        }
        Ok(())
    }
}
