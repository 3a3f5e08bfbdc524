//! The settings of a match: engines, rules, openings, number of games, and the schedule of the
//! games.
//!
//! They decide which games are played. They are kept with the results, so that a match can be
//! resumed and its shards, played on different machines, can be merged.

use serde::{Deserialize, Serialize};

use super::referee::Rules;
use super::sprt::Sprt;
use super::time_control::TimeControl;
use crate::openings::OpeningSettings;
use crate::runs::{Shard, difference};
use crate::types::Color;
use crate::usi::client::Program;

/// The settings of one engine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EngineSettings {
    /// Name in the match, unique among the engines.
    pub name: String,
    /// The command line of the engine.
    #[serde(flatten)]
    pub program: Program,
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
    /// The sequential test that ends the match, if there is one.
    pub sprt: Option<Sprt>,
    /// The shard that is played here, `None` for the whole match.
    pub shard: Option<Shard>,
}

/// A game of the schedule: who plays whom, from which opening.
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
        let games = |settings: &Self| Self {
            games: None,
            sprt: None,
            shard: None,
            ..settings.clone()
        };
        difference(&games(self), &games(other))
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
mod tests {
    use super::*;
    use crate::arena::referee::Adjudication;
    use crate::arena::tests::settings;

    const FOUR: [&str; 4] = ["a", "b", "c", "d"];

    type Change = dyn Fn(&mut MatchSettings);

    /// All games in the order of their numbers.
    fn fixtures(settings: &MatchSettings) -> Vec<Fixture> {
        (0..settings.pairs())
            .flat_map(|pair| settings.pair(pair))
            .collect()
    }

    #[test]
    fn each_format_has_its_pairings() {
        let mut settings = settings(&FOUR, Some(2));
        assert_eq!(
            settings.pairings(),
            [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
        );
        settings.format = Format::Gauntlet;
        assert_eq!(settings.pairings(), [[0, 1], [0, 2], [0, 3]]);
        settings.engines.truncate(2);
        assert_eq!(settings.pairings(), [[0, 1]]);
    }

    #[test]
    fn games_are_numbered_pair_by_pair() {
        let mut settings = settings(&["a", "b", "c"], Some(4));
        settings.format = Format::Gauntlet;
        let games: Vec<_> = fixtures(&settings)
            .iter()
            .map(|fixture| (fixture.game, fixture.players, fixture.opening))
            .collect();
        let expected = [
            (0, [0, 1], 0),
            (1, [1, 0], 0),
            (2, [0, 2], 0),
            (3, [2, 0], 0),
            (4, [0, 1], 1),
            (5, [1, 0], 1),
            (6, [0, 2], 1),
            (7, [2, 0], 1),
        ];
        assert_eq!(games, expected);
        assert_eq!(settings.games_here(), Some(8));
        assert_eq!(settings.openings_needed(), Some(2));
    }

    #[test]
    fn every_game_is_found_by_its_number() {
        for games in 1..8 {
            for format in [Format::RoundRobin, Format::Gauntlet] {
                let mut settings = settings(&FOUR, Some(games));
                settings.format = format;
                let all = fixtures(&settings);
                for fixture in &all {
                    assert_eq!(settings.fixture(fixture.game), Some(*fixture));
                }
                let found = (0..100).filter(|game| settings.fixture(*game).is_some());
                assert_eq!(found.count(), all.len());
                assert_eq!(all.len() as u64, games * settings.pairings().len() as u64);
                assert_eq!(settings.games_here(), Some(all.len() as u64));
            }
        }
    }

    #[test]
    fn an_odd_game_has_no_partner() {
        let settings = settings(&["a", "b"], Some(5));
        assert_eq!(settings.pairs(), 3);
        let last = settings.pair(2);
        let game = Fixture {
            game: 4,
            players: [0, 1],
            opening: 2,
        };
        assert_eq!(last, [game]);
        assert_eq!(settings.fixture(5), None);
        assert_eq!(settings.openings_needed(), Some(3));
    }

    #[test]
    fn a_match_may_have_no_end() {
        let mut settings = settings(&["a", "b"], None);
        assert_eq!(settings.games_here(), None);
        assert_eq!(settings.openings_needed(), None);
        assert_eq!(settings.pair(1_000_000).len(), 2);
        let fixture = settings.fixture(2_000_001).unwrap();
        assert_eq!((fixture.players, fixture.opening), ([1, 0], 1_000_000));
        settings.shard = Some(Shard { index: 0, count: 2 });
        assert_eq!(settings.games_here(), None);
    }

    #[test]
    fn parts_are_the_whole_without_overlap() {
        for games in [1, 4, 7] {
            for count in [1, 2, 3, 50] {
                let whole = settings(&FOUR, Some(games));
                let mut played = Vec::new();
                for index in 0..count {
                    let shard = Some(Shard { index, count });
                    let part = MatchSettings {
                        shard,
                        ..whole.clone()
                    };
                    let before = played.len();
                    let ours = (0..part.pairs()).filter(|pair| part.is_ours(*pair));
                    played.extend(ours.flat_map(|pair| part.pair(pair)));
                    assert_eq!(part.games_here(), Some((played.len() - before) as u64));
                }
                played.sort_by_key(|fixture| fixture.game);
                assert_eq!(played, fixtures(&whole), "{games} games in {count} parts");
            }
        }
    }

    #[test]
    fn a_fixture_knows_its_colours() {
        let settings = settings(&["a", "b", "c"], Some(2));
        let fixture = settings.fixture(3).unwrap();
        assert_eq!((fixture.players, fixture.is_second()), ([2, 0], true));
        assert_eq!(fixture.color_of(2), Some(Color::Black));
        assert_eq!(fixture.color_of(0), Some(Color::White));
        assert_eq!(fixture.color_of(1), None);
    }

    #[test]
    fn what_decides_the_games_must_not_differ() {
        let whole = settings(&["a", "b"], Some(4));
        let first_difference = |change: &Change| {
            let mut changed = whole.clone();
            change(&mut changed);
            changed.difference(&whole)
        };
        let hindrances: [(&Change, &str); 8] = [
            (
                &|m| m.engines[1].name = "x".to_owned(),
                r#"engines[1].name is "x" instead of "b""#,
            ),
            (&|m| m.engines.truncate(1), "engines[1] is none instead of"),
            (
                &|m| m.engines[0].options.clear(),
                "engines[0].options[0] is none instead of",
            ),
            (
                &|m| m.engines[1].time_control.depth = Some(3),
                "engines[1].time_control.depth is 3 instead of none",
            ),
            (&|m| m.format = Format::Gauntlet, "format is \"gauntlet\""),
            (
                &|m| {
                    m.rules.draw_adjudication = Some(Adjudication {
                        score: 1,
                        moves: 1,
                        from: 0,
                    });
                },
                "rules.draw_adjudication is {",
            ),
            (&|m| m.openings.seed = 2, "openings.seed is 2 instead of 1"),
            (&|m| m.ponder = true, "ponder is true instead of false"),
        ];
        for (change, expected) in hindrances {
            let said =
                first_difference(change).unwrap_or_else(|| panic!("{expected}: no difference"));
            assert!(said.starts_with(expected), "{said}");
        }
        let allowed: [&Change; 3] = [
            &|m| m.games = None,
            &|m| m.sprt = Some(Sprt::default()),
            &|m| m.shard = Some(Shard { index: 1, count: 2 }),
        ];
        for change in allowed {
            assert_eq!(first_difference(change), None);
        }
    }
}
