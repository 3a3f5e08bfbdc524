//! An output file that gets its name only when it is complete.

use std::fs::{self, File, Metadata, TryLockError};
use std::io::{self, BufWriter, Read, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Size of the write buffer in bytes. Large, because several files are read and written in turn.
const BUFFER_BYTES: usize = 1 << 18;

/// Why an output file cannot be created.
#[derive(Debug, Error)]
pub enum OutputError {
    /// An error of the system.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Another process is writing a file of this name.
    #[error("another run is writing this file")]
    InUse,
}

/// A file that is being written. It is called `NAME.partial` until [`OutputFile::finish`], and is
/// removed if it is dropped before that. A lock keeps two processes from writing the same file.
///
/// Links are followed, so that a link stays one. A pipe or device is written as it is: what was
/// written cannot be taken back.
#[derive(Debug)]
pub struct OutputFile {
    out: BufWriter<File>,
    /// `None` for a pipe or device.
    names: Option<Names>,
    /// Bytes written so far.
    length: u64,
    /// Whether what was written stays when this is dropped unfinished.
    is_kept: bool,
    is_finished: bool,
}

/// What a file is called.
#[derive(Debug)]
struct Names {
    /// While it is written.
    partial: PathBuf,
    /// Once it is complete.
    path: PathBuf,
}

impl OutputFile {
    /// Creates the partial file. One that a killed process left is replaced. A pipe waits
    /// for its reader.
    ///
    /// # Errors
    /// The file cannot be created, or another process is writing it.
    pub fn create(path: &Path) -> Result<Self, OutputError> {
        let path = match Place::of(path)? {
            Place::File(path) => path,
            Place::Stream(path) => return Ok(Self::new(open_stream(&path)?, None, 0)),
        };
        let partial = beside(&path, ".partial");
        let mut options = File::options();
        options.read(true).write(true).create_new(true);
        let file = match options.open(&partial) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                remove_abandoned(&partial)?;
                options.open(&partial)?
            }
            created => created?,
        };
        lock(&file)?;
        Ok(Self::new(file, Some(Names { partial, path }), 0))
    }

    /// Continues the file of an earlier process after the byte `length`; what follows is cut off.
    ///
    /// # Errors
    /// There is no such file or it is shorter, or another process writes it.
    pub fn resume(path: &Path, length: u64) -> Result<Self, OutputError> {
        let path = match Place::of(path)? {
            Place::File(path) => path,
            Place::Stream(_) => return Err(no_stream("continued").into()),
        };
        let partial = beside(&path, ".partial");
        let with_name = |error: io::Error| {
            io::Error::new(error.kind(), format!("{}: {error}", partial.display()))
        };
        let file = File::options().write(true).open(&partial);
        let mut file = file.map_err(with_name)?;
        lock(&file)?;
        let found = file.metadata()?.len();
        if found < length {
            let partial = partial.display();
            let reason = format!("{found} bytes of {partial} are left, expected {length}");
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, reason).into());
        }
        file.set_len(length)?;
        file.seek(SeekFrom::Start(length))?;
        let names = Some(Names { partial, path });
        Ok(Self::new(file, names, length).kept())
    }

    fn new(file: File, names: Option<Names>, length: u64) -> Self {
        Self {
            out: BufWriter::with_capacity(BUFFER_BYTES, file),
            names,
            length,
            is_kept: false,
            is_finished: false,
        }
    }

    /// Keeps what was written when this is dropped unfinished, for [`OutputFile::resume`].
    #[must_use]
    pub fn kept(mut self) -> Self {
        self.is_kept = true;
        self
    }

    /// Bytes written so far.
    pub const fn length(&self) -> u64 {
        self.length
    }

    /// Replaces bytes that were written before, such as a header that gives a length.
    ///
    /// # Errors
    /// The system refuses, or this is a pipe or device.
    pub fn overwrite(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        if self.names.is_none() {
            return Err(no_stream("written out of order"));
        }
        debug_assert!(offset + bytes.len() as u64 <= self.length);
        self.out.seek(SeekFrom::Start(offset))?;
        self.out.write_all(bytes)?;
        self.out.seek(SeekFrom::Start(self.length))?;
        Ok(())
    }

    /// Goes back to the beginning, to read what was written.
    ///
    /// # Errors
    /// The system refuses, or this is a pipe or device.
    pub fn rewind(&mut self) -> io::Result<()> {
        if self.names.is_none() {
            return Err(no_stream("read"));
        }
        self.out.rewind()
    }

    /// Puts what was flushed on the disk.
    ///
    /// # Errors
    /// The system refuses.
    pub fn sync(&self) -> io::Result<()> {
        if self.names.is_none() {
            return Ok(());
        }
        self.out.get_ref().sync_data()
    }

    /// Flushes the file to disk and gives it its name.
    ///
    /// # Errors
    /// The file cannot be written or renamed.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()?;
        if let Some(names) = &self.names {
            self.out.get_ref().sync_all()?;
            fs::rename(&names.partial, &names.path)?;
        }
        self.is_finished = true;
        Ok(())
    }
}

fn no_stream(what: &str) -> io::Error {
    let reason = format!("a pipe or device cannot be {what}: expected a file");
    io::Error::new(io::ErrorKind::Unsupported, reason)
}

/// Removes a partial file if no process is writing it.
fn remove_abandoned(partial: &Path) -> Result<(), OutputError> {
    match File::open(partial) {
        Ok(file) => lock(&file)?,
        // The other process has just finished it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error.into()),
    }
    match fs::remove_file(partial) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

fn lock(file: &File) -> Result<(), OutputError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(OutputError::InUse),
        // Some network file systems have no locks.
        Err(TryLockError::Error(error)) => {
            log::warn!("a file cannot be locked: {error}");
            Ok(())
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// What was written, after [`OutputFile::rewind`].
impl Read for OutputFile {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.out.get_mut().read(bytes)
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        if let Some(Names { partial, .. }) = &self.names
            && !self.is_finished
            && !self.is_kept
            && let Err(error) = fs::remove_file(partial)
        {
            log::warn!("{}: {error}", partial.display());
        }
    }
}

/// The path with `ending` appended to its file name.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Links that are followed one after another; Linux gives up at as many.
const MOST_LINKS: usize = 40;
/// Folders whose entries are open files, not names that a file could take over.
const DESCRIPTORS: [&str; 2] = ["/dev/fd", "/proc"];

/// Where an output goes.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Place {
    /// The file of this name, which is not a link. It need not be there yet.
    File(PathBuf),
    /// A pipe, a device, or an open file such as `/dev/stdout`, which is written as it is: a file
    /// that took its name would replace it for all programs.
    Stream(PathBuf),
}

impl Place {
    /// Follows the links from `path` to their end.
    ///
    /// # Errors
    /// A part of the path cannot be read, or the links form a circle.
    fn of(path: &Path) -> io::Result<Self> {
        let mut path = path.to_owned();
        for _ in 0..=MOST_LINKS {
            if is_descriptor(&path) {
                return Ok(Self::Stream(path));
            }
            match fs::symlink_metadata(&path) {
                Ok(data) if data.is_symlink() => {
                    let target = fs::read_link(&path)?;
                    path = path.parent().unwrap_or(Path::new("")).join(target);
                }
                Ok(data) if data.is_file() || data.is_dir() => return Ok(Self::File(path)),
                Ok(_) => return Ok(Self::Stream(path)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Ok(Self::File(path));
                }
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other(format!("more than {MOST_LINKS} links")))
    }
}

/// Whether `path` is written as it is, being a pipe, a device or an open file such as
/// `/dev/stdout`. Such an output cannot be taken back, resumed or written out of order.
pub fn is_stream(path: &Path) -> bool {
    matches!(Place::of(path), Ok(Place::Stream(_)))
}

/// Whether writing an output at `path` destroys what is there. Nothing is in a pipe or a terminal.
pub fn would_replace(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| !is_stream(path) || is_block_device(&data))
}

/// Whether two outputs would be written to the same place, whether or not anything is there yet.
pub fn is_same_output(a: &Path, b: &Path) -> bool {
    matches!((output_place(a), output_place(b)), (Some(a), Some(b)) if a == b)
}

/// The place of an output in a form that is the same for all its names; `None` where its folder is
/// not there.
pub fn output_place(path: &Path) -> Option<PathBuf> {
    let (Place::File(path) | Place::Stream(path)) = Place::of(path).ok()?;
    if let Ok(path) = path.canonicalize() {
        return Some(path);
    }
    let folder = match path.parent()? {
        folder if folder.as_os_str().is_empty() => Path::new("."),
        folder => folder,
    };
    Some(folder.canonicalize().ok()?.join(path.file_name()?))
}

/// Opens a stream for writing. A pipe waits for its reader.
fn open_stream(path: &Path) -> io::Result<File> {
    if let Some(output) = own_output(path) {
        return output;
    }
    // An open file continues where it ends.
    File::options().append(true).open(path)
}

/// Whether the path names an open file of a process.
fn is_descriptor(path: &Path) -> bool {
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    folder.is_some_and(|folder| DESCRIPTORS.iter().any(|known| folder.starts_with(known)))
}

/// The standard output or error of this process if `path` is one of them: opened anew, a file that
/// the shell opened would be written from its start, over what is printed.
#[cfg(unix)]
fn own_output(path: &Path) -> Option<io::Result<File>> {
    use std::os::fd::AsFd as _;

    let number = path.file_name().filter(|_| is_descriptor(path))?.to_str()?;
    let folder = path.parent()?.canonicalize().ok()?;
    let own = Path::new("/proc/self/fd").canonicalize().ok();
    if own.is_some_and(|own| own != folder) {
        return None;
    }
    let descriptor = match number {
        "1" => io::stdout().as_fd().try_clone_to_owned(),
        "2" => io::stderr().as_fd().try_clone_to_owned(),
        _ => return None,
    };
    Some(descriptor.map(File::from))
}

#[cfg(not(unix))]
const fn own_output(_path: &Path) -> Option<io::Result<File>> {
    None
}

#[cfg(unix)]
fn is_block_device(data: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt as _;

    data.file_type().is_block_device()
}

#[cfg(not(unix))]
const fn is_block_device(_data: &Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::TestFolder;

    #[test]
    fn it_has_its_name_when_it_is_complete() {
        let folder = TestFolder::new();
        let path = folder.file("x");
        let mut file = OutputFile::create(&path).expect("it can be made");
        file.write_all(b"one").expect("it can be written");
        assert!(!path.exists() && folder.file("x.partial").exists());
        file.finish().expect("it can be finished");
        assert_eq!(fs::read(&path).expect("it is there"), b"one");
        drop(OutputFile::create(&path).expect("it can be made again"));
        assert_eq!(fs::read(&path).expect("the old one stays"), b"one");
        assert_eq!(folder.count(), 1);
    }

    #[test]
    fn two_writers_never_share_a_file() {
        let folder = TestFolder::new();
        let path = folder.file("x");
        let mut first = OutputFile::create(&path).expect("it can be made");
        let second = OutputFile::create(&path);
        assert!(matches!(second, Err(OutputError::InUse)), "{second:?}");
        first.write_all(b"first").expect("it can be written");
        first.finish().expect("the second one left it alone");
        assert_eq!(fs::read(&path).expect("it is there"), b"first");
    }

    #[test]
    fn what_a_kill_left_is_replaced() {
        let folder = TestFolder::new();
        let path = folder.file("x");
        fs::write(folder.file("x.partial"), "half of").expect("it can be written");
        let mut file = OutputFile::create(&path).expect("nobody writes it");
        file.write_all(b"1").expect("it can be written");
        file.finish().expect("it can be finished");
        assert_eq!(fs::read(&path).expect("it is there"), b"1");
    }

    #[cfg(unix)]
    mod links_and_pipes {
        use std::os::unix::fs::{FileTypeExt as _, symlink};
        use std::process::Command;
        use std::thread;

        use super::*;

        fn write(path: &Path, bytes: &[u8]) {
            let mut file = OutputFile::create(path).expect("it can be made");
            file.write_all(bytes).expect("it can be written");
            file.finish().expect("it can be finished");
        }

        fn is_link(path: &Path) -> bool {
            fs::symlink_metadata(path).is_ok_and(|data| data.is_symlink())
        }

        #[test]
        fn links_are_written_through() {
            let folder = TestFolder::new();
            let (path, link, chain) = (folder.file("x"), folder.file("link"), folder.file("chain"));
            let below = folder.file("below");
            fs::create_dir(&below).expect("a folder can be made");
            symlink("below/../x", &link).expect("a link can be made");
            symlink(&link, &chain).expect("a link can be made");
            assert!(!would_replace(&chain), "nothing is there yet");
            for bytes in [b"one", b"two"] {
                write(&chain, bytes);
                assert_eq!(fs::read(&path).expect("the file is there"), bytes);
                assert!(is_link(&link) && is_link(&chain) && !is_link(&path));
                assert!(would_replace(&chain) && !is_stream(&chain));
            }
            // Not finished: neither the link nor the file changes.
            let mut file = OutputFile::create(&link).expect("it can be made");
            assert!(matches!(OutputFile::create(&path), Err(OutputError::InUse)));
            file.write_all(b"three").expect("it can be written");
            drop(file);
            assert_eq!(fs::read(&link).expect("the file is there"), b"two");
            assert_eq!(folder.count(), 4);
        }

        #[test]
        fn a_circle_of_links_is_an_error() {
            let folder = TestFolder::new();
            let (one, other) = (folder.file("one"), folder.file("other"));
            symlink(&one, &other).expect("a link can be made");
            symlink(&other, &one).expect("a link can be made");
            let error = OutputFile::create(&one).expect_err("nowhere to write to");
            assert!(error.to_string().contains("40 links"), "{error}");
        }

        #[test]
        fn a_pipe_is_written_as_it_is() {
            let folder = TestFolder::new();
            let (pipe, link) = (folder.file("pipe"), folder.file("link"));
            let made = Command::new("mkfifo").arg(&pipe).status();
            assert!(made.expect("mkfifo runs").success());
            symlink("pipe", &link).expect("a link can be made");
            for path in [&pipe, &link] {
                assert!(is_stream(path) && !would_replace(path));
                let reader = thread::spawn({
                    let pipe = pipe.clone();
                    move || fs::read(pipe).expect("it can be read")
                });
                let mut file = OutputFile::create(path).expect("it can be opened");
                file.write_all(b"through").expect("it can be written");
                file.sync().expect("nothing to do");
                let refused = file.overwrite(0, b"T").expect_err("out of order");
                assert!(refused.to_string().contains("pipe"), "{refused}");
                file.finish().expect("it can be finished");
                assert_eq!(reader.join().expect("it reads"), b"through");
            }
            assert!(OutputFile::resume(&pipe, 1).is_err());
            let data = fs::symlink_metadata(&pipe).expect("it is there");
            assert!(data.file_type().is_fifo() && is_link(&link));
            assert_eq!(folder.count(), 2);
        }

        #[test]
        fn a_pipe_that_is_not_finished_stays() {
            let folder = TestFolder::new();
            let pipe = folder.file("pipe");
            let made = Command::new("mkfifo").arg(&pipe).status();
            assert!(made.expect("mkfifo runs").success());
            let reader = thread::spawn({
                let pipe = pipe.clone();
                move || fs::read(pipe).expect("it can be read")
            });
            drop(OutputFile::create(&pipe).expect("it can be opened"));
            assert_eq!(reader.join().expect("it reads"), b"");
            let data = fs::symlink_metadata(&pipe).expect("it is still there");
            assert!(data.file_type().is_fifo());
        }
    }
}
