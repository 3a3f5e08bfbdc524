//! What can be wrong with a file, and what is only odd.

use std::fmt;
use std::io;

use thiserror::Error;

use super::{MAGIC, own};
use crate::eval::nnue::scalar::MAX_WEIGHT;
use crate::eval::nnue::shape::Shape;

/// A part of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Field {
    /// The first four bytes.
    Magic,
    /// The hash of the whole.
    FileHash,
    /// Bytes of the architecture text.
    TextLength,
    /// The hash before the transformer.
    TransformerHash,
    /// Its biases.
    TransformerBiases,
    /// Its weights.
    TransformerWeights,
    /// The hash before the weights of progress.
    ProgressHash,
    /// Their bias.
    ProgressBias,
    /// The weights.
    ProgressWeights,
    /// The hash before a stack of layers.
    NetworkHash(usize),
    /// Its first layer.
    First(usize),
    /// Its second layer.
    Second(usize),
    /// Its last layer.
    Last(usize),
    // --- Files of our own format ---
    /// The version of the format.
    Version,
    /// Bytes of the header.
    HeaderLength,
    /// The kind of inputs.
    Inputs,
    /// Sums of each side.
    Width,
    /// Outputs.
    Buckets,
    /// The largest activation.
    MaxActivation,
    /// The output weight that stands for 1.
    OneOfWeights,
    /// What an output of 1 is worth.
    Scale,
    /// Who made the network from what.
    Text,
    /// Biases of the outputs.
    OutputBiases,
    /// Weights of the outputs.
    OutputWeights,
    /// The checksum at the end.
    Checksum,
}

impl fmt::Display for Field {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Magic => formatter.write_str("magic number"),
            Self::FileHash => formatter.write_str("file hash"),
            Self::TextLength => formatter.write_str("length of the architecture text"),
            Self::TransformerHash => formatter.write_str("hash of the transformer"),
            Self::TransformerBiases => formatter.write_str("biases of the transformer"),
            Self::TransformerWeights => formatter.write_str("weights of the transformer"),
            Self::ProgressHash => formatter.write_str("hash of progress"),
            Self::ProgressBias => formatter.write_str("bias of progress"),
            Self::ProgressWeights => formatter.write_str("weights of progress"),
            Self::NetworkHash(number) => write!(formatter, "hash of stack {number}"),
            Self::First(number) => write!(formatter, "first layer of stack {number}"),
            Self::Second(number) => write!(formatter, "second layer of stack {number}"),
            Self::Last(number) => write!(formatter, "last layer of stack {number}"),
            Self::Version => formatter.write_str("version"),
            Self::HeaderLength => formatter.write_str("length of the header"),
            Self::Inputs => formatter.write_str("inputs"),
            Self::Width => formatter.write_str("width"),
            Self::Buckets => formatter.write_str("buckets"),
            Self::MaxActivation => formatter.write_str("largest activation"),
            Self::OneOfWeights => formatter.write_str("output weight of 1"),
            Self::Scale => formatter.write_str("scale"),
            Self::Text => formatter.write_str("text"),
            Self::OutputBiases => formatter.write_str("biases of the outputs"),
            Self::OutputWeights => formatter.write_str("weights of the outputs"),
            Self::Checksum => formatter.write_str("checksum"),
        }
    }
}

/// Why a file is refused.
#[derive(Debug, Error)]
pub enum NetError {
    /// The system cannot read it.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is a pipe, a device or a folder.
    #[error("not a regular file")]
    NotRegular,
    /// The system has not enough memory for it.
    #[error("not enough memory")]
    NoMemory,
    /// It is something else.
    #[error(
        "{field}: found {found:#010x}, expected {MAGIC:#010x} or '{own}'",
        field = Field::Magic,
        own = own::MAGIC.escape_ascii()
    )]
    Magic {
        /// What the file begins with.
        found: u32,
    },
    /// It ends early.
    #[error("{field}: {needed} bytes expected at offset {offset}, found {left}")]
    Truncated {
        /// Where it ends.
        field: Field,
        /// Where that begins.
        offset: usize,
        /// Bytes that it takes.
        needed: usize,
        /// Bytes that are there.
        left: usize,
    },
    /// The text would be longer than the file.
    #[error("{field}: found {found}, expected at most the {left} bytes that follow", field = Field::TextLength)]
    TextLength {
        /// What the file says.
        found: usize,
        /// Bytes behind the header.
        left: usize,
    },
    /// The text is of another kind of network.
    #[error("architecture text: {problem}, in '{text}'")]
    Text {
        /// What is wrong.
        problem: String,
        /// The beginning of the text.
        text: String,
    },
    /// No shape has that size.
    #[error(
        "size: found {found} bytes behind the header, expected those of a known network, of which {nearest} is nearest with \
         {expected} (architecture text '{text}')"
    )]
    NoFit {
        /// Bytes behind the header.
        found: usize,
        /// The known shape whose size is nearest.
        nearest: Shape,
        /// Its size.
        expected: usize,
        /// The beginning of the text.
        text: String,
    },
    /// Several shapes have that size.
    #[error(
        "size: found {found} bytes behind the header, which is the size of {shapes}; the architecture text '{text}' does not tell which"
    )]
    Several {
        /// Bytes behind the header.
        found: usize,
        /// The names of the shapes.
        shapes: String,
        /// The beginning of the text.
        text: String,
    },
    /// A compressed section is broken.
    #[error("{field}: {problem}")]
    Compressed {
        /// Which.
        field: Field,
        /// What is wrong.
        problem: String,
    },
    /// A number of the header cannot be.
    #[error("{field}: found {found}, expected {expected}")]
    Number {
        /// Which.
        field: Field,
        /// What the file says.
        found: u32,
        /// What it could say.
        expected: String,
    },
    /// The header would be shorter than its numbers or longer than the file.
    #[error(
        "{field}: found {found}, expected {expected} to the {left} bytes that follow",
        field = Field::HeaderLength
    )]
    HeaderLength {
        /// What the file says.
        found: usize,
        /// Bytes of the numbers.
        expected: usize,
        /// Bytes that follow.
        left: usize,
    },
    /// A byte was changed.
    #[error("{field}: found {found:#010x}, expected {expected:#010x}", field = Field::Checksum)]
    Checksum {
        /// What the file says.
        found: u32,
        /// What its bytes give.
        expected: u32,
    },
    /// An output weight is too large for the arithmetic.
    #[error(
        "{field}: found {found} at number {number}, expected -{MAX_WEIGHT} to {MAX_WEIGHT}",
        field = Field::OutputWeights
    )]
    Weight {
        /// Which one, from 0.
        number: usize,
        /// Its value.
        found: i16,
    },
    /// It goes on behind its end.
    #[error("end of the file: expected at offset {offset}, found {left} bytes more")]
    TooLong {
        /// Where it should end.
        offset: usize,
        /// Bytes too many.
        left: usize,
    },
}

/// What is odd about a file that is read all the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Warning {
    /// A hash is not that of the shape.
    Hash {
        /// Which.
        field: Field,
        /// What stands there.
        found: u32,
        /// What should.
        expected: u32,
    },
    /// The text does not tell the shape that the size tells.
    Text {
        /// The beginning of the text.
        text: String,
        /// The shape by size.
        shape: Shape,
    },
    /// There are no hashes between the sections.
    NoHashes,
    /// The text tells a scale that cannot be.
    Scale(usize),
}

impl Warning {
    /// A warning where a hash is another.
    pub(super) fn of_hash(field: Field, found: u32, expected: u32) -> Option<Self> {
        (found != expected).then_some(Self::Hash {
            field,
            found,
            expected,
        })
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hash {
                field,
                found,
                expected,
            } => write!(
                formatter,
                "{field}: found {found:#010x}, expected {expected:#010x}"
            ),
            Self::Text { text, shape } => {
                write!(
                    formatter,
                    "architecture text: found '{text}', by its size it is {shape}"
                )
            }
            Self::NoHashes => formatter.write_str("hashes of the sections: found none"),
            Self::Scale(found) => {
                write!(
                    formatter,
                    "fv_scale: found {found}, expected 1 to 128; 16 is taken"
                )
            }
        }
    }
}
