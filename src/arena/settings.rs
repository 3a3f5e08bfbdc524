//! The settings of a match: engines, rules, openings, number of games, and the schedule of the
//! games.
//!
//! They decide which games are played. They are kept with the results, so that a match can be
//! resumed and its shards, played on different machines, can be merged.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::time_control::{PER_MOVE, TimeControl, doubt_base_and_increment};
use super::{referee::Rules, statistics::Sprt, time_control::parse_base_and_increment};
use crate::runs::{Shard, difference};
use crate::util::{free_name, parse_positive};
use crate::{openings::OpeningSettings, types::Color, usi::client::Program};

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
    /// Whether engines think on the opponent's time.
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
        self.games.map_or(u64::MAX, |games| games.div_ceil(2).saturating_mul(pairings))
    }

    /// Number of games of this shard, or of the whole match without one; `None` if nothing limits
    /// it.
    pub fn games_here(&self) -> Option<u64> {
        let games = self.games?;
        let (pairs, pairings) = (self.pairs(), self.pairings().len() as u64);
        let ours = |end: u64| self.shard.map_or(end, |shard| shard.share_of(end));
        // With an odd number of games the pairs of the last opening have one game each.
        let single =
            if games % 2 == 1 { ours(pairs) - ours(pairs - pairings.min(pairs)) } else { 0 };
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
        let mut pair = self.pair(game / 2).into_iter();
        pair.find(|fixture| fixture.game == game)
    }

    /// Number of openings that the whole match needs, `None` if nothing limits it.
    pub fn openings_needed(&self) -> Option<u64> {
        self.games.map(|games| games.div_ceil(2))
    }

    /// The first difference that makes games of these settings incompatible with those of `other`;
    /// `None` if they can be counted together. The number of games, the sequential test and the
    /// shard may differ.
    pub fn difference(&self, other: &Self) -> Option<String> {
        let games =
            |settings: &Self| Self { games: None, sprt: None, shard: None, ..settings.clone() };
        difference(&games(self), &games(other))
    }
}

impl Fixture {
    /// The colour of the engine with this index, `None` if it does not play.
    pub fn color_of(&self, engine: usize) -> Option<Color> {
        let mut colors = Color::ALL.into_iter();
        colors.find(|color| self.players[color.index()] == engine)
    }

    /// Whether this is the second game of its pair, with colours swapped.
    pub const fn is_second(&self) -> bool {
        self.game % 2 == 1
    }
}

// --- Engines as text ---
//
// The text that describes an engine on a command line, such as
// `cmd=./engine,name=new,option.USI_Hash=64,tc=10+0.1`.
//
// Parts are separated by commas; a comma inside a value is written `\,`.

/// The content of an engine text; parts that are missing have the default of their type.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EngineText {
    /// `cmd=`: the program, optionally followed by arguments.
    pub command: Option<String>,
    /// `name=`: the name in the match.
    pub name: Option<String>,
    /// `args=`: arguments of the program, separated by spaces.
    pub arguments: Vec<String>,
    /// `dir=`: working directory, `None` for that of this process.
    pub directory: Option<PathBuf>,
    /// `env.NAME=`: environment variables, in their order in the text.
    pub environment: Vec<(String, String)>,
    /// `option.NAME=`: USI options, in the order in which they are set.
    pub options: Vec<(String, String)>,
    /// `tc=`, `byoyomi=`, `movetime=`, `nodes=`, `depth=` and `nodes-time=`.
    pub time_control: TimeControl,
    /// Questions about absurd numbers without a unit.
    pub doubts: Vec<String>,
}

const KEYS: &str = "expected cmd=PROGRAM, name=NAME, args=WORDS, dir=FOLDER, env.NAME=VALUE, \
    option.NAME=VALUE, tc=BASE+INCREMENT, byoyomi=TIME, movetime=TIME, nodes=N, depth=N or \
    nodes-time=N";

impl FromStr for EngineText {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut engine = Self::default();
        for part in parts(text).iter().filter(|part| !part.trim().is_empty()) {
            let wrong = |expected: String| format!("'{part}' in the engine '{text}': {expected}");
            let (key, value) = part.split_once('=').ok_or_else(|| wrong(KEYS.to_owned()))?;
            engine.set(key.trim(), value).map_err(wrong)?;
        }
        Ok(engine)
    }
}

impl EngineText {
    /// Sets the field `key`. The error says what was expected.
    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let control = &mut self.time_control;
        match key {
            "cmd" => self.command = Some(value.to_owned()),
            "name" => self.name = Some(value.trim().to_owned()),
            "args" => self.arguments = value.split_whitespace().map(str::to_owned).collect(),
            "dir" => self.directory = Some(PathBuf::from(value)),
            "tc" => {
                (control.base, control.increment) = parse_base_and_increment(value)?;
                self.doubts.extend(doubt_base_and_increment(value));
            }
            "byoyomi" => control.byoyomi = PER_MOVE.parse(value)?,
            "movetime" => control.movetime = Some(PER_MOVE.parse(value)?),
            "nodes" => control.nodes = Some(parse_positive(value)?),
            "depth" => control.depth = Some(parse_positive(value)?),
            "nodes-time" => control.nodes_time = Some(parse_positive(value)?),
            _ => match key.split_once('.') {
                Some(("option", name)) if !name.is_empty() => {
                    self.options.retain(|(set, _)| set != name);
                    self.options.push((name.to_owned(), value.to_owned()));
                }
                Some(("env", name)) if !name.is_empty() => {
                    self.environment.push((name.to_owned(), value.to_owned()));
                }
                _ => return Err(KEYS.to_owned()),
            },
        }
        if ["byoyomi", "movetime"].contains(&key) {
            self.doubts.extend(PER_MOVE.doubt(value));
        }
        Ok(())
    }

    /// This text, with everything that it leaves out taken from `each`.
    #[must_use]
    pub fn or(mut self, each: &Self) -> Self {
        self.command = self.command.or_else(|| each.command.clone());
        if self.arguments.is_empty() {
            self.arguments.clone_from(&each.arguments);
        }
        self.directory = self.directory.or_else(|| each.directory.clone());
        let own = |list: &[(String, String)], name: &str| list.iter().any(|(set, _)| set == name);
        for (inherited, list) in
            [(&each.options, &mut self.options), (&each.environment, &mut self.environment)]
        {
            let more = inherited.iter().filter(|(name, _)| !own(list, name));
            let mut all: Vec<_> = more.cloned().collect();
            all.append(list);
            *list = all;
        }
        self.time_control = each.time_control.overridden_by(self.time_control);
        self
    }

    /// The program with its arguments; `None` without a command.
    pub fn program(&self) -> Option<Program> {
        let command = self.command.as_deref()?;
        if command.trim().is_empty() {
            return None;
        }
        let (path, mut arguments) = split_command(command);
        arguments.extend(self.arguments.iter().cloned());
        Some(Program {
            path,
            arguments,
            directory: self.directory.clone(),
            environment: self.environment.clone(),
            withheld: Vec::new(),
        })
    }

    /// The settings of the engines. Engines without a name are named after their program, with a
    /// number where necessary.
    ///
    /// # Errors
    /// The message says which engine has no command or no time control, or which name occurs twice.
    pub fn engines(texts: &[Self]) -> Result<Vec<EngineSettings>, String> {
        let mut engines: Vec<EngineSettings> = Vec::new();
        for (index, text) in texts.iter().enumerate() {
            let number = index + 1;
            let program = text
                .program()
                .ok_or_else(|| format!("engine {number} has no command, expected cmd=PROGRAM"))?;
            if text.time_control.is_empty() {
                let command = text.command.as_deref().unwrap_or_default();
                return Err(format!(
                    "engine {number} ({command}) has no time control (--tc 0+0 is none), \
                    expected --tc, --byoyomi, --movetime, --nodes or --depth"
                ));
            }
            if text.time_control.nodes_time.is_some() && !text.time_control.has_clock() {
                return Err(format!(
                    "engine {number} has nodes-time= without a clock, expected --tc or --byoyomi \
                    too"
                ));
            }
            let is_taken = |name: &str| engines.iter().any(|engine| engine.name == name);
            let name = match &text.name {
                Some(name) if is_taken(name) => {
                    return Err(format!("two engines have the name {name}"));
                }
                Some(name) if !name.is_empty() => name.clone(),
                _ => {
                    let path = &program.path;
                    let stem = path.file_stem().unwrap_or(path.as_os_str());
                    free_name(&stem.to_string_lossy(), is_taken)
                }
            };
            engines.push(EngineSettings {
                name,
                program,
                options: text.options.clone(),
                time_control: text.time_control,
            });
        }
        Ok(engines)
    }
}

/// Splits a command into the program and its arguments, unless the whole command is a file.
fn split_command(command: &str) -> (PathBuf, Vec<String>) {
    if Path::new(command).exists() {
        return (PathBuf::from(command), Vec::new());
    }
    let mut words = command.split_whitespace();
    let program = words.next().unwrap_or(command);
    (PathBuf::from(program), words.map(str::to_owned).collect())
}

/// Splits at commas that are not preceded by a backslash.
fn parts(text: &str) -> Vec<String> {
    let (mut parts, mut part) = (Vec::new(), String::new());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' if characters.peek() == Some(&',') => part.extend(characters.next()),
            ',' => parts.push(std::mem::take(&mut part)),
            _ => part.push(character),
        }
    }
    parts.push(part);
    parts
}

#[cfg(test)]
mod engine_text_tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn every_part_is_read() {
        let engine: EngineText =
            "cmd=./engine,name=new,args=--quiet x,dir=/tmp,env.A=b,option.EvalDir=a\\,b=c,\
             option.Threads=2,tc=10+0.1,byoyomi=500ms"
                .parse()
                .unwrap();
        assert_eq!(engine.command.as_deref(), Some("./engine"));
        assert_eq!(engine.name.as_deref(), Some("new"));
        assert_eq!(engine.arguments, ["--quiet", "x"]);
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(engine.environment, [pair("A", "b")]);
        let expected = [pair("EvalDir", "a,b=c"), pair("Threads", "2")];
        assert_eq!(engine.options, expected);
        assert_eq!(engine.time_control.base, Duration::from_secs(10));
        assert_eq!(engine.time_control.byoyomi, Duration::from_millis(500));
    }

    #[test]
    fn errors_name_the_part() {
        for (text, part) in [
            ("cmd=a,hash=3", "'hash=3'"),
            ("cmd=a,oops", "'oops'"),
            ("cmd=a,nodes=0", "'nodes=0'"),
            ("cmd=a,tc=1+x", "'tc=1+x'"),
            ("cmd=a,option.=1", "'option.=1'"),
        ] {
            let error = text.parse::<EngineText>().unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn absurd_times_are_doubted() {
        let engine: EngineText = "cmd=a,tc=60000+1,byoyomi=30,movetime=500".parse().unwrap();
        assert_eq!(
            engine.doubts,
            [
                "60000 is 60000 seconds, 60000ms would be milliseconds",
                "500 is 500 seconds, 500ms would be milliseconds",
            ]
        );
    }

    #[test]
    fn what_is_not_said_comes_from_each() {
        let each = "option.Threads=1,option.USI_Hash=16,nodes=5000";
        let each: EngineText = each.parse().unwrap();
        let own: EngineText = "cmd=x,option.Threads=2".parse().unwrap();
        let engine = own.or(&each);
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let expected = [pair("USI_Hash", "16"), pair("Threads", "2")];
        assert_eq!(engine.options, expected);
        assert_eq!(engine.time_control.nodes, Some(5000));
    }

    #[test]
    fn names_differ_and_commands_are_needed() {
        let text = |text: &str| text.parse::<EngineText>().unwrap();
        let engines = EngineText::engines(&[text("cmd=bin/a,depth=1"), text("cmd=bin/a,depth=2")]);
        let names: Vec<String> = engines.unwrap().into_iter().map(|e| e.name).collect();
        assert_eq!(names, ["a", "a-2"]);
        assert!(EngineText::engines(&[text("name=a,depth=1")]).is_err());
        assert!(EngineText::engines(&[text("cmd=a")]).is_err());
        let twice = ["cmd=a,name=x,depth=1", "cmd=b,name=x,depth=1"].map(text);
        assert!(EngineText::engines(&twice).is_err());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::tests::settings;

    const FOUR: [&str; 4] = ["a", "b", "c", "d"];

    type Change = dyn Fn(&mut MatchSettings);

    /// All games in the order of their numbers.
    fn fixtures(settings: &MatchSettings) -> Vec<Fixture> {
        (0..settings.pairs()).flat_map(|pair| settings.pair(pair)).collect()
    }

    #[test]
    fn each_format_has_its_pairings() {
        let mut settings = settings(&FOUR, Some(2));
        let expected = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
        assert_eq!(settings.pairings(), expected);
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
        let game = Fixture { game: 4, players: [0, 1], opening: 2 };
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
                    let part = MatchSettings { shard, ..whole.clone() };
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
        let hindrances: [(&Change, &str); 8] = cases! {
            &|m| m.engines[1].name = "x".to_owned() => r#"engines[1].name is "x" instead of "b""#;
            &|m| m.engines.truncate(1) => "engines[1] is none instead of";
            &|m| m.engines[0].options.clear() => "engines[0].options[0] is none instead of";
            &|m| m.engines[1].time_control.depth = Some(3) =>
                "engines[1].time_control.depth is 3 instead of none";
            &|m| m.format = Format::Gauntlet => "format is \"gauntlet\"";
            &|m| m.rules.draw_adjudication = "score=1 moves=1".parse().ok() =>
                "rules.draw_adjudication is {";
            &|m| m.openings.seed = 2 => "openings.seed is 2 instead of 1";
            &|m| m.ponder = true => "ponder is true instead of false";
        };
        for (change, expected) in hindrances {
            let said = first_difference(change).expect(expected);
            assert!(said.starts_with(expected), "{said}");
        }
        let allowed: [&Change; 3] =
            [&|m| m.games = None, &|m| m.sprt = Some(Sprt::default()), &|m| {
                m.shard = Some(Shard { index: 1, count: 2 });
            }];
        for change in allowed {
            assert_eq!(first_difference(change), None);
        }
    }
}
