//! The engine that a page carries.

use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::Context as _;

/// The script with the engine, in the folder of the package.
const SCRIPT: &str = "raicho.page.js";
/// The folder of the package beside the executable.
const FOLDER: &str = "pkg";

/// The script with the engine from `folder`, or from the folder beside the executable.
///
/// # Errors
/// It cannot be read.
pub(super) fn engine(folder: Option<&Path>) -> anyhow::Result<String> {
    let path = folder
        .map_or_else(beside_executable, Path::to_owned)
        .join(SCRIPT);
    fs::read_to_string(&path).with_context(|| {
        format!(
            "cannot read {}, expected the engine for pages in the folder of --with-engine, which \
             web/build.sh makes",
            path.display()
        )
    })
}

fn beside_executable() -> PathBuf {
    let executable = env::current_exe().unwrap_or_default();
    executable.parent().unwrap_or(Path::new("")).join(FOLDER)
}
