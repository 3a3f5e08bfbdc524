//! Replacing and locking the files in the folder of a run.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::error::{FolderError, io_error};

/// How long to wait for a lock. A process that was killed while it started an engine can leave a
/// copy of itself, which holds the lock until it has become the engine.
const PATIENCE: Duration = Duration::from_secs(1);
const RETRY: Duration = Duration::from_millis(20);

/// Size of the buffer of a file that is written, in bytes.
const BUFFER: usize = 1 << 20;

/// Replaces the content of a file atomically, by writing a file beside it and renaming that: after
/// a kill or a crash there is the old content or the new one.
///
/// # Errors
/// The file cannot be written; it then keeps its old content, and nothing is left beside it.
pub(crate) fn replace_with(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    let beside = PathBuf::from(name);
    let mut file = BufWriter::with_capacity(BUFFER, File::create(&beside)?);
    let written = write(&mut file)
        .and_then(|()| file.flush())
        // Without this the file could be renamed on disk before its content is there.
        .and_then(|()| file.get_ref().sync_all())
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Replaces the content of a file atomically, as [`replace_with`].
///
/// # Errors
/// The file cannot be written; it then keeps its old content.
pub(crate) fn replace(path: &Path, text: &str) -> Result<(), FolderError> {
    replace_with(path, |file| file.write_all(text.as_bytes())).map_err(io_error(path))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_keeps_the_old_content_and_leaves_nothing() {
        let name = format!("raicho-replace-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("kept.json");
        replace(&path, "old").expect("it can be written");
        let failed = replace_with(&path, |file| {
            file.write_all(b"half")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert!(failed.is_err_and(|error| error.kind() == io::ErrorKind::StorageFull));
        assert_eq!(fs::read_to_string(&path).ok().as_deref(), Some("old"));
        replace(&path, "new").expect("it can be written");
        assert_eq!(fs::read_to_string(&path).ok().as_deref(), Some("new"));
        assert_eq!(fs::read_dir(&folder).map(Iterator::count).ok(), Some(1));
        fs::remove_dir_all(&folder).expect("our own folder");
    }
}
