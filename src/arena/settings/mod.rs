//! The settings of a match: engines, rules, openings, number of games, and the schedule of the
//! games.
//!
//! They decide which games are played. They are kept with the results, so that a match can be
//! resumed and its shards, played on different machines, can be merged.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::openings::OpeningSettings;
use super::referee::Rules;
use super::sprt::Sprt;
use super::time_control::TimeControl;
use crate::runs::Shard;
use crate::types::Color;

/// The settings of one engine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EngineSettings {
    /// Name in the match, unique among the engines.
    pub name: String,
    /// Path of the program.
    pub path: PathBuf,
    /// Command-line arguments of the program.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Working directory, `None` for that of this process.
    #[serde(default)]
    pub directory: Option<PathBuf>,
    /// Variables that are added to the environment.
    #[serde(default)]
    pub environment: Vec<(String, String)>,
    /// USI options, in the order in which they are set.
    #[serde(default)]
    pub options: Vec<(String, String)>,
    /// Time control and search limits.
    pub time_control: TimeControl,
}

/// The pairings of a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Each engine plays against each other engine.
    RoundRobin,
    /// The first engine plays against each of the others.
    Gauntlet,
}

/// The settings of a match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchSettings {
    /// The engines, at least two.
    pub engines: Vec<EngineSettings>,
    /// Which pairings are played.
    pub format: Format,
    /// Number of games of each pairing; `None` to play until the sequential test ends.
    pub games: Option<u64>,
    /// The rules of the games.
    pub rules: Rules,
    /// The openings of the games.
    pub openings: OpeningSettings,
    /// Whether engines ponder.
    pub ponder: bool,
    /// Whether the referee replays every PV line that the engines print.
    pub check_pv: bool,
    /// The sequential test that ends the match, if there is one.
    pub sprt: Option<Sprt>,
    /// The shard that is played here, `None` for the whole match.
    pub shard: Option<Shard>,
}

/// One scheduled game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fixture {
    /// Number of the game in the whole match, from 0.
    pub game: u64,
    /// Indices of the engines, by [`Color::index`].
    pub players: [usize; 2],
    /// Index of the opening.
    pub opening: usize,
}

impl MatchSettings {
    /// The pairings, as indices of engines. Results of a pairing are counted from the view of its
    /// first engine.
    pub fn pairings(&self) -> Vec<[usize; 2]> {
        let count = self.engines.len();
        let firsts = match self.format {
            Format::RoundRobin => count,
            Format::Gauntlet => 1,
        };
        (0..firsts.min(count))
            .flat_map(|first| (first + 1..count).map(move |second| [first, second]))
            .collect()
    }

    /// Number of game pairs of the whole match, `u64::MAX` if nothing limits it.
    pub fn pairs(&self) -> u64 {
        let pairings = self.pairings().len() as u64;
        self.games
            .map_or(u64::MAX, |games| games.div_ceil(2).saturating_mul(pairings))
    }

    /// Number of games of this shard, or of the whole match without one; `None` if nothing limits
    /// it.
    pub fn games_here(&self) -> Option<u64> {
        let games = self.games?;
        let (pairs, pairings) = (self.pairs(), self.pairings().len() as u64);
        let ours = |end: u64| self.shard.map_or(end, |shard| shard.share_of(end));
        // With an odd number of games the pairs of the last opening have one game each.
        let single = if games % 2 == 1 {
            ours(pairs) - ours(pairs - pairings.min(pairs))
        } else {
            0
        };
        Some(2 * ours(pairs) - single)
    }

    /// Whether the pair is played here.
    pub fn is_ours(&self, pair: u64) -> bool {
        self.shard.is_none_or(|shard| shard.has(pair))
    }

    /// The games of a pair: the same opening with colours swapped. All pairings play an opening
    /// before the next opening begins, so that an interrupted match is balanced.
    pub fn pair(&self, pair: u64) -> Vec<Fixture> {
        let pairings = self.pairings();
        let round = pair / pairings.len() as u64;
        let [first, second] = pairings[(pair % pairings.len() as u64) as usize];
        let games = self.games.unwrap_or(u64::MAX) - 2 * round;
        [[first, second], [second, first]]
            .into_iter()
            .enumerate()
            .take(games.min(2) as usize)
            .map(|(swapped, players)| Fixture {
                game: 2 * pair + swapped as u64,
                players,
                opening: round as usize,
            })
            .collect()
    }

    /// The game with this number, `None` if the match does not have it.
    pub fn fixture(&self, game: u64) -> Option<Fixture> {
        if game / 2 >= self.pairs() {
            return None;
        }
        self.pair(game / 2)
            .into_iter()
            .find(|fixture| fixture.game == game)
    }

    /// Number of openings that the whole match needs, `None` if nothing limits it.
    pub fn openings_needed(&self) -> Option<u64> {
        self.games.map(|games| games.div_ceil(2))
    }

    /// The first difference that makes games of these settings incompatible with those of `other`;
    /// `None` if they can be counted together. The number of games, the sequential test and the
    /// shard may differ.
    pub fn difference(&self, other: &Self) -> Option<String> {
        let mine: Vec<&str> = self.engines.iter().map(|e| e.name.as_str()).collect();
        let theirs: Vec<&str> = other.engines.iter().map(|e| e.name.as_str()).collect();
        if mine != theirs {
            return Some(format!("engines {mine:?} instead of {theirs:?}"));
        }
        for (mine, theirs) in self.engines.iter().zip(&other.engines) {
            if mine != theirs {
                return Some(format!("engine {} has other settings", mine.name));
            }
        }
        let parts = [
            ("the format differs", self.format == other.format),
            ("the rules differ", self.rules == other.rules),
            ("the openings differ", self.openings == other.openings),
            ("pondering differs", self.ponder == other.ponder),
        ];
        parts
            .iter()
            .find(|(_, is_equal)| !is_equal)
            .map(|(difference, _)| (*difference).to_owned())
    }
}

impl Fixture {
    /// The colour of the engine with this index, `None` if it does not play.
    pub fn color_of(&self, engine: usize) -> Option<Color> {
        [Color::Black, Color::White]
            .into_iter()
            .find(|color| self.players[color.index()] == engine)
    }

    /// Whether this is the second game of its pair, with colours swapped.
    pub const fn is_second(&self) -> bool {
        self.game % 2 == 1
    }
}

#[cfg(test)]
mod tests;
