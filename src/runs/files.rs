//! Replacing and locking the files in the folder of a run.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use super::error::{FolderError, io_error};

/// Gives a file another content at once.
///
/// # Errors
/// The file cannot be written; its content is the old one then.
pub(crate) fn replace(path: &Path, text: &str) -> Result<(), FolderError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    let beside = PathBuf::from(name);
    fs::write(&beside, text).map_err(io_error(&beside))?;
    fs::rename(&beside, path).map_err(io_error(path))
}

/// Opens a file of a folder, made if it is not there, that only one process at a time can have;
/// by it the process has the folder, until the file is closed.
///
/// # Errors
/// The system refuses, or another process has it.
pub(super) fn lock(folder: &Path, name: &str) -> Result<File, FolderError> {
    let path = folder.join(name);
    // Not in append mode, which cannot shorten a file on every system.
    let file = OpenOptions::new()
        .create(true)
        .read(true)
        .write(true)
        .truncate(false)
        .open(&path)
        .map_err(io_error(&path))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(FolderError::InUse(folder.to_owned())),
        // Some network file systems know no locks; a run can do without.
        Err(TryLockError::Error(error)) => {
            log::warn!("{} cannot be locked: {error}", folder.display());
        }
    }
    Ok(file)
}
