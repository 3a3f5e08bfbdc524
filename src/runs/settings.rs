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
/// 500`. An optional setting that only one of them has is `none` in the other.
pub fn difference<S: Serialize>(ours: &S, theirs: &S) -> Option<String> {
    // Settings consist of numbers, texts and structs of them, which serde can always convert to
    // JSON.
    let [ours, theirs] = [ours, theirs].map(|settings| serde_json::to_value(settings).ok());
    difference_of("", &ours?, &theirs?)
}

fn difference_of(path: &str, ours: &Json, theirs: &Json) -> Option<String> {
    if let (Json::Object(ours), Json::Object(theirs)) = (ours, theirs) {
        // Settings that are not set may have no key, on either side.
        let gone = theirs.keys().filter(|name| !ours.contains_key(*name));
        return ours.keys().chain(gone).find_map(|name| {
            let path = if path.is_empty() {
                name.clone()
            } else {
                format!("{path}.{name}")
            };
            let [ours, theirs] = [ours, theirs].map(|of| of.get(name).unwrap_or(&Json::Null));
            difference_of(&path, ours, theirs)
        });
    }
    let shown = |value: &Json| match value {
        Json::Null => "none".to_owned(),
        value => value.to_string(),
    };
    (ours != theirs).then(|| format!("{path} is {} instead of {}", shown(ours), shown(theirs)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
}
