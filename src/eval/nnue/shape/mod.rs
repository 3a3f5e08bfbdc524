//! The shape of a network: its feature set, the widths of its layers, and its head. The shape
//! determines the sizes and hashes of a file. All dimensions are known at run time only.
//!
//! ```text
//! features of each side -> accumulator of `width` columns, the side to move first
//! plain:   clamp(0, 127),         2 * width -> hidden -> hidden -> 1
//! stacks:  products of halves,    width -> hidden (and a shortcut) -> hidden -> 1, one per bucket
//! direct:  clamp(0, 255) squared, 2 * width -> 1, one per bucket
//! ```

mod dimensions;
mod error;
mod file_layout;
mod limits;
mod name;
pub(crate) mod text;

pub(crate) use dimensions::LayerShape;
pub use dimensions::{Head, Shape, Shards};
pub use error::ShapeError;
pub(crate) use file_layout::PROGRESS_HASH;
pub use limits::{MAX_HIDDEN, MAX_WIDTH, WIDTH_STEP};

#[cfg(test)]
mod tests;
