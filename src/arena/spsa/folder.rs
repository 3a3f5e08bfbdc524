//! What a run leaves behind: a folder with all that it needs to go on, and what there is to look at.
//!
//! | File | Content |
//! |---|---|
//! | `tuning.json` | what is played: engine, rules, openings, pairs |
//! | `spsa.json` | the state: parameters, course of the run, values so far |
//! | `history.csv` | the values in the course of the run, for a graph |
//! | `faults.jsonl` | a line of JSON for each game that was lost by a fault |
//! | `faults/` | the last lines of the dialogue of the first of these |

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use thiserror::Error;

use super::super::referee::Reason;
use super::games::{Fault, GameSettings};
use super::{State, StateError};
use crate::util::run_folder::{self, RunFolderError, at};

const SETTINGS_FILE: &str = "tuning.json";
const STATE_FILE: &str = "spsa.json";
const HISTORY_FILE: &str = "history.csv";
const FAULTS_FILE: &str = "faults.jsonl";
const FAULTS_FOLDER: &str = "faults";
/// Raised when old folders can no longer be read.
const FORMAT: u32 = 1;
/// Faults whose dialogue is kept; after so many there is nothing new to be seen.
const DIALOGUES: u64 = 50;

/// The folder of a run, open for writing.
pub struct Folder {
    path: PathBuf,
    settings: GameSettings,
    faults: Mutex<Faults>,
}

struct Faults {
    file: File,
    counts: BTreeMap<Reason, u64>,
}

/// Why a run cannot be kept or go on.
#[derive(Debug, Error)]
pub enum FolderError {
    /// The folder.
    #[error(transparent)]
    Folder(#[from] RunFolderError),
    /// A new run was to begin where there is one.
    #[error("{} holds a run of spsa already: go on with it by --resume, or choose another folder", .0.display())]
    Occupied(PathBuf),
    /// A run was to go on where there is none.
    #[error("{} holds no run of spsa: expected the files {SETTINGS_FILE} and {STATE_FILE} in it", .0.display())]
    Missing(PathBuf),
    /// The state cannot be written or read.
    #[error(transparent)]
    State(#[from] StateError),
}

impl Folder {
    /// Makes sure that a run can begin in a folder, as far as that can be seen without touching it.
    ///
    /// # Errors
    /// There is one already.
    pub fn check_free(path: &Path) -> Result<(), FolderError> {
        let is_there = |name| path.join(name).exists();
        if is_there(SETTINGS_FILE) || is_there(STATE_FILE) {
            return Err(FolderError::Occupied(path.to_owned()));
        }
        Ok(())
    }

    /// Begins a run in a folder, which is made if it is not there.
    ///
    /// # Errors
    /// The folder holds a run, or cannot be written.
    pub fn create(path: &Path, settings: GameSettings, state: &State) -> Result<Self, FolderError> {
        Self::check_free(path)?;
        fs::create_dir_all(path).map_err(at(path))?;
        let folder = Self::open(path, settings)?;
        run_folder::write_settings(&path.join(SETTINGS_FILE), FORMAT, &folder.settings)?;
        state.save(&folder.state_path())?;
        Ok(folder)
    }

    /// Goes on with the run in a folder.
    ///
    /// # Errors
    /// There is none, another process is at it, or a file is broken.
    pub fn resume(path: &Path) -> Result<(Self, State), FolderError> {
        let file = path.join(SETTINGS_FILE);
        if !file.exists() || !path.join(STATE_FILE).exists() {
            return Err(FolderError::Missing(path.to_owned()));
        }
        let folder = Self::open(path, run_folder::read_settings(&file, FORMAT)?)?;
        let state = State::load(&folder.state_path())?;
        Ok((folder, state))
    }

    fn open(path: &Path, settings: GameSettings) -> Result<Self, FolderError> {
        let faults_path = path.join(FAULTS_FILE);
        let mut file = run_folder::open_alone(path, FAULTS_FILE)?;
        let lines: Vec<(Fault, u64)> = run_folder::read_lines(&faults_path)?;
        // What a kill left of a line is dropped.
        let end = lines.last().map_or(0, |&(_, end)| end);
        file.set_len(end).map_err(at(&faults_path))?;
        file.seek(SeekFrom::End(0)).map_err(at(&faults_path))?;
        let mut counts = BTreeMap::new();
        for (fault, _) in lines {
            *counts.entry(fault.reason).or_default() += 1;
        }
        Ok(Self {
            path: path.to_owned(),
            settings,
            faults: Mutex::new(Faults { file, counts }),
        })
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is played.
    pub fn settings(&self) -> &GameSettings {
        &self.settings
    }

    /// The file of the state.
    pub fn state_path(&self) -> PathBuf {
        self.path.join(STATE_FILE)
    }

    /// Games lost by faults so far, also in earlier parts of the run.
    pub fn faults(&self) -> BTreeMap<Reason, u64> {
        self.lock_faults().counts.clone()
    }

    /// Keeps a fault, and the dialogue of the first ones.
    ///
    /// # Errors
    /// The files cannot be written.
    pub fn keep_fault(&self, fault: &Fault, dialogue: &[String]) -> Result<(), FolderError> {
        let path = self.path.join(FAULTS_FILE);
        let line = run_folder::line_of(&path, fault)?;
        let mut faults = self.lock_faults();
        *faults.counts.entry(fault.reason).or_default() += 1;
        faults.file.write_all(line.as_bytes()).map_err(at(&path))?;
        if faults.counts.values().sum::<u64>() > DIALOGUES {
            return Ok(());
        }
        drop(faults);
        let folder = self.path.join(FAULTS_FOLDER);
        fs::create_dir_all(&folder).map_err(at(&folder))?;
        let path = folder.join(format!("{:06}-{}.txt", fault.iteration, fault.game));
        let text = format!(
            "{fault}\n\n> to the engine, < from it, ! its error output\n{}\n",
            dialogue.join("\n")
        );
        fs::write(&path, text).map_err(at(&path))?;
        Ok(())
    }

    /// Writes the values in the course of the run.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_history(&self, state: &State) -> Result<(), FolderError> {
        let names = state.parameters().iter().map(|p| p.name.clone());
        let mut lines = vec![row("iterations".to_owned(), names)];
        for point in state.history() {
            let values = point.theta.iter().map(f64::to_string);
            lines.push(row(point.finished.to_string(), values));
        }
        let text = lines.join("\n") + "\n";
        Ok(run_folder::replace(&self.path.join(HISTORY_FILE), &text)?)
    }

    fn lock_faults(&self) -> MutexGuard<'_, Faults> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A line of a table without its end.
fn row(first: String, rest: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = iter::once(first).chain(rest).collect();
    cells.join(",")
}
