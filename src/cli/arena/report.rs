//! The result of a match or a run of SPSA: a table or JSON on standard output, both in the folder,
//! and for a match a page with its games.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use serde::Serialize;

use crate::arena::journal::{self, GameEntry};
use crate::arena::settings::MatchSettings;
use crate::arena::tally::{PairingTally, Tally};
use crate::cli::output;
use crate::cli::result_file::{self, OwnFiles};
use crate::lang::Lang;
use crate::page::{Game, Kind, Match, PROGRAM, Page, Pairing};
use crate::records::{csa, encoding};

/// The files of a match in its folder which no result may replace.
const OWN_FILES: &[&str] = &["match.json", "games.jsonl", "games.sfen", "summary.txt"];

/// Those files in this folder.
pub(super) const fn own_files(folder: &Path) -> OwnFiles<'_> {
    OwnFiles {
        folder,
        names: OWN_FILES,
    }
}

/// The destination of the JSON; `-` is standard output, where it replaces the table.
#[derive(Args, Clone)]
pub(in crate::cli) struct JsonArguments {
    /// Write the result as JSON to FILE, or to standard output instead of the table
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    pub(super) json: Option<PathBuf>,
}

impl JsonArguments {
    /// Checks that the file can be written, and is none of the run's own and none of those that are
    /// `read`.
    ///
    /// # Errors
    /// It cannot, or is.
    pub(in crate::cli) fn check(&self, own: &OwnFiles<'_>, read: &[PathBuf]) -> anyhow::Result<()> {
        self.file().map_or(Ok(()), |path| {
            result_file::check_beside(path, "json", own, read.iter().map(PathBuf::as_path))
        })
    }

    /// The file for the JSON, unless that is standard output.
    pub(super) fn file(&self) -> Option<&Path> {
        self.json.as_deref().filter(|_| !self.is_on_stdout())
    }

    fn is_on_stdout(&self) -> bool {
        self.json.as_deref() == Some(Path::new("-"))
    }

    /// Prints `text` or the JSON, and writes both to the folder if there is one.
    pub(in crate::cli) fn report(
        &self,
        summary: &impl Serialize,
        text: &str,
        folder: Option<&Path>,
    ) -> anyhow::Result<()> {
        let json = serde_json::to_string_pretty(summary)? + "\n";
        let mut files: Vec<(PathBuf, String)> = Vec::new();
        if let Some(folder) = folder {
            files.push((folder.join("summary.json"), json.clone()));
            files.push((folder.join("summary.txt"), format!("{text}\n")));
        }
        let is_stdout = self.is_on_stdout();
        if let Some(path) = self.file() {
            files.push((path.to_owned(), json.clone()));
        }
        // Print first: a full disk must not hide the result. Nor must a reader that is gone keep it
        // from the files.
        let mut out = output::stdout();
        let printed = if is_stdout {
            write!(out, "{json}")
        } else {
            writeln!(out, "{text}")
        };
        let saved = files
            .iter()
            .map(|(path, text)| result_file::save(path, text.as_bytes()));
        let saved: Vec<anyhow::Result<()>> = saved.collect();
        saved.into_iter().collect::<anyhow::Result<()>>()?;
        Ok(printed?)
    }
}

/// Most pairs of games on a page.
const PAIRS_SHOWN: usize = 250;
/// Points of the graph of Elo over games, about.
const COURSE_POINTS: usize = 500;
/// Games before the first point.
const FIRST_POINT: u64 = 4;
/// Greatest Elo difference of the graph.
const MOST_ELO: f64 = 1200.0;

/// The page of a match.
#[derive(Args, Clone)]
pub(super) struct PageArguments {
    /// Write a page with the result and the games, which any browser plays through without a
    /// network; of more than 500 games, only every second, third, … pair is on it
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

impl PageArguments {
    /// Checks that the page can be written, before any game, and is none of the run's own files,
    /// none of those that are `read`, and not that of the JSON.
    ///
    /// # Errors
    /// It cannot, or is.
    pub(super) fn check(
        &self,
        json: &JsonArguments,
        own: &OwnFiles<'_>,
        read: &[PathBuf],
    ) -> anyhow::Result<()> {
        json.check(own, read)?;
        let Some(page) = self.html.as_deref() else {
            return Ok(());
        };
        if let Some(json) = json.file() {
            result_file::check_apart(("--html", page), ("--json", json))?;
        }
        result_file::check_beside(page, "html", own, read.iter().map(PathBuf::as_path))
    }

    /// Writes the page of the match whose parts are in these folders, if it was asked for.
    ///
    /// # Errors
    /// A folder cannot be read or the page not be written.
    pub(super) fn write(&self, folders: &[PathBuf], lang: Lang) -> anyhow::Result<()> {
        let Some(path) = &self.html else {
            return Ok(());
        };
        let mut of_match = None;
        let mut entries = Vec::new();
        for folder in folders {
            let (settings, part) = journal::read(folder)?;
            entries.extend(part.into_iter().map(|entry| (folder.as_path(), entry)));
            of_match.get_or_insert(settings);
        }
        let settings = of_match.context("no folder of a match")?;
        entries.sort_by_key(|(_, entry)| entry.game);
        // Whole pairs, so that each engine is shown with both colours.
        let pairs = entries.chunk_by(|(_, one), (_, other)| one.game / 2 == other.game / 2);
        let step = pairs.clone().count().div_ceil(PAIRS_SHOWN).max(1);
        let shown = pairs.step_by(step).flatten();
        let games: anyhow::Result<Vec<Game>> =
            shown.map(|(folder, entry)| game(folder, entry)).collect();
        let games = games?;
        let entries: Vec<GameEntry> = entries.into_iter().map(|(_, entry)| entry).collect();
        let mut of_match = result(&settings, &entries)?;
        of_match.left_out = entries.len() - games.len();
        let page = Page {
            kind: Kind::Match,
            title: of_match.engines.join(" – "),
            lang,
            program: PROGRAM,
            effort: String::new(),
            thresholds: None,
            games,
            of_match: Some(of_match),
        };
        result_file::save(path, page.html().as_bytes())
    }
}

/// A game with times and scores from its record.
fn game(folder: &Path, entry: &GameEntry) -> anyhow::Result<Game> {
    let path = folder.join(&entry.record);
    let place = || path.display().to_string();
    let bytes = std::fs::read(&path).with_context(place)?;
    let records = csa::read(&encoding::decode(&bytes)).with_context(place)?;
    let record = records
        .first()
        .with_context(|| format!("{}: no game", place()))?;
    Ok(Game::of_record(record))
}

/// The Elo difference of a pairing after its games so far. Infinite values are cut.
fn point(pairing: &PairingTally) -> Option<(u64, f64, f64, f64)> {
    let games = pairing.wdl.games();
    let estimate = pairing.estimate().filter(|_| games >= FIRST_POINT)?;
    let cut = |elo: f64| elo.clamp(-MOST_ELO, MOST_ELO);
    let [elo, low, high] = [estimate.elo, estimate.low, estimate.high].map(cut);
    Some((games, elo, low, high))
}

fn result(settings: &MatchSettings, entries: &[GameEntry]) -> anyhow::Result<Match> {
    let mut tally = Tally::new(settings);
    let step = (entries.len() / COURSE_POINTS / tally.pairings.len().max(1)).max(1) as u64;
    let mut course = Vec::new();
    for entry in entries {
        tally.add(entry).map_err(anyhow::Error::msg)?;
        course.extend(tally.pairings.first().and_then(point));
    }
    // One point for each number of games, thinned out, with the last.
    let last = course.last().map_or(0, |&(games, ..)| games);
    course.dedup_by_key(|&mut (games, ..)| games);
    course.retain(|&(games, ..)| games % step == 0 || games == last);
    let engines: Vec<String> = settings
        .engines
        .iter()
        .map(|engine| engine.name.clone())
        .collect();
    let pairings = tally.pairings.iter().map(|pairing| {
        let estimate = pairing.estimate();
        let elo = estimate.map(|estimate| [estimate.elo, estimate.error()]);
        Pairing {
            engines: pairing.engines,
            wdl: [pairing.wdl.wins, pairing.wdl.draws, pairing.wdl.losses],
            elo: elo.filter(|elo| elo.iter().all(|value| value.is_finite())),
        }
    });
    let pairings: Vec<Pairing> = pairings.collect();
    Ok(Match {
        course,
        engines,
        pairings,
        left_out: 0,
    })
}
