//! What the folders of long runs have in common: settings that a run can only go on with, a journal of one line of JSON for
//! each thing done, and one process at a time that writes there.
//!
//! A kill leaves at most a part of the journal's last line, which does not count; settings are written beside and
//! renamed, so that there is always a whole file.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why the folder of a run cannot be used.
#[derive(Debug, Error)]
pub enum RunFolderError {
    /// The system refuses.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another process writes there.
    #[error("{}: another run is writing there at this moment", .0.display())]
    InUse(PathBuf),
    /// A file cannot be understood.
    #[error("{}{}: {reason}", path.display(), line.map(|line| format!(" line {line}")).unwrap_or_default())]
    Content {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: Option<usize>,
        /// What is wrong with it.
        reason: String,
    },
}

/// The settings file.
#[derive(Serialize, Deserialize)]
struct Header<S> {
    format: u32,
    program: String,
    #[serde(alias = "games")]
    settings: S,
}

/// For [`Result::map_err`] of something that was done with a file.
pub(crate) fn at(path: &Path) -> impl Fn(io::Error) -> RunFolderError {
    let path = path.to_owned();
    move |source| RunFolderError::Io {
        path: path.clone(),
        source,
    }
}

/// For something in a file that is no JSON of the right kind.
fn in_content(path: &Path, line: Option<usize>) -> impl Fn(serde_json::Error) -> RunFolderError {
    let path = path.to_owned();
    move |error| RunFolderError::Content {
        path: path.clone(),
        line,
        reason: error.to_string(),
    }
}

/// Writes settings with the program and the format, a number that is raised when old folders can no longer be read.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn write_settings<S: Serialize>(
    path: &Path,
    format: u32,
    settings: &S,
) -> Result<(), RunFolderError> {
    let header = Header {
        format,
        program: concat!("raicho ", env!("CARGO_PKG_VERSION")).to_owned(),
        settings,
    };
    let text = serde_json::to_string_pretty(&header).map_err(in_content(path, None))?;
    replace(path, &(text + "\n"))
}

/// Reads settings of this format.
///
/// # Errors
/// The file cannot be read, is broken, or has another format.
pub(crate) fn read_settings<S: DeserializeOwned>(
    path: &Path,
    format: u32,
) -> Result<S, RunFolderError> {
    let text = fs::read_to_string(path).map_err(at(path))?;
    let header: Header<S> =
        serde_json::from_str(&text).map_err(|error| in_content(path, Some(error.line()))(error))?;
    if header.format != format {
        let reason = format!(
            "format {} of {}, this version reads format {format}",
            header.format, header.program
        );
        return Err(RunFolderError::Content {
            path: path.to_owned(),
            line: None,
            reason,
        });
    }
    Ok(header.settings)
}

/// Gives a file another content at once.
///
/// # Errors
/// The file cannot be written; it is what it was then.
pub(crate) fn replace(path: &Path, text: &str) -> Result<(), RunFolderError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    let beside = PathBuf::from(name);
    fs::write(&beside, text).map_err(at(&beside))?;
    fs::rename(&beside, path).map_err(at(path))
}

/// Opens a file to write on in it, and makes it if it is not there. Not in append mode, which cannot shorten a file on every
/// system.
///
/// # Errors
/// The system refuses.
pub(crate) fn open(path: &Path) -> Result<File, RunFolderError> {
    OpenOptions::new()
        .create(true)
        .read(true)
        .write(true)
        .truncate(false)
        .open(path)
        .map_err(at(path))
}

/// The same for a file that one process at a time has, by which it has the folder: nobody else gets it until it is closed.
///
/// # Errors
/// The system refuses, or another process has it.
pub(crate) fn open_alone(folder: &Path, name: &str) -> Result<File, RunFolderError> {
    let file = open(&folder.join(name))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(RunFolderError::InUse(folder.to_owned())),
        // Some network file systems know no locks; a run can do without.
        Err(TryLockError::Error(error)) => {
            log::warn!("{} cannot be locked: {error}", folder.display());
        }
    }
    Ok(file)
}

/// An entry of a journal as its line.
///
/// # Errors
/// Only where the entry cannot be JSON.
pub(crate) fn line_of<T: Serialize>(path: &Path, entry: &T) -> Result<String, RunFolderError> {
    let text = serde_json::to_string(entry).map_err(in_content(path, None))?;
    Ok(text + "\n")
}

/// The entries of a journal, each with the byte at which its line ends; none where there is no file. What comes after the
/// last whole line does not count.
///
/// # Errors
/// The file cannot be read, or a whole line is no entry.
pub(crate) fn read_lines<T: DeserializeOwned>(
    path: &Path,
) -> Result<Vec<(T, u64)>, RunFolderError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(at(path)(error)),
    };
    let mut reader = BufReader::new(file);
    let (mut entries, mut end, mut text) = (Vec::new(), 0, Vec::new());
    for line in 1.. {
        text.clear();
        let length = reader.read_until(b'\n', &mut text).map_err(at(path))?;
        if text.last() != Some(&b'\n') {
            break;
        }
        end += length as u64;
        let entry = serde_json::from_slice(&text).map_err(in_content(path, Some(line)))?;
        entries.push((entry, end));
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_found_as_it_was_left() {
        let folder = std::env::temp_dir().join(format!("raicho-run-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder can be made");
        let (settings, journal) = (folder.join("run.json"), folder.join("run.jsonl"));
        write_settings(&settings, 3, &[1, 2]).expect("it can be written");
        assert_eq!(
            read_settings::<[u32; 2]>(&settings, 3).expect("whole"),
            [1, 2]
        );
        let error = read_settings::<[u32; 2]>(&settings, 4).expect_err("another format");
        assert!(error.to_string().contains("format 3 of raicho"), "{error}");

        assert!(read_lines::<u32>(&journal).expect("no file").is_empty());
        fs::write(&journal, "12\n345\n6").expect("it can be written");
        let entries = read_lines::<u32>(&journal).expect("two whole lines");
        assert_eq!(entries, [(12, 3), (345, 7)]);
        fs::write(&journal, "12\nx\n").expect("it can be written");
        let error = read_lines::<u32>(&journal).expect_err("no number");
        assert!(error.to_string().contains("run.jsonl line 2: "), "{error}");

        let first = open_alone(&folder, "lock").expect("nobody has it");
        let second = open_alone(&folder, "lock");
        assert!(matches!(second, Err(RunFolderError::InUse(_))));
        drop(first);
        assert!(open_alone(&folder, "lock").is_ok());
        let _ = fs::remove_dir_all(&folder);
    }
}
