//! `raicho csa stats`: the results in the journal of a client.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::Args;

use crate::cli::error::flat_error;
use crate::cli::output::print_line;
use crate::csa::journal::{self, Entry};
use crate::csa::stats::{Tally, by_opponent, estimate};
use crate::util::{counted, shorten};

#[derive(Args)]
#[command(before_help = "Example: raicho csa stats csa-raicho --ratings ratings.txt")]
pub(super) struct Arguments {
    /// Folder of a client
    folder: PathBuf,

    /// Ratings of opponents: lines with a name and a number. With them the own rating is estimated
    #[arg(long, value_name = "FILE")]
    ratings: Option<PathBuf>,

    /// Print the games as JSON, one line each, and nothing else
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let folder = &arguments.folder;
    fs::metadata(folder).with_context(|| folder.display().to_string())?;
    let entries = journal::read(folder).map_err(flat_error)?;
    if arguments.json {
        for entry in &entries {
            print_line(serde_json::to_string(entry)?)?;
        }
        return Ok(());
    }
    ensure!(
        !entries.is_empty(),
        "{} has no games of a csa client",
        folder.display()
    );
    let ratings = ratings(arguments)?;
    let total = Tally::of(&entries);
    print_line(format_args!(
        "{:<24} {:>6} {:>5} {:>5} {:>5} {:>6} {:>7} {:>7}",
        "opponent", "games", "won", "lost", "drawn", "broken", "points", "rating"
    ))?;
    let tallies = by_opponent(&entries);
    for (name, tally) in &tallies {
        let rating = ratings.get(*name).map(|rating| format!("{rating:.0}"));
        row(name, tally, &rating.unwrap_or_default())?;
    }
    row("all", &total, "")?;
    let known = tallies
        .iter()
        .filter_map(|(name, tally)| Some((*tally, *ratings.get(*name)?)));
    match estimate(&known.collect::<Vec<_>>()) {
        Some(estimate) => print_line(format_args!(
            "rating {:.0} +- {:.0} (95 %), from {}",
            estimate.rating,
            1.96 * estimate.error,
            counted(estimate.games, "game")
        ))?,
        None => print_line("rating: unknown, expected --ratings with an opponent of these games")?,
    }
    print_line(clocks(&entries))?;
    Ok(())
}

fn row(name: &str, tally: &Tally, rating: &str) -> anyhow::Result<()> {
    print_line(format_args!(
        "{name:<24} {:>6} {:>5} {:>5} {:>5} {:>6} {:>7} {rating:>7}",
        tally.games(),
        tally.wins,
        tally.losses,
        tally.draws,
        tally.broken,
        tally.points()
    ))?;
    Ok(())
}

/// How our clock agrees with the server's.
fn clocks(entries: &[Entry]) -> String {
    let moves: u32 = entries.iter().map(|entry| entry.clock.moves).sum();
    let sum: f64 = entries
        .iter()
        .map(|entry| entry.clock.mean * f64::from(entry.clock.moves))
        .sum();
    let largest = entries.iter().map(|entry| entry.clock.largest);
    format!(
        "clock: {moves} own moves, our count and the server's differ by {:.3} s on average, at \
        most {:.3} s",
        sum / f64::from(moves.max(1)),
        largest.fold(0.0, f64::max)
    )
}

fn ratings(arguments: &Arguments) -> anyhow::Result<BTreeMap<String, f64>> {
    let Some(path) = &arguments.ratings else {
        return Ok(BTreeMap::new());
    };
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let mut ratings = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let (name, rating) = rating_of(line).with_context(|| {
            let (path, number, line) = (path.display(), index + 1, shorten(line));
            format!("{path} line {number}: \"{line}\", expected a name and its rating")
        })?;
        ratings.insert(name.to_owned(), rating);
    }
    Ok(ratings)
}

/// The name and the rating of a line such as `Gikou2_6950XEE 3100`.
fn rating_of(line: &str) -> Option<(&str, f64)> {
    let (name, number) = line.trim().rsplit_once(char::is_whitespace)?;
    let rating: f64 = number.parse().ok()?;
    rating.is_finite().then_some((name.trim(), rating))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_are_finite_numbers() {
        assert_eq!(rating_of(" a b\t-12.5 "), Some(("a b", -12.5)));
        for line in ["a", "a nan", "a 1e400", "a 1,500", "a inf"] {
            assert_eq!(rating_of(line), None, "{line}");
        }
    }
}
