//! A folder of a test.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

/// A folder that is removed with its test, unless the test failed.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    /// An empty folder; the name is unique among the tests of this crate.
    pub(crate) fn new(name: &str) -> Self {
        let name = format!("{name}-{}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("the folder for tests can be written");
        Self(path)
    }

    /// A path below it.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The text of a path below it, as an argument.
    pub(crate) fn path(&self, name: &str) -> String {
        self.file(name).display().to_string()
    }

    /// Writes a file.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.file(name);
        fs::write(&path, text).expect("a file can be written");
        path
    }

    /// The content of a file.
    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.file(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The content of a text file.
    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).expect("UTF-8")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !thread::panicking() {
            let _ = fs::remove_dir_all(&self.0);
        }
    }
}
