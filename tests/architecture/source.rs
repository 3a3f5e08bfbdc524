//! The Rust files of the crate as text.

use std::fs;
use std::path::{Path, PathBuf};

/// One file, named by its path below the folder that was read.
pub(crate) struct Source {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Source {
    /// The path of the module that this file is, without `crate`; empty for the two roots.
    pub(crate) fn module(&self) -> Vec<&str> {
        let stem = self.path.strip_suffix(".rs").unwrap_or(&self.path);
        let mut module: Vec<&str> = stem.split('/').collect();
        if matches!(module.last(), Some(&"mod")) || matches!(module[..], ["lib" | "main"]) {
            module.pop();
        }
        module
    }
}

/// All Rust files below `folder` of the repository, in order of their paths, without what a build
/// leaves there.
pub(crate) fn sources(folder: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut folders = vec![root.clone()];
    let mut files: Vec<PathBuf> = Vec::new();
    while let Some(open) = folders.pop() {
        for entry in fs::read_dir(open).expect("folders of sources can be listed") {
            let path = entry.expect("folders of sources can be listed").path();
            if path.is_dir() && !path.ends_with("target") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    assert!(!files.is_empty());
    let read = |file: PathBuf| {
        let text = fs::read_to_string(&file).expect("sources are UTF-8");
        let path = file.strip_prefix(&root).expect("below the folder");
        Source {
            path: path.to_string_lossy().replace('\\', "/"),
            text,
        }
    };
    files.into_iter().map(read).collect()
}

/// A file that a test makes up.
pub(crate) fn source(path: &str, text: &str) -> Source {
    Source {
        path: path.to_string(),
        text: text.to_string(),
    }
}
