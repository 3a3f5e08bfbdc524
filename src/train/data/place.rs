//! Places in the files of a pass.

use serde::{Deserialize, Serialize};

/// A place between two records.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Place {
    /// Index of the file.
    pub file: usize,
    /// Bytes of the file before the place.
    pub offset: u64,
    /// Records of the file before the place.
    pub records: u64,
}
