//! Files that the page has given, by name.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

static FILES: Mutex<Option<HashMap<String, Arc<[u8]>>>> = Mutex::new(None);

/// Keeps a file; one of the same name is replaced.
pub(crate) fn add_file(name: String, bytes: Arc<[u8]>) {
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    files.get_or_insert_default().insert(name, bytes);
}

/// A file that is not on a disk: all are given by the page. Of a folder it is `nn.bin`.
pub(crate) fn given_file(path: &Path) -> Option<io::Result<Arc<[u8]>>> {
    let files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    let name = path.to_string_lossy();
    let in_folder = format!("{}/nn.bin", name.trim_end_matches('/'));
    let file = files
        .as_ref()
        .and_then(|files| files.get(&*name).or_else(|| files.get(&in_folder)));
    let missing = || io::Error::new(io::ErrorKind::NotFound, "the page has given no such file");
    Some(file.cloned().ok_or_else(missing))
}
