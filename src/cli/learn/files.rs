//! The files to learn from.

use std::collections::HashSet;
use std::path::PathBuf;

use crate::cli::usage::ensure_usage;
use crate::train::data::Sources;

/// Checks that no file is learnt from twice, or both learnt from and held out.
pub(super) fn check_apart<'a>(
    files: impl Iterator<Item = &'a PathBuf>,
    held_out_files: &'a [PathBuf],
) -> anyhow::Result<()> {
    let mut seen = HashSet::new();
    for path in files.chain(held_out_files) {
        // A file that is not there is refused when it is read.
        let place = path.canonicalize().unwrap_or_else(|_| path.clone());
        ensure_usage!(
            seen.insert(place),
            "{} is given twice: expected each file once, to learn from or held out",
            path.display()
        );
    }
    Ok(())
}

/// The files, with folders replaced by the files in them.
pub(super) fn listed(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let sources = Sources::new(paths, None)?;
    let files = sources.files().iter().map(|file| (file, &file.path));
    // A named file is read or refused; of folders only usable files are taken.
    let files = files.filter(|(file, path)| file.format.has_scores() || paths.contains(path));
    Ok(files.map(|(_, path)| path.clone()).collect())
}
