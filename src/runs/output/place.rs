//! Where the bytes of an output file go.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// Links that are followed one after another; Linux gives up at as many.
const MOST_LINKS: usize = 40;
/// Folders whose entries are open files, not names that a file could take over.
const DESCRIPTORS: [&str; 2] = ["/dev/fd", "/proc"];

/// Where an output goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// The file of this name, which is no link. It need not be there yet.
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
    pub(super) fn of(path: &Path) -> io::Result<Self> {
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
    path.metadata()
        .is_ok_and(|data| !is_stream(path) || is_block_device(&data))
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
pub(super) fn open_stream(path: &Path) -> io::Result<File> {
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
