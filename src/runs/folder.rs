//! The folder of a run: its settings, its journal, and a lock for one writing process at a time.
//!
//! A run can only be resumed with the settings that it began with. The journal has one line of JSON
//! per finished piece; a killed process leaves at most one incomplete line at the end, which is
//! ignored.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fmt, thread::sleep};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use thiserror::Error;

use super::OutputFile;
use crate::util::{read_file, read_utf8};

/// What distinguishes the run folders of one tool from those of another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunKind {
    /// What a folder holds, for messages: such as `match`.
    pub noun: &'static str,
    /// File name of the settings.
    pub settings: &'static str,
    /// File name of the journal.
    pub journal: &'static str,
    /// Format number of the settings file. Raised when folders of earlier versions can no longer be
    /// read.
    pub format: u32,
}

/// Name of the lock file in folders without a journal.
const LOCK_FILE: &str = "lock";

/// Ownership of a folder that has no journal: no other process can take it until this is dropped.
/// The lock file goes then, and so does the folder if nothing was written there.
#[derive(Debug)]
pub struct FolderLock {
    path: PathBuf,
    _file: File,
}

impl FolderLock {
    /// Creates the folder if necessary and locks it.
    ///
    /// # Errors
    /// The folder cannot be written, or another process holds the lock.
    pub fn take(folder: &Path) -> Result<Self, FolderError> {
        create_folder(folder)?;
        Ok(Self { path: folder.to_owned(), _file: lock(folder, LOCK_FILE)? })
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(self.path.join(LOCK_FILE)) {
            log::warn!("{}: {error}", self.path.display());
        }
        // Fails where the folder holds anything.
        let _ = fs::remove_dir(&self.path);
    }
}

/// The folder of a run, open for writing. No other process can open it until this is dropped.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    kind: RunKind,
    journal: File,
    /// Length of the journal up to the last complete line, in bytes.
    end: u64,
}

impl RunFolder {
    /// Whether the folder holds a run of this kind.
    pub fn exists(path: &Path, kind: RunKind) -> bool {
        path.join(kind.settings).exists()
    }

    /// Checks that a new run can begin in the folder, without writing to it.
    ///
    /// # Errors
    /// The folder holds a run already.
    pub fn check_free(path: &Path, kind: RunKind) -> Result<(), FolderError> {
        if Self::exists(path, kind) {
            return Err(FolderError::occupied(path, kind));
        }
        Ok(())
    }

    /// Begins a run in a folder, which is created if necessary.
    ///
    /// # Errors
    /// The folder holds a run already, or cannot be written.
    pub fn create<S: Serialize>(
        path: &Path,
        kind: RunKind,
        settings: &S,
    ) -> Result<Self, FolderError> {
        create_folder(path)?;
        Self::check_free(path, kind)?;
        let file = lock(path, kind.journal)?;
        // Checked again under the lock: another process may have been faster.
        Self::check_free(path, kind)?;
        if file.metadata().map_err(io_error(path))?.len() > 0 {
            return Err(is_gone(&path.join(kind.settings), kind.journal));
        }
        write_header(&path.join(kind.settings), kind.format, settings)?;
        Self::open(path, kind, file, 0)
    }

    /// Continues the journal at offset `end`; anything after that is cut off.
    fn open(path: &Path, kind: RunKind, mut journal: File, end: u64) -> Result<Self, FolderError> {
        cut(&mut journal, end).map_err(io_error(&path.join(kind.journal)))?;
        Ok(Self { path: path.to_owned(), kind, journal, end })
    }

    /// Resumes the run in a folder and returns its journal entries. An incomplete last line, which
    /// a killed process can leave, is cut off.
    ///
    /// # Errors
    /// The folder holds no run, another process has it open, or a file is not valid.
    pub fn resume<E: DeserializeOwned>(
        path: &Path,
        kind: RunKind,
    ) -> Result<(Self, Vec<E>), FolderError> {
        Self::resume_where(path, kind, |_| true)
    }

    /// As [`RunFolder::resume`], but drops entries from the end of the journal until the last one
    /// `is_complete`: after a power cut the journal can have the line of a piece whose other files
    /// never reached the disk.
    ///
    /// # Errors
    /// As [`RunFolder::resume`].
    pub fn resume_where<E: DeserializeOwned>(
        path: &Path,
        kind: RunKind,
        is_complete: impl Fn(&E) -> bool,
    ) -> Result<(Self, Vec<E>), FolderError> {
        if !Self::exists(path, kind) {
            return Err(FolderError::missing(path, kind));
        }
        let journal = path.join(kind.journal);
        if !journal.exists() {
            // Without the journal all pieces would be done again, over the existing files.
            return Err(is_gone(&journal, kind.settings));
        }
        let file = lock(path, kind.journal)?;
        let mut lines: Vec<Line<E>> = read_journal(&journal)?;
        while lines.last().is_some_and(|(last, _)| !is_complete(last)) {
            lines.pop();
        }
        let end = lines.last().map_or(0, |&(_, end)| end);
        let folder = Self::open(path, kind, file, end)?;
        Ok((folder, lines.into_iter().map(|(entry, _)| entry).collect()))
    }

    /// As [`RunFolder::resume_where`], if the run has the same settings.
    ///
    /// # Errors
    /// As [`RunFolder::resume`], or the settings differ.
    pub fn resume_same<S: Serialize + DeserializeOwned, E: DeserializeOwned>(
        path: &Path,
        kind: RunKind,
        settings: &S,
        is_complete: impl Fn(&E) -> bool,
    ) -> Result<(Self, Vec<E>), FolderError> {
        let old: S = read_settings(path, kind)?;
        if let Some(difference) = difference(settings, &old) {
            let (path, noun) = (path.display(), kind.noun);
            return Err(FolderError(format!("{path} holds another {noun}: {difference}")));
        }
        Self::resume_where(path, kind, is_complete)
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces the settings, for example when the run is extended.
    ///
    /// # Errors
    /// The settings file cannot be written.
    pub fn write_settings<S: Serialize>(&self, settings: &S) -> Result<(), FolderError> {
        let path = self.path.join(self.kind.settings);
        write_header(&path, self.kind.format, settings)
    }

    /// Appends the entry of a finished piece to the journal.
    ///
    /// # Errors
    /// The journal cannot be written; it then ends with the previous entry.
    pub fn append<E: Serialize>(&mut self, entry: &E) -> Result<(), FolderError> {
        let path = self.path.join(self.kind.journal);
        let text = serde_json::to_string(entry).map_err(|error| FolderError::new(&path, error))?;
        let line = text + "\n";
        if let Err(error) = self.journal.write_all(line.as_bytes()) {
            // The next entry must not continue the fragment of this one.
            let _ = cut(&mut self.journal, self.end);
            return Err(io_error(&path)(error));
        }
        self.end += line.len() as u64;
        Ok(())
    }

    /// Writes a file of the folder, and creates the folders on its path.
    ///
    /// # Errors
    /// The file or a folder cannot be written.
    pub fn write_file(&self, name: &Path, content: &[u8]) -> Result<(), FolderError> {
        let path = self.path.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(io_error(parent))?;
        }
        fs::write(&path, content).map_err(io_error(&path))
    }
}

fn create_folder(path: &Path) -> Result<(), FolderError> {
    if path.is_file() {
        return Err(FolderError::new(path, "is a file, expected a folder"));
    }
    fs::create_dir_all(path).map_err(io_error(path))
}

/// The error of a file without which another one says nothing.
fn is_gone(path: &Path, beside: &str) -> FolderError {
    FolderError::new(path, format_args!("is gone, expected it beside {beside}"))
}

/// Reads the settings of the run in a folder, without writing there.
///
/// # Errors
/// The folder holds no run, or its settings are not valid.
pub(crate) fn read_settings<S: DeserializeOwned>(
    path: &Path,
    kind: RunKind,
) -> Result<S, FolderError> {
    if !RunFolder::exists(path, kind) {
        return Err(FolderError::missing(path, kind));
    }
    let file = path.join(kind.settings);
    let text = read_utf8(&file).map_err(io_error(&file))?;
    let header: Header<S> =
        serde_json::from_str(&text).map_err(|error| line_error(&file, error.line())(error))?;
    if header.format != kind.format {
        let reason = format!(
            "format {} of {}, this version reads format {}",
            header.format, header.program, kind.format
        );
        return Err(FolderError::new(&file, reason));
    }
    Ok(header.settings)
}

/// Reads the journal of the run in a folder, without writing there.
///
/// # Errors
/// The journal cannot be read, or a line is not a valid entry.
pub(crate) fn read_entries<E: DeserializeOwned>(
    path: &Path,
    kind: RunKind,
) -> Result<Vec<E>, FolderError> {
    let lines = read_journal(&path.join(kind.journal))?;
    Ok(lines.into_iter().map(|(entry, _)| entry).collect())
}

/// A file that the journal in `folder` names. Journals may come from others, and name any file.
///
/// # Errors
/// It cannot be read, or lies outside of the folder.
pub(crate) fn read_named(folder: &Path, name: &Path) -> Result<Vec<u8>, FolderError> {
    let path = folder.join(name);
    let inside = folder.canonicalize().map_err(io_error(folder))?;
    let real = path.canonicalize().map_err(io_error(&path))?;
    if !real.starts_with(inside) {
        let reason = format_args!("lies outside of {}", folder.display());
        return Err(FolderError::new(&path, reason));
    }
    read_file(&real).map_err(io_error(&path))
}

/// Why a run folder cannot be used, with its path.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct FolderError(String);

impl FolderError {
    /// What is wrong with a file or folder.
    pub(crate) fn new(path: &Path, reason: impl fmt::Display) -> Self {
        Self(format!("{}: {reason}", path.display()))
    }

    /// A new run cannot begin because the folder holds one already.
    pub(crate) fn occupied(path: &Path, kind: RunKind) -> Self {
        let (path, noun) = (path.display(), kind.noun);
        Self(format!(
            "{path} holds a {noun} already: continue it with --resume, or choose another folder"
        ))
    }

    /// A run cannot be resumed because the folder holds none.
    pub(crate) fn missing(path: &Path, kind: RunKind) -> Self {
        let (path, noun, settings) = (path.display(), kind.noun, kind.settings);
        Self(format!("{path} holds no {noun}: expected a file {settings} in it"))
    }
}

/// Converts an error of the system, for [`Result::map_err`] after an operation on `path`.
pub(crate) fn io_error(path: &Path) -> impl Fn(io::Error) -> FolderError {
    move |error| FolderError::new(path, error)
}

/// Converts an error of the JSON in a line of `path`, for [`Result::map_err`].
fn line_error(path: &Path, line: usize) -> impl Fn(serde_json::Error) -> FolderError {
    move |error| {
        let text = error.to_string();
        // Its own place is that within the line.
        let reason = text.rfind(" at line ").map_or(&*text, |end| &text[..end]);
        FolderError(format!("{} line {line}: {reason}", path.display()))
    }
}

/// The content of the settings file.
#[derive(Serialize, Deserialize)]
struct Header<S> {
    /// Raised when folders of earlier versions can no longer be read.
    format: u32,
    /// Name and version of the program that wrote it.
    program: String,
    #[serde(alias = "games")]
    settings: S,
}

/// Writes settings together with the format number and the version of the program.
///
/// # Errors
/// The file cannot be written.
fn write_header<S: Serialize>(path: &Path, format: u32, settings: &S) -> Result<(), FolderError> {
    let header = Header {
        format,
        program: concat!("raicho ", env!("CARGO_PKG_VERSION")).to_owned(),
        settings,
    };
    let text = serde_json::to_string_pretty(&header);
    let text = text.map_err(|error| FolderError::new(path, error))?;
    replace(path, &(text + "\n"))
}

/// The first difference between the settings of two runs, such as `effort.nodes is 1000 instead of
/// 500`. An optional setting that only one of them has is `none` in the other.
pub fn difference<S: Serialize>(ours: &S, theirs: &S) -> Option<String> {
    // Settings consist of numbers, texts and structs of them, which serde can always convert to
    // JSON.
    let [ours, theirs] = [ours, theirs].map(|settings| serde_json::to_value(settings).ok());
    difference_of("", &ours?, &theirs?)
}

fn difference_of(path: &str, ours: &Json, theirs: &Json) -> Option<String> {
    let of_part = |path: String, ours: Option<&Json>, theirs: Option<&Json>| {
        let [ours, theirs] = [ours, theirs].map(|part| part.unwrap_or(&Json::Null));
        difference_of(&path, ours, theirs)
    };
    match (ours, theirs) {
        (Json::Object(ours), Json::Object(theirs)) => {
            // Settings that are not set may have no key, on either side.
            let gone = theirs.keys().filter(|name| !ours.contains_key(*name));
            ours.keys().chain(gone).find_map(|name| {
                let dot = if path.is_empty() { "" } else { "." };
                let path = format!("{path}{dot}{name}");
                of_part(path, ours.get(name), theirs.get(name))
            })
        }
        (Json::Array(ours), Json::Array(theirs)) => {
            (0..ours.len().max(theirs.len())).find_map(|index| {
                let path = format!("{path}[{index}]");
                of_part(path, ours.get(index), theirs.get(index))
            })
        }
        _ => {
            let shown = |value: &Json| match value {
                Json::Null => "none".to_owned(),
                value => value.to_string(),
            };
            (ours != theirs)
                .then(|| format!("{path} is {} instead of {}", shown(ours), shown(theirs)))
        }
    }
}

/// An entry, and the offset of the byte after its line.
type Line<E> = (E, u64);

fn cut(file: &mut File, end: u64) -> io::Result<()> {
    // A device such as /dev/full, which tests use, has no length to set.
    if file.metadata()?.len() != end {
        file.set_len(end)?;
    }
    file.seek(SeekFrom::Start(end)).map(drop)
}

/// The entries of a journal; none if the file does not exist. An incomplete last line is ignored.
///
/// # Errors
/// The file cannot be read, or a complete line is not a valid entry.
fn read_journal<E: DeserializeOwned>(path: &Path) -> Result<Vec<Line<E>>, FolderError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(io_error(path)(error)),
    };
    let mut reader = BufReader::new(file);
    let (mut entries, mut end, mut text) = (Vec::new(), 0, Vec::new());
    for line in 1.. {
        text.clear();
        let read = reader.read_until(b'\n', &mut text);
        let length = read.map_err(io_error(path))?;
        if text.last() != Some(&b'\n') {
            break;
        }
        end += length as u64;
        let entry = serde_json::from_slice(&text).map_err(line_error(path, line))?;
        entries.push((entry, end));
    }
    Ok(entries)
}

/// How long to wait for a lock. A process that was killed while it started an engine can leave a
/// copy of itself, which holds the lock until it has become the engine.
const PATIENCE: Duration = Duration::from_secs(1);
const RETRY: Duration = Duration::from_millis(20);

/// Replaces the content of a file atomically: after a kill or a crash there is the old content or
/// the new one.
///
/// # Errors
/// The file cannot be written; it then keeps its old content, and nothing is left beside it.
pub(crate) fn replace_with(
    path: &Path,
    write: impl FnOnce(&mut OutputFile) -> io::Result<()>,
) -> io::Result<()> {
    let mut file = OutputFile::create(path).map_err(io::Error::other)?;
    write(&mut file)?;
    file.finish()
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
fn lock(folder: &Path, name: &str) -> Result<File, FolderError> {
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
            Err(TryLockError::WouldBlock) => {
                return Err(FolderError::new(folder, "another run is writing there"));
            }
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
    use serde_json::json;

    use super::*;
    use crate::util::TestFolder;

    #[test]
    fn settings_that_only_one_run_has_are_a_difference() {
        let (with, without) = (json!({"a": 1, "b": {"c": 2}}), json!({"a": 1}));
        let found = difference(&without, &with);
        assert_eq!(found.as_deref(), Some("b is none instead of {\"c\":2}"));
        let found = difference(&with, &without);
        assert_eq!(found.as_deref(), Some("b is {\"c\":2} instead of none"));
        let found = difference(&json!({"b": {"c": null, "d": 1}}), &json!({"b": {"d": 2}}));
        assert_eq!(found.as_deref(), Some("b.d is 1 instead of 2"));
        assert_eq!(difference(&json!({"a": null}), &json!({})), None);
    }

    #[test]
    fn a_failed_write_keeps_the_old_content_and_leaves_nothing() {
        let folder = TestFolder::new();
        let path = folder.file("kept.json");
        replace(&path, "old").expect("it can be written");
        let failed = replace_with(&path, |file| {
            file.write_all(b"half")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert!(failed.is_err_and(|error| error.kind() == io::ErrorKind::StorageFull));
        assert_eq!(fs::read_to_string(&path).ok().as_deref(), Some("old"));
        replace(&path, "new").expect("it can be written");
        assert_eq!(fs::read_to_string(&path).ok().as_deref(), Some("new"));
        assert_eq!(folder.count(), 1);
    }

    const KIND: RunKind =
        RunKind { noun: "count", settings: "count.json", journal: "count.jsonl", format: 3 };

    impl TestFolder {
        fn of_run(entries: &[u32]) -> Self {
            let place = Self::new();
            let mut folder = RunFolder::create(&place.0, KIND, &[1, 2]).expect("it is free");
            for entry in entries {
                folder.append(entry).expect("it can be written");
            }
            place
        }

        fn append_text(&self, text: &str) {
            let path = self.0.join(KIND.journal);
            let old = fs::read_to_string(&path).expect("it is there");
            fs::write(path, old + text).expect("it can be written");
        }

        fn resume(&self) -> Result<(RunFolder, Vec<u32>), FolderError> {
            RunFolder::resume(&self.0, KIND)
        }
    }

    fn refusal<T>(result: Result<T, FolderError>) -> String {
        result.err().expect("this is refused").to_string()
    }

    #[test]
    fn a_run_is_found_as_it_was_left() {
        let place = TestFolder::of_run(&[12, 345]);
        place.append_text("6");
        let settings: [u32; 2] = read_settings(&place.0, KIND).expect("they are whole");
        assert_eq!(settings, [1, 2]);
        let entries: Vec<u32> = read_entries(&place.0, KIND).expect("two whole lines");
        assert_eq!(entries, [12, 345]);
        let (mut folder, entries) = place.resume().expect("a kill does no harm");
        assert_eq!(entries, [12, 345]);
        folder.append(&6).expect("it can be written");
        drop(folder);
        assert_eq!(place.resume().expect("a third time").1, [12, 345, 6]);
    }

    #[test]
    fn entries_that_never_reached_the_disk_are_dropped() {
        let place = TestFolder::of_run(&[1, 2, 30, 40]);
        let is_complete = |&entry: &u32| entry < 10;
        let resumed = RunFolder::resume_where(&place.0, KIND, is_complete);
        assert_eq!(resumed.expect("two are left").1, [1, 2]);
        assert_eq!(place.resume().expect("for good").1, [1, 2]);
    }

    #[test]
    fn broken_lines_and_other_formats_are_named() {
        let place = TestFolder::of_run(&[1]);
        let other = RunKind { format: 4, ..KIND };
        let words = refusal(read_settings::<[u32; 2]>(&place.0, other));
        assert!(words.contains("format 3 of raicho"), "{words}");
        place.append_text("x\n");
        let words = refusal(place.resume());
        assert!(words.contains("count.jsonl line 2: "), "{words}");
    }

    #[test]
    fn one_process_at_a_time() {
        let place = TestFolder::new();
        let first = RunFolder::create(&place.0, KIND, &[1, 2]).expect("it is free");
        assert!(refusal(place.resume()).ends_with(": another run is writing there"));
        drop(first);
        assert!(place.resume().is_ok());
    }

    /// As the rest of a process that was killed while it started another one.
    #[test]
    fn a_lock_that_is_about_to_be_released_is_waited_for() {
        let place = TestFolder::new();
        let first = RunFolder::create(&place.0, KIND, &[1, 2]).expect("it is free");
        std::thread::scope(|scope| {
            scope.spawn(move || {
                sleep(Duration::from_millis(100));
                drop(first);
            });
            assert!(place.resume().is_ok());
        });
    }

    #[test]
    fn a_run_begins_only_where_there_is_none_and_goes_on_only_where_there_is_one() {
        let place = TestFolder::of_run(&[1]);
        let create = || RunFolder::create(&place.0, KIND, &[1, 2]);
        assert!(refusal(create()).contains("holds a count already"));
        fs::remove_file(place.0.join(KIND.settings)).expect("it is there");
        let words = refusal(create());
        assert!(words.contains("count.json: is gone"), "{words}");
        let file = place.0.join("a.file");
        fs::write(&file, "").expect("it can be written");
        let words = refusal(RunFolder::create(&file, KIND, &[1, 2]));
        assert!(words.contains("is a file, expected a folder"), "{words}");
        let words = refusal(place.resume());
        assert!(words.contains("holds no count: expected a file count.json"));
    }

    #[test]
    fn a_journal_that_is_gone_is_noticed() {
        let place = TestFolder::of_run(&[1]);
        fs::remove_file(place.0.join(KIND.journal)).expect("it is there");
        let words = refusal(place.resume());
        assert!(words.contains("count.jsonl: is gone"), "{words}");
    }

    #[test]
    fn other_settings_do_not_go_on() {
        let place = TestFolder::of_run(&[1]);
        let resume = |settings: &[u32; 2]| {
            RunFolder::resume_same(&place.0, KIND, settings, |_: &u32| true).map(drop)
        };
        assert!(resume(&[1, 2]).is_ok());
        let words = refusal(resume(&[1, 3]));
        assert!(words.contains("holds another count: "), "{words}");
    }
}
