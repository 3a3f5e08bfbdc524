//! Files that hold a result, written at once when the work is done: a page, a record, a graph.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context, ensure};

use crate::runs::OutputFile;

/// Checks before the work that the file can be written then, and that it is not read.
///
/// # Errors
/// It cannot be, or it is one of the files in `read`.
pub(super) fn check<'a>(
    path: &Path,
    mut read: impl Iterator<Item = &'a Path>,
) -> anyhow::Result<()> {
    let name = path.display();
    ensure!(
        !path.is_dir(),
        "{name} is a folder, expected the name of a file"
    );
    let place = path.canonicalize().ok();
    let is_same = |input: &Path| place.is_some() && input.canonicalize().ok() == place;
    ensure!(
        !read.any(is_same),
        "{name} is read and would be overwritten: give another name"
    );
    if !is_special(path) {
        // Removed again, as nothing finishes it.
        OutputFile::create(path).with_context(|| format!("{name} cannot be written"))?;
    }
    Ok(())
}

/// Writes the file. It has its name only once it is complete, so that one from before is kept if
/// the disk is full.
///
/// # Errors
/// It cannot be written.
pub(super) fn save(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let name = || path.display().to_string();
    if is_special(path) {
        return std::fs::write(path, bytes).with_context(name);
    }
    let mut file = OutputFile::create(path).with_context(name)?;
    file.write_all(bytes).with_context(name)?;
    file.finish().with_context(name)
}

/// Whether this is a pipe, a device or a link such as `/dev/stdout`, which no file may replace.
fn is_special(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|data| !data.is_file())
}
