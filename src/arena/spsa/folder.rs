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
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::super::referee::Reason;
use super::games::{Fault, GameSettings};
use super::{State, StateError};

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

/// The settings file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    format: u32,
    program: String,
    games: GameSettings,
}

/// Why a run cannot be kept or go on.
#[derive(Debug, Error)]
pub enum FolderError {
    /// The system refuses.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A new run was to begin where there is one.
    #[error("{} holds a run of spsa already: go on with it by --resume, or choose another folder", .0.display())]
    Occupied(PathBuf),
    /// A run was to go on where there is none.
    #[error("{} holds no run of spsa: expected the files {SETTINGS_FILE} and {STATE_FILE} in it", .0.display())]
    Missing(PathBuf),
    /// Another process writes there.
    #[error("{}: another process goes on with this run at the moment", .0.display())]
    InUse(PathBuf),
    /// A file cannot be understood.
    #[error("{}: {reason}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
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
        let header = Header {
            format: FORMAT,
            program: concat!("raicho ", env!("CARGO_PKG_VERSION")).to_owned(),
            games: folder.settings.clone(),
        };
        let content = |error: serde_json::Error| FolderError::Content {
            path: path.join(SETTINGS_FILE),
            reason: error.to_string(),
        };
        let text = serde_json::to_string_pretty(&header).map_err(content)? + "\n";
        folder.replace(SETTINGS_FILE, &text)?;
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
        let text = fs::read_to_string(&file).map_err(at(&file))?;
        let broken = |reason: String| FolderError::Content {
            path: file.clone(),
            reason,
        };
        let header: Header =
            serde_json::from_str(&text).map_err(|error| broken(error.to_string()))?;
        if header.format != FORMAT {
            return Err(broken(format!(
                "format {} of {}, this version reads format {FORMAT}",
                header.format, header.program
            )));
        }
        let folder = Self::open(path, header.games)?;
        let state = State::load(&folder.state_path())?;
        Ok((folder, state))
    }

    fn open(path: &Path, settings: GameSettings) -> Result<Self, FolderError> {
        let faults_path = path.join(FAULTS_FILE);
        let at_faults = || at(&faults_path);
        // Not in append mode, which cannot shorten a file on every system.
        let mut file = OpenOptions::new()
            .create(true)
            .read(true)
            .write(true)
            .truncate(false)
            .open(&faults_path)
            .map_err(at_faults())?;
        file.try_lock()
            .map_err(|_| FolderError::InUse(path.to_owned()))?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(at_faults())?;
        // What a kill left of a line is dropped.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        file.set_len(whole as u64).map_err(at_faults())?;
        file.seek(SeekFrom::End(0)).map_err(at_faults())?;
        let mut counts = BTreeMap::new();
        for (number, line) in (1..).zip(text[..whole].lines()) {
            let fault: Fault = serde_json::from_str(line).map_err(|error| {
                let reason = format!("line {number}: {error}");
                FolderError::Content {
                    path: faults_path.clone(),
                    reason,
                }
            })?;
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
        let line = serde_json::to_string(fault).map_err(|error| FolderError::Content {
            path: path.clone(),
            reason: error.to_string(),
        })?;
        let mut faults = self.lock_faults();
        *faults.counts.entry(fault.reason).or_default() += 1;
        faults
            .file
            .write_all((line + "\n").as_bytes())
            .map_err(at(&path))?;
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
        fs::write(&path, text).map_err(at(&path))
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
        self.replace(HISTORY_FILE, &(lines.join("\n") + "\n"))
    }

    /// Written beside and renamed, so that there is always a whole file.
    fn replace(&self, name: &str, text: &str) -> Result<(), FolderError> {
        let path = self.path.join(name);
        let beside = self.path.join(format!("{name}.new"));
        fs::write(&beside, text).map_err(at(&beside))?;
        fs::rename(&beside, &path).map_err(at(&path))
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

fn at(path: &Path) -> impl Fn(io::Error) -> FolderError {
    let path = path.to_owned();
    move |source| FolderError::Io {
        path: path.clone(),
        source,
    }
}
