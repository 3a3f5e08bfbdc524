//! Games as text, in every format that people keep them in: CSA, KIF, KI2, JKF and lines of USI.
//!
//! [`TextFormat::read`] takes the bytes of a file in any of their encodings and returns each game,
//! or what is wrong with it; [`TextFormat::write`] makes the bytes of a file.
//! [`TextFormat::losses`] tells what a format has no room for.

mod format;
mod reader;
mod writer;

pub use format::{TextEncoding, TextFormat};
pub use reader::{TextError, TextFault};
pub use writer::Written;

#[cfg(test)]
mod tests;
