//! The results of a curve.

use serde::Serialize;

use crate::arena::summary::Summary;

/// The results, in the order of the matches.
#[derive(Clone, Debug, Serialize)]
pub struct Curve {
    /// The matches that were played, wholly or in part.
    pub points: Vec<CurvePoint>,
}

/// The match with one node limit.
#[derive(Clone, Debug, Serialize)]
pub struct CurvePoint {
    /// Nodes a move.
    pub nodes: u64,
    /// The result.
    pub summary: Summary,
}
