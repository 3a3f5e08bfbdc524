//! The score sheet: what the games of a match add up to, in whatever order they come.

#![expect(clippy::cast_precision_loss, reason = "figures for people")]

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::journal::{GameEntry, LineFault, Overhead, PlayerFigures};
use super::referee::Reason;
use super::settings::MatchSettings;
use super::statistics::{Estimate, Pentanomial, Wdl};
use crate::types::Color;

#[cfg(test)]
mod tests;

/// Illegal lines that are described in a summary.
const LINE_FAULTS_SHOWN: usize = 10;

/// The sum of the games so far.
#[derive(Clone, Debug)]
pub struct Tally {
    settings: MatchSettings,
    /// In the order of [`MatchSettings::pairings`].
    pub pairings: Vec<PairingTally>,
    /// In the order of the engines.
    pub engines: Vec<EngineTally>,
    /// Black's results, whoever had black.
    pub black: Wdl,
    /// How games ended.
    pub reasons: BTreeMap<Reason, u64>,
    /// Games lost by a fault, in order of their numbers.
    pub faults: BTreeMap<u64, Fault>,
    /// Time of the referee.
    pub overhead: Overhead,
    seen: BTreeSet<u64>,
}

/// Two engines.
#[derive(Clone, Debug)]
pub struct PairingTally {
    /// Indices; the results are those of the first.
    pub engines: [usize; 2],
    /// All games.
    pub wdl: Wdl,
    /// Pairs of which both games are there.
    pub pairs: Pentanomial,
    /// First engine's half points of games whose other half is not there, by the number of the pair.
    open: BTreeMap<u64, usize>,
}

/// One engine.
#[derive(Clone, Debug, Default)]
pub struct EngineTally {
    /// All its games.
    pub wdl: Wdl,
    /// What it did; its illegal lines are in `line_faults`.
    pub figures: PlayerFigures,
    /// The first illegal lines of the match, by game and place in it.
    pub line_faults: BTreeMap<(u64, usize), LineFault>,
    /// Games lost by a fault, by reason.
    pub faults: BTreeMap<Reason, u64>,
    /// Losses on time while the machine stalled; they are losses all the same.
    pub lost_in_stalls: u64,
}

/// A game lost by a fault.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The engine at fault.
    pub engine: usize,
    /// What it did.
    pub reason: Reason,
    /// In words.
    pub detail: String,
    /// Whether the machine stalled meanwhile.
    pub in_stall: bool,
    /// Files inside the folder.
    pub record: String,
    /// Files inside the folder.
    pub dialogue: Option<String>,
}

impl PairingTally {
    /// What the results are worth: from pairs where there are any, as the two games of a pair are not independent.
    pub fn estimate(&self) -> Option<Estimate> {
        self.pairs.estimate().or_else(|| self.wdl.estimate())
    }
}

impl Tally {
    /// An empty sheet.
    pub fn new(settings: &MatchSettings) -> Self {
        let pairing = |engines| PairingTally {
            engines,
            wdl: Wdl::default(),
            pairs: Pentanomial::default(),
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

    /// Whether the game is on the sheet.
    pub fn has(&self, game: u64) -> bool {
        self.seen.contains(&game)
    }

    /// Games on the sheet.
    pub fn games(&self) -> u64 {
        self.seen.len() as u64
    }

    /// The match that the games belong to.
    pub fn settings(&self) -> &MatchSettings {
        &self.settings
    }

    /// Adds a game.
    ///
    /// # Errors
    /// The match has no such game, it was between others, or it is on the sheet already; said in words.
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
        self.add_to_pairing(number, fixture.players, half_points);
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
        sum.lines_checked += figures.lines_checked;
        sum.line_faults += figures.line_faults;
        for (place, fault) in figures.line_fault_details.iter().enumerate() {
            engine
                .line_faults
                .insert((entry.game, place), fault.clone());
        }
        // Which ones are shown does not depend on the order in which the games ended.
        while engine.line_faults.len() > LINE_FAULTS_SHOWN {
            engine.line_faults.pop_last();
        }
    }

    fn add_to_pairing(
        &mut self,
        game: u64,
        players: [usize; 2],
        half_points: impl Fn(Color) -> usize,
    ) {
        let pairing = &mut self.pairings[(game / 2) as usize % self.settings.pairings().len()];
        let is_black = pairing.engines == players;
        let points = half_points(if is_black { Color::Black } else { Color::White });
        count(&mut pairing.wdl, points);
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
        let in_stall = entry.time_loss.is_some_and(|loss| loss.stall.is_some());
        *self.engines[engine].faults.entry(entry.reason).or_default() += 1;
        self.engines[engine].lost_in_stalls += u64::from(in_stall);
        let fault = Fault {
            engine,
            reason: entry.reason,
            detail: entry.detail.clone(),
            in_stall,
            record: entry.record.display().to_string(),
            dialogue: entry
                .dialogue
                .as_ref()
                .map(|path| path.display().to_string()),
        };
        self.faults.insert(entry.game, fault);
    }
}

impl PlayerFigures {
    /// Mean time of a move.
    pub fn mean_time(&self) -> Duration {
        self.time
            .checked_div(u32::try_from(self.moves).unwrap_or(u32::MAX))
            .unwrap_or_default()
    }

    /// Mean depth, as far as it was reported.
    pub fn mean_depth(&self) -> Option<f64> {
        (self.depth_count > 0).then(|| self.depth_sum as f64 / self.depth_count as f64)
    }

    /// Nodes a second, as far as they were reported.
    pub fn nodes_per_second(&self) -> Option<f64> {
        let seconds = self.time.as_secs_f64();
        (self.nodes > 0 && seconds > 0.0).then(|| self.nodes as f64 / seconds)
    }
}

impl Overhead {
    /// Mean time of the referee between an answer and the next question.
    pub fn mean(&self) -> Duration {
        self.sum
            .checked_div(u32::try_from(self.count).unwrap_or(u32::MAX))
            .unwrap_or_default()
    }
}

fn count(wdl: &mut Wdl, half_points: usize) {
    match half_points {
        0 => wdl.losses += 1,
        1 => wdl.draws += 1,
        _ => wdl.wins += 1,
    }
}
