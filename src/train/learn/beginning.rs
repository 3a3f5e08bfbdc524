//! Weights that were learnt before, where a run may begin: a checkpoint's, or those of a network in the engine's integers.

use std::io;
use std::path::Path;

use thiserror::Error;

use super::checkpoint::{Checkpoint, CheckpointError};
use super::quantise::to_floats;
use super::weights::Weights;
use crate::eval::nnue::Network;
use crate::eval::nnue::file::NetError;
use crate::eval::nnue::shape::Shape;

/// Why a run cannot begin with the weights of a file.
#[derive(Debug, Error)]
pub enum BeginError {
    /// The file cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It is a checkpoint that cannot be used.
    #[error("{0}")]
    Checkpoint(#[from] CheckpointError),
    /// It is neither a checkpoint nor a network.
    #[error("neither a checkpoint nor a network: {0}")]
    Network(#[from] NetError),
    /// Its network is none that can be trained.
    #[error("a network of shape {0}, expected one of our own (raicho_…)")]
    Shape(Shape),
    /// Its network has another width.
    #[error("width {found}, expected {expected}")]
    Width {
        /// In the file.
        found: usize,
        /// What is learnt.
        expected: usize,
    },
}

/// The weights of a file, for a network of so many columns whose values are divided by `scale`.
pub(super) fn weights(path: &Path, width: usize, scale: u16) -> Result<Weights, BeginError> {
    let weights = if Checkpoint::is_one(path)? {
        Checkpoint::open(path)?.weights
    } else {
        let (network, _) = Network::open(path)?;
        to_floats(&network, scale).ok_or(BeginError::Shape(network.shape()))?
    };
    let found = weights.width();
    if found != width {
        return Err(BeginError::Width {
            found,
            expected: width,
        });
    }
    Ok(weights)
}
