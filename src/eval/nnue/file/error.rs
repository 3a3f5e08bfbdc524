//! Errors and warnings of network files.

use std::fmt;
use std::io;

use thiserror::Error;

use super::raicho::RAICHO_MAGIC;
use super::yaneuraou::MAGIC;
use crate::eval::nnue::scalar::MAX_OUTPUT_WEIGHT;
use crate::eval::nnue::shape::Shape;

/// A field of a file, as messages name it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Field {
    /// The first four bytes (eight in our own format).
    Magic,
    /// The hash in the header.
    FileHash,
    /// The length of the architecture text and the text itself.
    TextLength,
    /// The hash before the feature transformer.
    TransformerHash,
    /// Biases of the feature transformer.
    TransformerBiases,
    /// Weights of the feature transformer.
    TransformerWeights,
    /// The hash before the weights of game progress.
    ProgressHash,
    /// The bias of game progress.
    ProgressBias,
    /// The weights of game progress.
    ProgressWeights,
    /// The hash before the layer stack of this number.
    NetworkHash(usize),
    /// The first layer of the stack of this number.
    First(usize),
    /// The second layer of the stack of this number.
    Second(usize),
    /// The last layer of the stack of this number.
    Last(usize),
    // --- Files of our own format ---
    /// The version of the format.
    Version,
    /// The length of the header in bytes.
    HeaderLength,
    /// The number of the feature set.
    FeatureSet,
    /// The width of the feature transformer.
    Width,
    /// The number of output buckets.
    Buckets,
    /// The largest activation, which stands for 1.
    MaxActivation,
    /// The output weight that stands for 1.
    OneOfWeights,
    /// The value of an output of 1.
    Scale,
    /// The text on the origin of the network.
    Text,
    /// Biases of the output neurons.
    OutputBiases,
    /// Weights of the output neurons.
    OutputWeights,
    /// The CRC-32 at the end.
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
            Self::FeatureSet => formatter.write_str("feature set"),
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
    /// The system cannot open or read the file.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The path is a pipe, a device or a folder.
    #[error("not a regular file")]
    NotRegular,
    /// Memory for the bytes of the file cannot be allocated.
    #[error("not enough memory")]
    NoMemory,
    /// The file begins with neither magic.
    #[error(
        "{field}: found {found:#010x}, expected {MAGIC:#010x} or '{own}'",
        field = Field::Magic,
        own = RAICHO_MAGIC.escape_ascii()
    )]
    Magic {
        /// The first four bytes, little endian.
        found: u32,
    },
    /// The file ends within a field.
    #[error("{field}: {needed} bytes expected at offset {offset}, found {left}")]
    Truncated {
        /// The field that is cut off.
        field: Field,
        /// Offset of the field from the start of the file.
        offset: usize,
        /// Size of the field in bytes.
        needed: usize,
        /// Bytes that are left from `offset` on.
        left: usize,
    },
    /// The header declares an architecture text that is longer than the file.
    #[error(
        "{field}: found {found}, expected at most the {left} bytes that follow",
        field = Field::TextLength
    )]
    TextLength {
        /// The declared length in bytes.
        found: usize,
        /// Bytes after the length field.
        left: usize,
    },
    /// The architecture text describes a network that is not supported, or is invalid.
    #[error("architecture text: {problem}, in '{text}'")]
    Text {
        /// The first problem found.
        problem: String,
        /// The beginning of the text.
        text: String,
    },
    /// No known shape has this size.
    #[error(
        "size: found {found} bytes behind the header, expected those of a known network, of which \
         {nearest} is nearest with {expected} (architecture text '{text}')"
    )]
    NoFit {
        /// Bytes after the header.
        found: usize,
        /// The known shape of the nearest size.
        nearest: Shape,
        /// The size of that shape in bytes.
        expected: usize,
        /// The beginning of the architecture text.
        text: String,
    },
    /// Several known shapes have this size.
    #[error(
        "size: found {found} bytes behind the header, which is the size of {shapes}; the \
         architecture text '{text}' does not tell which"
    )]
    Several {
        /// Bytes after the header.
        found: usize,
        /// Names of the shapes, separated by commas.
        shapes: String,
        /// The beginning of the architecture text.
        text: String,
    },
    /// A compressed section cannot be decoded.
    #[error("{field}: {problem}")]
    Compressed {
        /// The section that is compressed.
        field: Field,
        /// The first problem found.
        problem: String,
    },
    /// A number in the header of our own format is out of range.
    #[error("{field}: found {found}, expected {expected}")]
    Number {
        /// The field of the header.
        field: Field,
        /// The number in the file.
        found: u32,
        /// The accepted range, as text.
        expected: String,
    },
    /// The declared length of the header is shorter than its numbers or longer than the file.
    #[error(
        "{field}: found {found}, expected {expected} to the {left} bytes that follow",
        field = Field::HeaderLength
    )]
    HeaderLength {
        /// The declared length in bytes.
        found: usize,
        /// The size of the numbers in the header in bytes.
        expected: usize,
        /// Bytes after the length field.
        left: usize,
    },
    /// The checksum does not match: the file is damaged.
    #[error("{field}: found {found:#010x}, expected {expected:#010x}", field = Field::Checksum)]
    Checksum {
        /// The CRC-32 in the file.
        found: u32,
        /// The CRC-32 of the bytes before it.
        expected: u32,
    },
    /// An output weight is out of range, so that kernels would overflow.
    #[error(
        "{field}: found {found} at number {number}, expected -{MAX_OUTPUT_WEIGHT} to \
         {MAX_OUTPUT_WEIGHT}",
        field = Field::OutputWeights
    )]
    Weight {
        /// Index of the weight, from 0.
        number: usize,
        /// The weight in the file.
        found: i16,
    },
    /// Bytes follow the last section.
    #[error("end of the file: expected at offset {offset}, found {left} bytes more")]
    TooLong {
        /// Offset of the expected end.
        offset: usize,
        /// Number of surplus bytes.
        left: usize,
    },
}

/// An oddity of a file that is read all the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Warning {
    /// A hash is not the one of the detected shape.
    Hash {
        /// The field that holds the hash.
        field: Field,
        /// The hash in the file.
        found: u32,
        /// The hash of the shape.
        expected: u32,
    },
    /// The architecture text does not describe the shape that was detected by size.
    Text {
        /// The beginning of the text.
        text: String,
        /// The shape detected by size.
        shape: Shape,
    },
    /// The file has no hashes between its sections.
    NoHashes,
    /// `fv_scale` in the text is out of range; the default is used.
    Scale(usize),
}

impl Warning {
    /// A warning where a hash in the file differs from the expected one.
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
