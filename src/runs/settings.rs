//! The settings file of a run, and how the settings of two runs differ.

use std::fs;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::error::{FolderError, content_error, io_error};
use super::files::replace;

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
pub(super) fn write<S: Serialize>(
    path: &Path,
    format: u32,
    settings: &S,
) -> Result<(), FolderError> {
    let header = Header {
        format,
        program: concat!("raicho ", env!("CARGO_PKG_VERSION")).to_owned(),
        settings,
    };
    let text = serde_json::to_string_pretty(&header).map_err(content_error(path, None))?;
    replace(path, &(text + "\n"))
}

/// Reads settings of format number `format`.
///
/// # Errors
/// The file cannot be read, is not valid, or has another format number.
pub(super) fn read<S: DeserializeOwned>(path: &Path, format: u32) -> Result<S, FolderError> {
    let text = fs::read_to_string(path).map_err(io_error(path))?;
    let header: Header<S> = serde_json::from_str(&text)
        .map_err(|error| content_error(path, Some(error.line()))(error))?;
    if header.format != format {
        return Err(FolderError::Content {
            path: path.to_owned(),
            line: None,
            reason: format!(
                "format {} of {}, this version reads format {format}",
                header.format, header.program
            ),
        });
    }
    Ok(header.settings)
}

/// The first difference between the settings of two runs, such as `effort.nodes is 1000 instead of
/// 500`.
pub fn difference<S: Serialize>(ours: &S, theirs: &S) -> Option<String> {
    // Settings consist of numbers, texts and structs of them, which serde can always convert to
    // JSON.
    let [ours, theirs] = [ours, theirs].map(|settings| serde_json::to_value(settings).ok());
    difference_of("", &ours?, &theirs?)
}

fn difference_of(path: &str, ours: &Json, theirs: &Json) -> Option<String> {
    if let (Json::Object(ours), Json::Object(theirs)) = (ours, theirs) {
        return ours.iter().find_map(|(name, ours)| {
            let path = if path.is_empty() {
                name.clone()
            } else {
                format!("{path}.{name}")
            };
            difference_of(&path, ours, theirs.get(name).unwrap_or(&Json::Null))
        });
    }
    (ours != theirs).then(|| format!("{path} is {ours} instead of {theirs}"))
}
