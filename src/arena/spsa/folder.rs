//! The folder of a run: everything that is needed to resume it, and files for people.
//!
//! | File | Content |
//! |---|---|
//! | `tuning.json` | the settings of the games: engine, rules, openings, pairs |
//! | `spsa.json` | the state: parameters, settings of the algorithm, current values |
//! | `history.csv` | the values over the run, for a graph |
//! | `faults.jsonl` | one line of JSON per game that was lost by a fault |
//! | `faults/` | the last lines of the dialogue of the first of these games |

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use thiserror::Error;

use super::super::referee::Reason;
use super::games::{Fault, GameSettings};
use super::{State, StateError};
use crate::runs::{self, FolderError as RunFolderError, RunFolder, RunKind};

const KIND: RunKind = RunKind {
    noun: "run of spsa",
    settings: "tuning.json",
    journal: "faults.jsonl",
    format: 1,
};
const STATE_FILE: &str = "spsa.json";
const HISTORY_FILE: &str = "history.csv";
const FAULTS_FOLDER: &str = "faults";
/// Maximum number of faults whose dialogue is kept; further ones rarely show anything new.
const DIALOGUES: u64 = 50;

/// The folder of a run, open for writing.
pub struct Folder {
    path: PathBuf,
    settings: GameSettings,
    /// The journal contains the faults; results are in the state.
    faults: Mutex<Faults>,
}

struct Faults {
    folder: RunFolder,
    counts: BTreeMap<Reason, u64>,
}

/// Why the folder of a run cannot be used.
#[derive(Debug, Error)]
pub enum FolderError {
    /// The folder cannot be used.
    #[error(transparent)]
    Folder(#[from] RunFolderError),
    /// The state cannot be written or read.
    #[error(transparent)]
    State(#[from] StateError),
}

impl Folder {
    /// Checks that a new run can begin in the folder, without writing to it. Settings without a
    /// state are left of a run that ended before it began.
    ///
    /// # Errors
    /// The folder holds a run already.
    pub fn check_free(path: &Path) -> Result<(), FolderError> {
        if path.join(STATE_FILE).exists() {
            return Err(FolderError::Folder(RunFolderError::Occupied {
                path: path.to_owned(),
                noun: KIND.noun,
            }));
        }
        Ok(())
    }

    /// Begins a run in a folder, which is created if necessary.
    ///
    /// # Errors
    /// The folder holds a run already, or cannot be written.
    pub fn create(path: &Path, settings: GameSettings, state: &State) -> Result<Self, FolderError> {
        Self::check_free(path)?;
        if RunFolder::exists(path, KIND) {
            let file = path.join(KIND.settings);
            fs::remove_file(&file).map_err(runs::io_error(&file))?;
        }
        let folder = RunFolder::create(path, KIND, &settings)?;
        let folder = Self::new(folder, settings, &[]);
        state.save(&folder.state_path())?;
        Ok(folder)
    }

    /// Resumes the run in a folder and returns its state.
    ///
    /// # Errors
    /// The folder holds no run, another process has it open, or a file is not valid.
    pub fn resume(path: &Path) -> Result<(Self, State), FolderError> {
        if !path.join(STATE_FILE).exists() {
            return Err(FolderError::Folder(RunFolderError::Missing {
                path: path.to_owned(),
                kind: RunKind {
                    settings: STATE_FILE,
                    ..KIND
                },
            }));
        }
        let settings = runs::read_settings(path, KIND)?;
        let (mut folder, mut faults): (_, Vec<Fault>) = RunFolder::resume(path, KIND)?;
        let state = State::load(&path.join(STATE_FILE))?;
        // Iterations without a result are played again, and so are their faults.
        let before = faults.len();
        faults.retain(|fault| state.has_finished(fault.iteration));
        if faults.len() < before {
            drop(folder);
            rewrite(&path.join(KIND.journal), &faults)?;
            (folder, faults) = RunFolder::resume(path, KIND)?;
        }
        Ok((Self::new(folder, settings, &faults), state))
    }

    fn new(folder: RunFolder, settings: GameSettings, faults: &[Fault]) -> Self {
        let mut counts = BTreeMap::new();
        for fault in faults {
            *counts.entry(fault.reason).or_default() += 1;
        }
        Self {
            path: folder.path().to_owned(),
            settings,
            faults: Mutex::new(Faults { folder, counts }),
        }
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The settings of the games.
    pub fn settings(&self) -> &GameSettings {
        &self.settings
    }

    /// The path of the state file.
    pub fn state_path(&self) -> PathBuf {
        self.path.join(STATE_FILE)
    }

    /// Number of games lost by each kind of fault, earlier parts of the run included.
    pub fn faults(&self) -> BTreeMap<Reason, u64> {
        self.lock_faults().counts.clone()
    }

    /// Appends a fault to the journal, and writes the dialogue of the first ones.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn keep_fault(&self, fault: &Fault, dialogue: &[String]) -> Result<(), FolderError> {
        let mut faults = self.lock_faults();
        *faults.counts.entry(fault.reason).or_default() += 1;
        faults.folder.append(fault)?;
        if faults.counts.values().sum::<u64>() > DIALOGUES {
            return Ok(());
        }
        let name = format!("{:06}-{}.txt", fault.iteration, fault.game);
        let text = format!(
            "{fault}\n\n> to the engine, < from it, ! its error output\n{}\n",
            dialogue.join("\n")
        );
        let name = Path::new(FAULTS_FOLDER).join(name);
        Ok(faults.folder.write_file(&name, text.as_bytes())?)
    }

    /// Writes the values over the run as CSV.
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
        Ok(runs::replace(&self.path.join(HISTORY_FILE), &text)?)
    }

    fn lock_faults(&self) -> MutexGuard<'_, Faults> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Replaces the journal by one of these faults.
fn rewrite(journal: &Path, faults: &[Fault]) -> Result<(), RunFolderError> {
    runs::replace_with(journal, |file| {
        for fault in faults {
            serde_json::to_writer(&mut *file, fault)?;
            file.write_all(b"\n")?;
        }
        Ok(())
    })
    .map_err(runs::io_error(journal))
}

/// A row of the CSV file without the line end.
fn row(first: String, rest: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = iter::once(first).chain(rest).collect();
    cells.join(",")
}
