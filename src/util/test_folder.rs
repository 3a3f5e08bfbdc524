//! A folder of a test.

use std::sync::atomic::{AtomicU32, Ordering};
use std::{fs, path::PathBuf};

/// A folder for temporary files, empty at first, that is removed with its test.
pub(crate) struct TestFolder(pub(crate) PathBuf);

impl TestFolder {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("raicho-test-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("there is a folder for temporary files");
        Self(path)
    }

    /// The path of a file in it.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file, and the folders above it.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.file(name);
        let parent = path.parent().expect("a file below the folder");
        fs::create_dir_all(parent).expect("a folder can be made");
        fs::write(&path, content).expect("a file can be written");
        path
    }

    /// The number of its files and folders.
    pub(crate) fn count(&self) -> usize {
        fs::read_dir(&self.0).expect("the folder is there").count()
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
