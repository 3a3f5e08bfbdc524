//! Merges the shards of a match into one result.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::journal::{self, GameEntry, KIND, MatchFolder};
use super::runner::{foreign_results, tally_of};
use super::settings::MatchSettings;
use super::summary::Summary;
use crate::runs::{FolderError, difference, io_error};
use crate::util::counted;

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
pub fn merge(folders: &[PathBuf]) -> anyhow::Result<Merged> {
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
    Ok(Merged {
        missing: planned.saturating_sub(entries.len() as u64),
        settings,
        entries,
    })
}

/// Checks that the openings of all shards agree: two games of a pair have the same, and no two
/// pairs, except by chance where openings do not depend on each other. Different executables can
/// make different openings from the same settings.
fn check_openings(
    settings: &MatchSettings,
    entries: &[(PathBuf, GameEntry)],
) -> anyhow::Result<()> {
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
            format!(
                "not in these folders: {} of the match",
                counted(self.missing, "game")
            )
        });
        missing.into_iter().collect()
    }

    /// The summary of all games; `place` is shown as the place of the records.
    ///
    /// # Errors
    /// A game does not belong to the match.
    pub fn summary(&self, place: &str) -> anyhow::Result<Summary> {
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
        for (from, entry) in &self.entries {
            for name in entry.dialogue.iter().chain([&entry.record]) {
                let path = from.join(name);
                let content = fs::read(&path).map_err(io_error(&path))?;
                merged.write_file(name, &content)?;
            }
            merged.append(entry)?;
        }
        Ok(())
    }
}
