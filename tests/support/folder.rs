//! A folder of a test.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{fs, process, thread};

/// A folder that is removed with its test, unless the test failed.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    /// An empty folder that no other test has.
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let test = thread::current();
        let test = test.name().unwrap_or_default().replace("::", "-");
        let name = format!("{test}-{}-{number}", process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
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

    pub(crate) fn has(&self, name: &str) -> bool {
        self.file(name).exists()
    }

    /// Writes a file, and the folders above it.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.file(name);
        let parent = path.parent().expect("a file below the folder");
        fs::create_dir_all(parent).expect("a folder can be made");
        fs::write(&path, content).expect("a file can be written");
        path
    }

    /// Makes a folder below it.
    pub(crate) fn make(&self, name: &str) -> PathBuf {
        let path = self.file(name);
        fs::create_dir_all(&path).expect("a folder can be made");
        path
    }

    pub(crate) fn remove(&self, name: &str) {
        fs::remove_file(self.file(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    }

    /// The content of a file.
    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.file(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The content of a text file.
    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).expect("UTF-8")
    }

    /// The number of line ends in a file, which may be missing.
    pub(crate) fn lines(&self, name: &str) -> usize {
        fs::read(self.file(name)).map_or(0, |bytes| bytes.split(|&byte| byte == b'\n').count() - 1)
    }

    pub(crate) fn json(&self, name: &str) -> serde_json::Value {
        serde_json::from_slice(&self.bytes(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The names in a folder below it, in order.
    pub(crate) fn names(&self, name: &str) -> Vec<String> {
        let entries = fs::read_dir(self.file(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        let name = |entry: fs::DirEntry| entry.file_name().into_string().expect("UTF-8");
        let mut names: Vec<String> = entries.map(|entry| name(entry.expect("a file"))).collect();
        names.sort();
        names
    }

    /// Asserts that a file has the same content in two folders below it.
    #[track_caller]
    pub(crate) fn same_in(&self, folders: [&str; 2], name: &str) {
        let [one, other] = folders.map(|folder| self.bytes(&format!("{folder}/{name}")));
        assert!(one == other, "{name} differs");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !thread::panicking() {
            let _ = fs::remove_dir_all(&self.0);
        }
    }
}
