//! Minimax from file to file.

use crate::runs::Watch;
use std::path::Path;

use super::settings::{MinimaxSettings, Summary};
use super::{other_book, text_book};
use crate::book::{BookFormat, BookReader};
use crate::makebook::error::MakeError;

/// Reads a book, `.db` or `.ybb` by its content, and writes it with the values carried back, in the
/// same format and order. `watch` is told bytes or positions, of three passes over the book.
///
/// # Errors
/// A file cannot be read or written, is of another format or not valid, threads cannot be started,
/// or the end is requested. Nothing is left of an incomplete output.
pub fn run(
    input: &Path,
    output: &Path,
    settings: &MinimaxSettings,
    watch: &Watch<'_>,
) -> Result<Summary, MakeError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(settings.threads);
    let pool = pool.build()?;
    let format = BookReader::open(input)?.format();
    let wanted = BookFormat::of_path(output).unwrap_or(format);
    if wanted != format {
        return Err(MakeError::Format {
            path: output.to_owned(),
            reason: format!("the book is written as it is read, expected the ending {format}"),
        });
    }
    pool.install(|| match format {
        BookFormat::Db => text_book::run(input, output, settings, watch),
        BookFormat::Ybb => other_book::run(input, output, settings, watch),
        BookFormat::Bin | BookFormat::Sbk => Err(MakeError::Format {
            path: input.to_owned(),
            reason: format!("has the format {format}, expected .db or .ybb: convert it first"),
        }),
    })
}
