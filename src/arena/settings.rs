//! What a match is: engines, rules, openings, how many games, and who meets whom in which of them.
//!
//! Everything that decides which games are played is here and is kept with the results, so that a match can go on later
//! and its parts, played on many machines, can be put together.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::openings::OpeningSettings;
use super::referee::Rules;
use super::sprt::Sprt;
use super::time_control::TimeControl;
use crate::runs::Shard;
use crate::types::Color;

/// One engine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EngineSettings {
    /// Its name in the match, different from all others.
    pub name: String,
    /// The program.
    pub path: PathBuf,
    /// Its arguments.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Its working directory, ours if there is none.
    #[serde(default)]
    pub directory: Option<PathBuf>,
    /// Variables added to its environment.
    #[serde(default)]
    pub environment: Vec<(String, String)>,
    /// USI options in the order in which they are set.
    #[serde(default)]
    pub options: Vec<(String, String)>,
    /// How long it may think.
    pub time_control: TimeControl,
}

/// Who meets whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Everybody meets everybody.
    RoundRobin,
    /// The first engine meets each of the others.
    Gauntlet,
}

/// A match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchSettings {
    /// At least two.
    pub engines: Vec<EngineSettings>,
    /// Who meets whom.
    pub format: Format,
    /// Games of each pairing, `None` to go on until the sequential test has an answer.
    pub games: Option<u64>,
    /// The rules.
    pub rules: Rules,
    /// Where the games begin.
    pub openings: OpeningSettings,
    /// Whether engines think on the opponent's time.
    pub ponder: bool,
    /// Whether the referee replays every line that the engines print.
    pub check_pv: bool,
    /// The sequential test that ends the match.
    pub sprt: Option<Sprt>,
    /// The part of the match that is played here, `None` for all of it.
    pub shard: Option<Shard>,
}

/// One game: who, and from which opening.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fixture {
    /// Counted over the whole match.
    pub game: u64,
    /// Indices of the engines, by [`Color::index`].
    pub players: [usize; 2],
    /// Index of the opening.
    pub opening: usize,
}

impl MatchSettings {
    /// The pairings, as indices of engines. The results of a pairing are counted from the view of its first engine.
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

    /// How many pairs of games the whole match has, `u64::MAX` if nothing limits it.
    pub fn pairs(&self) -> u64 {
        let pairings = self.pairings().len() as u64;
        self.games
            .map_or(u64::MAX, |games| games.div_ceil(2).saturating_mul(pairings))
    }

    /// How many games the whole match, or this part of it, has; `None` if nothing limits it.
    pub fn games_here(&self) -> Option<u64> {
        self.games?;
        let games = (0..self.pairs()).filter(|pair| self.is_ours(*pair));
        Some(games.map(|pair| self.pair(pair).len() as u64).sum())
    }

    /// Whether the pair belongs to the part of the match that is played here.
    pub fn is_ours(&self, pair: u64) -> bool {
        self.shard.is_none_or(|shard| shard.has(pair))
    }

    /// The games of a pair: the same opening with the colours swapped. All pairings play an opening before the next one
    /// comes, so that an interrupted match is a fair one.
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

    /// The game with that number.
    pub fn fixture(&self, game: u64) -> Option<Fixture> {
        if game / 2 >= self.pairs() {
            return None;
        }
        self.pair(game / 2)
            .into_iter()
            .find(|fixture| fixture.game == game)
    }

    /// How many openings the whole match needs, `None` if nothing limits it.
    pub fn openings_needed(&self) -> Option<u64> {
        self.games.map(|games| games.div_ceil(2))
    }

    /// What hinders games between these settings and those of the journal from counting together, in words; `None` if
    /// nothing does. The number of games, the sequential test and the part played may differ.
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
    /// The colour of the engine with that index.
    pub fn color_of(&self, engine: usize) -> Option<Color> {
        [Color::Black, Color::White]
            .into_iter()
            .find(|color| self.players[color.index()] == engine)
    }

    /// Whether the second game of its pair, with the colours swapped.
    pub const fn is_second(&self) -> bool {
        self.game % 2 == 1
    }
}

#[cfg(test)]
mod tests;
