//! Initial weights of a run, taken from a checkpoint or from a quantised network.

use std::io;
use std::path::Path;

use thiserror::Error;

use super::checkpoint::{Checkpoint, CheckpointError};
use super::layout::Layout;
use super::quantise::to_floats;
use super::weights::Weights;
use crate::eval::nnue::Network;
use crate::eval::nnue::file::NetError;
use crate::eval::nnue::shape::Shape;

/// Why the weights of a file cannot be used as initial weights.
#[derive(Debug, Error)]
pub enum InitError {
    /// The file cannot be opened or read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file is a checkpoint, but damaged or of another version.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The file is neither a checkpoint nor a network.
    #[error("neither a checkpoint nor a network")]
    Network(#[from] NetError),
    /// The network has another shape than those that can be trained.
    #[error("a network of shape {0}, expected one of our own (raicho_…)")]
    Shape(Shape),
    /// The network has zones of the own king, and that of the run has none.
    #[error("a network of shape {0}, whose zones cannot be joined")]
    Zones(Shape),
    /// The width differs from that of the run.
    #[error("width {found}, expected {expected}")]
    Width {
        /// Width of the weights in the file.
        found: usize,
        /// Width of the run.
        expected: usize,
    },
}

/// The weights of a file whose width is that of the run. Where the head is another, only the
/// feature transformer is used; where the run has zones of the own king and the file has none, all
/// zones begin with the same weights.
#[derive(Debug)]
pub struct InitialWeights(Content);

#[derive(Debug)]
enum Content {
    /// Of a checkpoint.
    Floats(Weights),
    /// Of a network, still quantised, because the conversion depends on the scale of the run.
    Quantised(Box<Network>),
}

impl InitialWeights {
    /// Reads a checkpoint or a network, which must have the width of the run.
    ///
    /// # Errors
    /// The file cannot be read, is neither, or has another feature set or width, or zones that the
    /// run does not have.
    pub fn open(path: &Path, shape: Shape) -> Result<Self, InitError> {
        let (content, found) = if Checkpoint::is_one(path)? {
            let checkpoint = Checkpoint::open(path)?;
            let shape = checkpoint.state.settings.shape;
            (Content::Floats(checkpoint.weights), shape)
        } else {
            let (network, _) = Network::open(path)?;
            let shape = network.shape();
            if Layout::new(shape).is_none() {
                return Err(InitError::Shape(shape));
            }
            (Content::Quantised(Box::new(network)), shape)
        };
        if found.width != shape.width {
            return Err(InitError::Width {
                found: found.width,
                expected: shape.width,
            });
        }
        let zones = |shape| Layout::new(shape).map_or(1, Layout::zones);
        if zones(found) > zones(shape) {
            return Err(InitError::Zones(found));
        }
        Ok(Self(content))
    }

    /// The weights for a run in which an output of 1 is worth `scale`.
    pub(super) fn into_weights(self, scale: u16) -> Weights {
        match self.0 {
            Content::Floats(weights) => weights,
            Content::Quantised(network) => {
                to_floats(&network, scale).expect("`open` has checked the shape")
            }
        }
    }
}
