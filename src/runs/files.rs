//! Replacing and locking the files in the folder of a run.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::error::{FolderError, io_error};

/// How long to wait for a lock. A process that was killed while it started an engine can leave a
/// copy of itself, which holds the lock until it has become the engine.
const PATIENCE: Duration = Duration::from_secs(1);
const RETRY: Duration = Duration::from_millis(20);

/// Replaces the content of a file atomically, by writing a file beside it and renaming that.
///
/// # Errors
/// The file cannot be written; it then keeps its old content.
pub(crate) fn replace(path: &Path, text: &str) -> Result<(), FolderError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    let beside = PathBuf::from(name);
    fs::write(&beside, text).map_err(io_error(&beside))?;
    fs::rename(&beside, path).map_err(io_error(path))
}

/// Opens a file of a folder, creating it if necessary, and locks it. The process that holds the
/// lock owns the folder until it closes the file.
///
/// # Errors
/// The file cannot be opened, or another process holds the lock.
pub(super) fn lock(folder: &Path, name: &str) -> Result<File, FolderError> {
    let path = folder.join(name);
    // Not in append mode, in which a file cannot be shortened on every system.
    let file = OpenOptions::new()
        .create(true)
        .read(true)
        .write(true)
        .truncate(false)
        .open(&path)
        .map_err(io_error(&path))?;
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => break,
            Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => sleep(RETRY),
            Err(TryLockError::WouldBlock) => return Err(FolderError::InUse(folder.to_owned())),
            // Some network file systems have no locks; the run continues without one.
            Err(TryLockError::Error(error)) => {
                log::warn!("{} cannot be locked: {error}", folder.display());
                break;
            }
        }
    }
    Ok(file)
}
