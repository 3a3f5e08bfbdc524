//! `--html` of a match: its result and its games as a page.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;

use crate::arena::journal::{self, GameEntry};
use crate::arena::settings::MatchSettings;
use crate::arena::tally::Tally;
use crate::cli::flat_error::flat_error;
use crate::cli::result_file;
use crate::lang::Lang;
use crate::page::{Game, Kind, Match, PROGRAM, Page, Pairing};
use crate::records::{csa, encoding};
use crate::types::Color;

/// The page of a match.
#[derive(Args, Clone)]
pub(super) struct PageArguments {
    /// Write a page with the result and the games, which any browser plays through without a
    /// network
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Maximum number of games on the page; of more, every second, third, … is left out
    #[arg(long, value_name = "N", default_value_t = 500, requires = "html")]
    html_games: usize,
}

impl PageArguments {
    /// Whether a page is asked for.
    pub(super) const fn is_asked(&self) -> bool {
        self.html.is_some()
    }

    /// Checks that the page can be written, before any game, and is none of the files that are
    /// `read`.
    ///
    /// # Errors
    /// It cannot.
    pub(super) fn check(&self, read: &[PathBuf]) -> anyhow::Result<()> {
        let read = read.iter().map(PathBuf::as_path);
        let page = self.html.as_deref();
        page.map_or(Ok(()), |page| result_file::check_kind(page, "html", read))
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
            let (settings, part) = journal::read(folder).map_err(flat_error)?;
            entries.extend(part.into_iter().map(|entry| (folder.as_path(), entry)));
            of_match.get_or_insert(settings);
        }
        let settings = of_match.context("no folder of a match")?;
        entries.sort_by_key(|(_, entry)| entry.game);
        let step = entries.len().div_ceil(self.html_games.max(1)).max(1);
        let shown = entries.iter().step_by(step);
        let games: anyhow::Result<Vec<Game>> =
            shown.map(|(folder, entry)| game(folder, entry)).collect();
        let games = games?;
        let entries: Vec<GameEntry> = entries.into_iter().map(|(_, entry)| entry).collect();
        let mut of_match = result(&settings, &entries)?;
        of_match.left_out = entries.len() - games.len();
        let page = Page {
            kind: Kind::Match,
            title: of_match.engines.join(" – "),
            lang: lang.into(),
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

fn result(settings: &MatchSettings, entries: &[GameEntry]) -> anyhow::Result<Match> {
    let mut tally = Tally::new(settings);
    for entry in entries {
        tally.add(entry).map_err(anyhow::Error::msg)?;
    }
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
    let results = entries.iter().filter_map(|entry| {
        let first = |pairing: &Pairing| pairing.engines.map(|engine| &engines[engine]);
        let players = [&entry.black, &entry.white];
        let place = pairings.iter().position(|pairing| {
            let names = first(pairing);
            names == players || [names[1], names[0]] == players
        })?;
        let is_first_black = first(&pairings[place])[0] == &entry.black;
        let for_black = match entry.winner {
            Some(Color::Black) => 1,
            Some(Color::White) => -1,
            None => 0,
        };
        Some((
            place,
            if is_first_black {
                for_black
            } else {
                -for_black
            },
        ))
    });
    Ok(Match {
        results: results.collect(),
        engines,
        pairings,
        left_out: 0,
    })
}
