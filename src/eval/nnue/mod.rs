//! NNUE: small neural networks over the pieces of a position, made for search, where a move changes few inputs.
//!
//! Each side sees the position as a few dozen inputs that are one out of thousands ([`inputs`], `features`). The
//! transformer adds up one column of weights for each, and keeps the sums from move to move; stacks of small layers turn
//! the sums of both sides into one number. The idea is Yu Nasu's (2018); files are `YaneuraOu`'s, or of our own format.
//!
//! [`Network::open`] finds out which shape a file has; [`scalar::evaluate`] is the specification of what a network says;
//! [`Model`] says the same, fast.
//!
//! Must not know: search, options, where files lie.

mod accumulators;
pub mod buckets;
mod columns;
mod embedded;
mod explain;
mod features;
pub mod file;
mod input_table;
pub mod inputs;
mod layers;
mod model;
mod network;
mod of_material;
pub mod random;
pub mod scalar;
pub mod shape;
pub mod simd;

pub use explain::explain;
pub use features::{ActiveInputs, active};
pub(crate) use features::{inputs_in_hand, inputs_on_board, king_plane};
pub use model::{Memory, Model, chosen_set};
pub use network::{DEFAULT_SCALE, EnlargeError, Network};
pub(crate) use network::{Direct, Transformer};
pub use of_material::of_material;
