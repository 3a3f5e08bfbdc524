//! The tally of a match, and its summary for people (a table) and for programs (JSON).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fmt, fs, time::Duration};

use anyhow::Result;
use serde::Serialize;

use super::journal::{self, FIRST_PLIES, GameEntry, KIND, MatchFolder, Optimism, Overhead};
use super::runner::{foreign_results, tally_of};
use super::statistics::{Estimate, Pentanomial, Sprt, SprtVerdict, Wdl};
use super::{journal::PlayerFigures, referee::EndReason, settings::MatchSettings};
use crate::lang::{Lang, left, right, width, widths};
use crate::runs::{FolderError, difference, read_named};
use crate::{types::Color, util::counted};

#[cfg(test)]
mod tests;

/// The summary of a match. Times are in seconds.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Number of games played.
    pub games: u64,
    /// Number of games of this match, or of this shard; `None` without a limit.
    pub games_planned: Option<u64>,
    /// Whether the user interrupted it.
    pub is_interrupted: bool,
    /// The engines, in the order of the settings.
    pub engines: Vec<EngineSummary>,
    /// The pairings, in the order in which they play.
    pub pairings: Vec<PairingSummary>,
    /// Results of the black side over all games.
    pub black: BlackSummary,
    /// Number of games by reason of their end.
    pub endings: Vec<Ending>,
    /// Games that were lost by a fault of an engine.
    pub faults: Vec<FaultyGame>,
    /// Time between an answer and the next `go`.
    pub referee: RefereeSummary,
    /// Stalls of the machine; `None` if they were not monitored.
    pub stalls: Option<StallSummary>,
    /// The folder of the records.
    pub folder: String,
}

/// The results and statistics of one engine.
#[derive(Clone, Debug, Serialize)]
pub struct EngineSummary {
    name: String,
    time_control: String,
    games: u64,
    #[serde(flatten)]
    wdl: Wdl,
    /// Points per game, 0 to 1.
    score: Option<f64>,
    moves: u64,
    mean_time: f64,
    max_time: f64,
    mean_depth: Option<f64>,
    nodes_per_second: Option<f64>,
    losses_by_fault: Vec<Ending>,
    /// Losses on time during a stall of the machine; they are included in `losses`.
    losses_on_time_in_stalls: u64,
}

/// The results of one pairing, from the view of its first engine.
#[derive(Clone, Debug, Serialize)]
pub struct PairingSummary {
    pub(super) first: String,
    pub(super) second: String,
    pub(super) games: u64,
    #[serde(flatten)]
    wdl: Wdl,
    /// Number of pairs with 0, ½, 1, 1½, 2 points.
    pentanomial: [u64; 5],
    /// Points per game, 0 to 1; `None` without games.
    pub(super) score: Option<f64>,
    draw_rate: Option<f64>,
    /// `None` without games and where the value is infinite.
    pub(super) elo: Option<f64>,
    /// Half the width of the 95 % interval.
    pub(super) elo_error: Option<f64>,
    pub(super) elo_low: Option<f64>,
    pub(super) elo_high: Option<f64>,
    /// Likelihood of superiority.
    los: Option<f64>,
    sprt: Option<SprtSummary>,
    /// Scores of both engines by ply; empty where nobody reported scores.
    pub(super) optimism: Vec<OptimismSummary>,
    #[serde(skip)]
    estimate: Option<Estimate>,
}

/// How far both engines think that they are ahead, from one ply on, in centipawns.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct OptimismSummary {
    /// The first ply, counted from the end of the opening; the next entry has the end.
    from_ply: usize,
    /// Number of pairs of neighbouring plies.
    pairs: u64,
    /// Mean score of the first engine, from its own view; `None` without pairs.
    first: Option<f64>,
    /// Mean score of the second engine, from its own view.
    second: Option<f64>,
    /// Sum of both means.
    pub(super) sum: Option<f64>,
}

/// The state of the sequential test.
#[derive(Clone, Debug, Serialize)]
pub struct SprtSummary {
    #[serde(flatten)]
    test: Sprt,
    llr: f64,
    lower: f64,
    upper: f64,
    /// `H0`, `H1` or `undecided`.
    verdict: &'static str,
}

/// The results of the black side.
#[derive(Clone, Debug, Serialize)]
pub struct BlackSummary {
    #[serde(flatten)]
    wdl: Wdl,
    score: Option<f64>,
}

/// Number of games that ended for one reason.
#[derive(Clone, Debug, Serialize)]
pub struct Ending {
    reason: EndReason,
    games: u64,
}

/// Time between an answer and the next `go`, in seconds.
#[derive(Clone, Debug, Serialize)]
pub struct RefereeSummary {
    mean_overhead: f64,
    max_overhead: f64,
}

/// Stalls of the machine during the match.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct StallSummary {
    /// How often the machine stood still.
    pub count: u64,
    /// Duration of the longest stall in seconds.
    pub longest: f64,
}

impl Summary {
    /// The summary of a tally; `folder` is shown as the place of the records.
    pub fn of(tally: &Tally, folder: &str) -> Self {
        let settings = tally.settings();
        let name = |engine: usize| settings.engines[engine].name.clone();
        let engines = tally.engines.iter().enumerate().map(|(index, engine)| {
            let control = settings.engines[index].time_control.to_string();
            EngineSummary::of(engine, name(index), control)
        });
        let pairings = tally.pairings.iter().map(|pairing| {
            let [first, second] = pairing.engines.map(name);
            PairingSummary::of(pairing, first, second, settings.sprt)
        });
        Self {
            games: tally.games(),
            games_planned: settings.games_here(),
            is_interrupted: false,
            engines: engines.collect(),
            pairings: pairings.collect(),
            black: BlackSummary { wdl: tally.black, score: tally.black.score() },
            endings: endings(&tally.reasons),
            faults: tally.faults.values().cloned().collect(),
            referee: RefereeSummary {
                mean_overhead: tally.overhead.mean().as_secs_f64(),
                max_overhead: tally.overhead.longest.as_secs_f64(),
            },
            stalls: None,
            folder: folder.to_owned(),
        }
    }
}

impl EngineSummary {
    fn of(engine: &EngineTally, name: String, time_control: String) -> Self {
        let figures = &engine.figures;
        Self {
            name,
            time_control,
            games: engine.wdl.games(),
            wdl: engine.wdl,
            score: engine.wdl.score(),
            moves: figures.moves,
            mean_time: figures.mean_time().as_secs_f64(),
            max_time: figures.longest.as_secs_f64(),
            mean_depth: figures.mean_depth(),
            nodes_per_second: figures.nodes_per_second(),
            losses_by_fault: endings(&engine.faults),
            losses_on_time_in_stalls: engine.lost_in_stalls,
        }
    }
}

impl PairingSummary {
    fn of(pairing: &PairingTally, first: String, second: String, sprt: Option<Sprt>) -> Self {
        let estimate = pairing.estimate();
        let finite = |value: f64| value.is_finite().then_some(value);
        let of_estimate = |pick: fn(&Estimate) -> f64| estimate.as_ref().map(pick).and_then(finite);
        Self {
            first,
            second,
            games: pairing.wdl.games(),
            wdl: pairing.wdl,
            pentanomial: pairing.pairs.0,
            score: pairing.wdl.score(),
            draw_rate: pairing.wdl.draw_rate(),
            elo: of_estimate(|estimate| estimate.elo),
            elo_error: of_estimate(Estimate::error),
            elo_low: of_estimate(|estimate| estimate.low),
            elo_high: of_estimate(|estimate| estimate.high),
            los: of_estimate(|estimate| estimate.los),
            sprt: sprt.map(|test| {
                let (lower, upper) = test.bounds();
                SprtSummary {
                    test,
                    llr: test.llr(&pairing.pairs),
                    lower,
                    upper,
                    verdict: match test.verdict(&pairing.pairs) {
                        SprtVerdict::H0 => "H0",
                        SprtVerdict::H1 => "H1",
                        SprtVerdict::Continue => "undecided",
                    },
                }
            }),
            optimism: OptimismSummary::of(&pairing.optimism),
            estimate,
        }
    }
}

fn endings(counts: &BTreeMap<EndReason, u64>) -> Vec<Ending> {
    let ending = |(&reason, &games)| Ending { reason, games };
    counts.iter().map(ending).collect()
}

impl OptimismSummary {
    fn of(optimism: &Optimism) -> Vec<Self> {
        if optimism.is_empty() {
            return Vec::new();
        }
        let buckets = FIRST_PLIES.iter().zip(optimism.0);
        let summary = buckets.map(|(&from_ply, sums)| {
            let mean = |sum: i64| (sums.pairs > 0).then(|| sum as f64 / sums.pairs as f64);
            let [first, second] = sums.scores;
            Self {
                from_ply,
                pairs: sums.pairs,
                first: mean(first),
                second: mean(second),
                sum: mean(first + second),
            }
        });
        summary.collect()
    }
}

impl StallSummary {
    /// The number of stalls and the duration of the longest, from the heartbeat.
    pub fn new((count, longest): (u64, Duration)) -> Self {
        Self { count, longest: longest.as_secs_f64() }
    }
}

/// The state of a match in one line, for the progress bar.
pub fn one_line(tally: &Tally, lang: Lang) -> String {
    let [pairing] = &tally.pairings[..] else {
        let faults = tally.faults.len();
        let games = lang.games(tally.games());
        return [games, lang.lost_by_faults(faults)].join(lang.separator());
    };
    let wdl = pairing.wdl;
    let mut parts = vec![lang.result(wdl.wins, wdl.draws, wdl.losses)];
    parts.extend(pairing.estimate().map(|estimate| elo_text(&estimate, lang)));
    parts.extend(tally.settings().sprt.map(|sprt| {
        let (lower, upper) = sprt.bounds();
        let llr = sprt.llr(&pairing.pairs);
        format!("LLR {llr:.2} ({lower:.2}, {upper:.2})")
    }));
    if !tally.faults.is_empty() {
        parts.push(lang.lost_by_faults(tally.faults.len()));
    }
    parts.join("  ")
}

fn elo_text(estimate: &Estimate, lang: Lang) -> String {
    let Estimate { elo, low, high, .. } = *estimate;
    // No number of games makes it certain.
    let los = (100.0 * estimate.los).clamp(0.1, 99.9);
    match (low.is_finite(), high.is_finite()) {
        (true, false) => lang.elo_above(low, los),
        (false, true) => lang.elo_below(high, los),
        _ => lang.elo_within(elo, estimate.error(), low, high, los),
    }
}

/// A mean score; `-` if there is none.
pub(super) fn whole_centipawns(score: Option<f64>) -> String {
    // Adding 0 turns a rounded -0 into 0.
    let score = score.map(|score| format!("{:+.0}", score.round() + 0.0));
    score.unwrap_or_else(|| "-".to_owned())
}

fn milliseconds(seconds: f64) -> String {
    let digits = if seconds < 0.01 { 3 } else { 1 };
    format!("{:.digits$} ms", seconds * 1000.0)
}

/// Columns of the labels before the lines on the whole match.
const LABEL_WIDTH: usize = 15;

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Lang::En))
    }
}

impl Summary {
    /// The summary as a table, without a line end.
    pub fn text(&self, lang: Lang) -> String {
        let games = match self.games_planned {
            Some(planned) => lang.played_of(self.games, lang.games(planned)),
            None => lang.games(self.games),
        };
        let mut lines = vec![games];
        if self.is_interrupted {
            lines[0] += &lang.interrupted();
        }
        lines.push(String::new());
        for pairing in &self.pairings {
            pairing.add_lines(lang, &mut lines);
        }
        add_engines(&self.engines, lang, &mut lines);
        let labelled = |label: &str, text: &str| format!("{}{text}", left(label, LABEL_WIDTH));
        if let Some(score) = self.black.score {
            let wdl = self.black.wdl;
            let text = lang.result_of_side(100.0 * score, wdl.wins, wdl.draws, wdl.losses);
            lines.push(labelled(&lang.label_black(), &text));
        }
        if self.games > 0 {
            let text = |ending: &Ending| {
                let reason = ending.reason.to_string();
                lang.ending_count(ending.games, lang.ending(&reason))
            };
            let endings: Vec<String> = self.endings.iter().map(text).collect();
            lines.push(labelled(&lang.label_endings(), &endings.join(lang.separator())));
            let times = [self.referee.mean_overhead, self.referee.max_overhead];
            let [mean, most] = times.map(milliseconds);
            let text = lang.referee_times(mean, most);
            lines.push(labelled(&lang.label_referee(), &text));
        }
        if let Some(stalls) = self.stalls {
            let longest = milliseconds(stalls.longest);
            let text = match stalls.count {
                0 => lang.no_stall(),
                1 => lang.one_stall(longest),
                count => lang.stalls(count, longest),
            };
            lines.push(labelled(&lang.label_machine(), &text));
        }
        self.add_faults(lang, &mut lines);
        lines.push(labelled(&lang.label_records(), &self.folder));
        lines.join("\n")
    }

    fn add_faults(&self, lang: Lang, lines: &mut Vec<String>) {
        let (in_stalls, faults): (Vec<_>, Vec<_>) =
            self.faults.iter().partition(|fault| fault.during_stall);
        let games = |faults: &[&FaultyGame]| lang.games(faults.len() as u64);
        for (title, faults) in [
            (lang.lost_by_fault(games(&faults)), &faults),
            (lang.lost_in_stall(games(&in_stalls)), &in_stalls),
        ] {
            if !faults.is_empty() {
                lines.push(format!("\n{title}:"));
            }
            for fault in faults {
                let reason = fault.reason.to_string();
                let reason = lang.ending(&reason);
                let text = lang.fault(fault.game, &fault.engine, reason, &fault.detail);
                lines.push(format!("  {text}"));
                let dialogue = fault.dialogue.clone().unwrap_or_else(|| lang.none());
                let text = lang.record_and_dialogue(&fault.record, dialogue);
                lines.push(format!("    {text}"));
            }
        }
        if !self.faults.is_empty() {
            lines.push(String::new());
        }
    }
}

impl PairingSummary {
    fn add_lines(&self, lang: Lang, lines: &mut Vec<String>) {
        lines.push(lang.against(&self.first, &self.second));
        let (Some(score), Some(draw_rate)) = (self.score, self.draw_rate) else {
            lines.extend([format!("  {}", lang.no_games()), String::new()]);
            return;
        };
        let wdl = self.wdl;
        let [score, draw_rate] = [score, draw_rate].map(|share| 100.0 * share);
        let score = lang.score_and_draws(wdl.wins, wdl.draws, wdl.losses, score, draw_rate);
        lines.push(format!("  {score}"));
        if let Some(estimate) = &self.estimate {
            lines.push(format!("  {}", elo_text(estimate, lang)));
            lines.extend(self.basis(lang).map(|basis| format!("  {basis}")));
        }
        let pairs: Vec<String> = self.pentanomial.iter().map(ToString::to_string).collect();
        lines.push(format!("  {}", lang.pairs(pairs.join(lang.separator()))));
        self.add_optimism(lang, lines);
        if let Some(sprt) = &self.sprt {
            let words = match sprt.verdict {
                "H0" => lang.h0_accepted(sprt.test.elo1),
                "H1" => lang.h1_accepted(sprt.test.elo0),
                _ => lang.undecided(),
            };
            lines.push(format!(
                "  SPRT {}: LLR {:.2} ({:.2}, {:.2}), {words}",
                sprt.test, sprt.llr, sprt.lower, sprt.upper
            ));
        }
        lines.push(String::new());
    }

    /// What games the figures rest on, where the Elo difference and the score rest on others.
    fn basis(&self, lang: Lang) -> Option<String> {
        let paired = 2 * self.pentanomial.iter().sum::<u64>();
        let all = lang.games(self.games);
        match paired {
            _ if paired == self.games => None,
            0 => Some(lang.elo_of_single_games(all)),
            _ => Some(lang.elo_of_pairs(lang.games(paired), all)),
        }
    }

    /// A table of the mean scores by ply, if there are scores.
    fn add_optimism(&self, lang: Lang, lines: &mut Vec<String>) {
        let buckets = &self.optimism;
        if buckets.is_empty() {
            return;
        }
        let title = lang.neighbouring_scores();
        let names = [&*title, &self.first, &self.second].map(width);
        let columns = names.into_iter().max().unwrap_or(0);
        let line = |name: &str, cells: Vec<String>| {
            let mut line = format!("  {}", left(name, columns));
            for cell in cells {
                line += &right(&cell, 9);
            }
            line
        };
        let plies = buckets.iter().enumerate().map(|(index, bucket)| {
            let from = bucket.from_ply;
            match buckets.get(index + 1) {
                Some(next) => format!("{from}-{}", next.from_ply - 1),
                None => format!("{from}+"),
            }
        });
        lines.push(line(&title, plies.collect()));
        let scores = |of: fn(&OptimismSummary) -> Option<f64>| {
            let scores = buckets.iter().map(of);
            scores.map(whole_centipawns).collect()
        };
        lines.extend([
            line(&lang.optimism_sum(), scores(|bucket| bucket.sum)),
            line(&self.first, scores(|bucket| bucket.first)),
            line(&self.second, scores(|bucket| bucket.second)),
        ]);
    }
}

fn add_engines(engines: &[EngineSummary], lang: Lang, lines: &mut Vec<String>) {
    let title = lang.column_engine();
    let names = engines.iter().map(|engine| width(&engine.name));
    let columns = names.chain([width(&title)]).max().unwrap_or(0);
    let line = |name: &str, cells: &[String; 6], widths: [usize; 6], limits: &str| {
        let mut line = left(name, columns);
        for (cell, width) in cells.iter().zip(widths) {
            line += &right(cell, width + 2);
        }
        line + "  " + limits
    };
    let mut rows = vec![[
        lang.column_games(),
        lang.column_points(),
        lang.column_mean_time(),
        lang.column_max_time(),
        lang.column_depth(),
        lang.column_speed(),
    ]];
    for engine in engines {
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        let score = engine.score.map(|score| lang.percent(format!("{:.1}", 100.0 * score)));
        let depth = engine.mean_depth.map(|depth| format!("{depth:.1}"));
        let speed = engine.nodes_per_second.map(|speed| lang.number(speed.round() as u64));
        rows.push([
            engine.games.to_string(),
            or_dash(score),
            milliseconds(engine.mean_time),
            milliseconds(engine.max_time),
            or_dash(depth),
            or_dash(speed),
        ]);
    }
    let widths = widths(&rows);
    lines.push(line(&title, &rows[0], widths, &lang.column_limits()));
    for (engine, cells) in engines.iter().zip(&rows[1..]) {
        lines.push(line(&engine.name, cells, widths, &lang.limits(&engine.time_control)));
    }
    lines.push(String::new());
}

// --- The tally: the sums over the games of a match, which may be added in any order ---

#[cfg(test)]
mod tally_tests;

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
