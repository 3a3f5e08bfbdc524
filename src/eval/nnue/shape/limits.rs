//! Sizes that kernels and files support.

/// Largest width of a feature transformer: accumulator columns of one side.
pub const MAX_WIDTH: usize = 8192;

/// Most neurons of a hidden layer.
pub const MAX_HIDDEN: usize = 256;

/// Widths are a multiple of this, so that activations fill whole cache lines.
pub const WIDTH_STEP: usize = 64;

/// Rows of weights are padded to a multiple of this many inputs.
pub(super) const ROW_STEP: usize = 32;
