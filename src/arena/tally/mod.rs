//! The tally of a match: the sums over its games, which may be added in any order.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::Serialize;

use super::journal::{self, GameEntry, KIND, MatchFolder, Optimism, Overhead, PlayerFigures};
use super::runner::{foreign_results, tally_of};
use super::statistics::{Estimate, Pentanomial, Wdl};
use super::{referee::EndReason, settings::MatchSettings, summary::Summary};
use crate::runs::{FolderError, difference, read_named};
use crate::{types::Color, util::counted};

/// The sums over the games so far.
#[derive(Clone, Debug)]
pub struct Tally {
    settings: MatchSettings,
    /// Sums of each pairing, in the order of [`MatchSettings::pairings`].
    pub pairings: Vec<PairingTally>,
    /// Sums of each engine, in the order of the settings.
    pub engines: Vec<EngineTally>,
    /// Results of the black side over all games.
    pub black: Wdl,
    /// Number of games by reason of their end.
    pub reasons: BTreeMap<EndReason, u64>,
    /// Games lost by a fault, by number of the game.
    pub faults: BTreeMap<u64, FaultyGame>,
    /// Time between an answer and the next `go`.
    pub overhead: Overhead,
    seen: BTreeSet<u64>,
}

/// The sums of one pairing.
#[derive(Clone, Debug)]
pub struct PairingTally {
    /// Indices of the engines; results are from the view of the first.
    pub engines: [usize; 2],
    /// Results of single games.
    pub wdl: Wdl,
    /// Results of pairs of which both games are finished.
    pub pairs: Pentanomial,
    /// Scores of the first and the second engine over neighbouring plies.
    pub optimism: Optimism,
    /// Half points of the first engine in unfinished pairs, by number of the pair.
    open: BTreeMap<u64, usize>,
}

/// The sums of one engine.
#[derive(Clone, Debug, Default)]
pub struct EngineTally {
    /// Results of all its games.
    pub wdl: Wdl,
    /// Statistics of its moves.
    pub figures: PlayerFigures,
    /// Number of games lost by a fault, by reason.
    pub faults: BTreeMap<EndReason, u64>,
    /// Losses on time during a stall of the machine; they count as losses.
    pub lost_in_stalls: u64,
}

/// A game that was lost by a fault of an engine.
#[derive(Clone, Debug, Serialize)]
pub struct FaultyGame {
    /// Number of the game, from 0.
    pub game: u64,
    /// Name of the engine at fault.
    pub engine: String,
    /// The kind of fault.
    pub reason: EndReason,
    /// Details of the fault for people.
    pub detail: String,
    /// Whether the machine stalled during the move.
    pub during_stall: bool,
    /// Path of the record, relative to the folder.
    pub record: String,
    /// Path of the dialogue file, relative to the folder.
    pub dialogue: Option<String>,
}

impl PairingTally {
    /// The Elo estimate: from pairs if there are any, else from single games.
    pub fn estimate(&self) -> Option<Estimate> {
        self.pairs.estimate().or_else(|| self.wdl.estimate())
    }
}

impl Tally {
    /// A tally without games.
    pub fn new(settings: &MatchSettings) -> Self {
        let pairing = |engines| PairingTally {
            engines,
            wdl: Wdl::default(),
            pairs: Pentanomial::default(),
            optimism: Optimism::default(),
            open: BTreeMap::new(),
        };
        Self {
            pairings: settings.pairings().into_iter().map(pairing).collect(),
            engines: vec![EngineTally::default(); settings.engines.len()],
            black: Wdl::default(),
            reasons: BTreeMap::new(),
            faults: BTreeMap::new(),
            overhead: Overhead::default(),
            seen: BTreeSet::new(),
            settings: settings.clone(),
        }
    }

    /// Whether the game has been added.
    pub fn has(&self, game: u64) -> bool {
        self.seen.contains(&game)
    }

    /// Number of games that have been added.
    pub fn games(&self) -> u64 {
        self.seen.len() as u64
    }

    /// The settings of the match.
    pub fn settings(&self) -> &MatchSettings {
        &self.settings
    }

    /// Adds a game.
    ///
    /// # Errors
    /// The message says that the match has no such game, that other engines played it, or that it
    /// was added already.
    pub fn add(&mut self, entry: &GameEntry) -> Result<(), String> {
        let number = entry.game;
        let fixture = self
            .settings
            .fixture(number)
            .ok_or_else(|| format!("game {number}, the match has no game of that number"))?;
        let [black, white] = fixture.players;
        let names = [black, white].map(|engine| self.settings.engines[engine].name.as_str());
        if names != [entry.black.as_str(), entry.white.as_str()] {
            return Err(format!(
                "game {number} between {} and {}, expected {} and {}",
                entry.black, entry.white, names[0], names[1]
            ));
        }
        if !self.seen.insert(number) {
            return Err(format!("game {number} is there twice"));
        }
        let half_points = |color: Color| match entry.winner {
            None => 1,
            Some(winner) => 2 * usize::from(winner == color),
        };
        count(&mut self.black, half_points(Color::Black));
        for (color, engine) in Color::ALL.into_iter().zip(fixture.players) {
            self.add_to_engine(engine, color, half_points(color), entry);
        }
        self.add_to_pairing(entry, fixture.players, half_points);
        *self.reasons.entry(entry.reason).or_default() += 1;
        self.overhead.sum += entry.overhead.sum;
        self.overhead.longest = self.overhead.longest.max(entry.overhead.longest);
        self.overhead.count += entry.overhead.count;
        self.add_fault(fixture.players, entry);
        Ok(())
    }

    fn add_to_engine(
        &mut self,
        engine: usize,
        color: Color,
        half_points: usize,
        entry: &GameEntry,
    ) {
        let engine = &mut self.engines[engine];
        count(&mut engine.wdl, half_points);
        let (sum, figures) = (&mut engine.figures, &entry.figures[color.index()]);
        sum.moves += figures.moves;
        sum.time += figures.time;
        sum.longest = sum.longest.max(figures.longest);
        sum.nodes += figures.nodes;
        sum.depth_sum += figures.depth_sum;
        sum.depth_count += figures.depth_count;
    }

    fn add_to_pairing(
        &mut self,
        entry: &GameEntry,
        players: [usize; 2],
        half_points: impl Fn(Color) -> usize,
    ) {
        let game = entry.game;
        let pairing = &mut self.pairings[(game / 2) as usize % self.settings.pairings().len()];
        let is_black = pairing.engines == players;
        let points = half_points(if is_black { Color::Black } else { Color::White });
        count(&mut pairing.wdl, points);
        pairing.optimism += if is_black { entry.optimism } else { entry.optimism.swapped() };
        match pairing.open.remove(&(game / 2)) {
            Some(other) => pairing.pairs.add_pair(points + other),
            None => drop(pairing.open.insert(game / 2, points)),
        }
    }

    fn add_fault(&mut self, players: [usize; 2], entry: &GameEntry) {
        let (true, Some(winner)) = (entry.reason.is_fault(), entry.winner) else {
            return;
        };
        let engine = players[(!winner).index()];
        let during_stall = entry.time_loss.is_some_and(|loss| loss.stall.is_some());
        *self.engines[engine].faults.entry(entry.reason).or_default() += 1;
        self.engines[engine].lost_in_stalls += u64::from(during_stall);
        let dialogue = entry.dialogue.as_ref();
        let fault = FaultyGame {
            game: entry.game,
            engine: self.settings.engines[engine].name.clone(),
            reason: entry.reason,
            detail: entry.detail.clone(),
            during_stall,
            record: entry.record.display().to_string(),
            dialogue: dialogue.map(|path| path.display().to_string()),
        };
        self.faults.insert(entry.game, fault);
    }
}

fn count(wdl: &mut Wdl, half_points: usize) {
    match half_points {
        0 => wdl.losses += 1,
        1 => wdl.draws += 1,
        _ => wdl.wins += 1,
    }
}

// --- The shards of a match ---

/// The games of all given shards.
pub struct Merged {
    settings: MatchSettings,
    /// All games with the folders they come from, in order of their numbers.
    entries: Vec<(PathBuf, GameEntry)>,
    missing: u64,
}

/// Reads the folders and checks that they are shards of the same match.
///
/// # Errors
/// A folder holds no match or a different one, or two folders hold the same game.
pub fn merge(folders: &[PathBuf]) -> Result<Merged> {
    let mut whole: Option<MatchSettings> = None;
    let mut entries = Vec::new();
    for folder in folders {
        let (mut settings, games) = journal::read(folder)?;
        settings.shard = None;
        match &whole {
            None => whole = Some(settings),
            Some(whole) => {
                if let Some(difference) = difference(&settings, whole) {
                    let first = folders[0].display();
                    let reason = format!("is no part of the match in {first}: {difference}");
                    return Err(foreign_results(folder, &reason));
                }
            }
        }
        entries.extend(games.into_iter().map(|game| (folder.clone(), game)));
    }
    let settings = whole.ok_or_else(|| FolderError::missing(Path::new("."), KIND))?;
    entries.sort_by_key(|(_, entry)| entry.game);
    for pair in entries.windows(2) {
        let [(first, game), (second, other)] = pair else {
            continue;
        };
        if game.game == other.game {
            let reason = format!("game {} is in {} too", game.game, first.display());
            return Err(foreign_results(second, &reason));
        }
    }
    check_openings(&settings, &entries)?;
    let planned = settings.games_here().unwrap_or(0);
    Ok(Merged { missing: planned.saturating_sub(entries.len() as u64), settings, entries })
}

/// Checks that the openings of all shards agree: two games of a pair have the same, and no two
/// pairs, except by chance where openings do not depend on each other. Different executables can
/// make different openings from the same settings.
fn check_openings(settings: &MatchSettings, entries: &[(PathBuf, GameEntry)]) -> Result<()> {
    let mut by_index: BTreeMap<usize, &str> = BTreeMap::new();
    let mut by_text: BTreeMap<&str, usize> = BTreeMap::new();
    let may_repeat = settings.openings.are_independent();
    for (folder, entry) in entries {
        let Some(fixture) = settings.fixture(entry.game) else {
            continue;
        };
        let (index, text) = (fixture.opening, entry.opening());
        if *by_index.entry(index).or_insert(text) != text
            || (!may_repeat && *by_text.entry(text).or_insert(index) != index)
        {
            let reason = format!(
                "game {} began with '{text}', which does not agree with the other parts: \
                 all parts of a match must be played by the same executable",
                entry.game
            );
            return Err(foreign_results(folder, &reason));
        }
    }
    Ok(())
}

impl Merged {
    /// The games with the folders they come from, in order of their numbers.
    pub fn entries(&self) -> &[(PathBuf, GameEntry)] {
        &self.entries
    }

    /// Notes for the user.
    pub fn notes(&self) -> Vec<String> {
        let missing = (self.missing > 0).then(|| {
            format!("not in these folders: {} of the match", counted(self.missing, "game"))
        });
        missing.into_iter().collect()
    }

    /// The summary of all games; `place` is shown as the place of the records.
    ///
    /// # Errors
    /// A game does not belong to the match.
    pub fn summary(&self, place: &str) -> Result<Summary> {
        let games: Vec<GameEntry> = self.entries.iter().map(|(_, game)| game.clone()).collect();
        let tally = tally_of(&self.settings, &games, Path::new(place))?;
        Ok(Summary::of(&tally, place))
    }

    /// Writes all games into one folder, as if one machine had played the whole match.
    ///
    /// # Errors
    /// The folder holds a match already, or a file cannot be read or written.
    pub fn write(&self, folder: &Path) -> Result<(), FolderError> {
        let mut merged = MatchFolder::create(folder, &self.settings)?;
        let written = self.write_games(&mut merged);
        if written.is_err() {
            // A part of a match is no result; the error says enough.
            let _ = fs::remove_dir_all(folder);
        }
        written
    }

    fn write_games(&self, merged: &mut MatchFolder) -> Result<(), FolderError> {
        for (from, entry) in &self.entries {
            for name in entry.dialogue.iter().chain([&entry.record]) {
                merged.write_file(name, &read_named(from, name)?)?;
            }
            merged.append(entry)?;
        }
        Ok(())
    }
}
