//! NNUE evaluation: networks whose first layer is updated incrementally during search.
//!
//! Each side sees a position as about 40 active features out of thousands (a
//! [`FeatureSet`]). The feature transformer adds one column of weights per active feature into an
//! accumulator, which is kept from move to move; small layers or one output neuron turn the
//! accumulators of both sides into a value. The idea is Yu Nasu's (2018). Files are those of
//! `YaneuraOu` or of our own format.
//!
//! [`Network::open`] detects the architecture of a file. [`scalar::evaluate`] is the reference
//! implementation; [`Model`] computes the same value with vector instructions.
//!
//! Must not know: search, options, where files lie.

mod accumulator;
mod active_groups;
mod column_order;
mod embedded;
mod explain;
mod feature_changes;
mod feature_table;
mod features;
pub mod file;
mod layers;
mod material_network;
mod model;
mod network;
mod noise;
pub mod output_buckets;
mod output_sum;
pub mod random;
mod refresh_cache;
pub mod scalar;
pub mod shape;
pub mod simd;

pub use explain::explain;
pub use features::{ActiveFeatures, FeatureSet, active_features};
pub(crate) use features::{features_in_hand, features_on_board, king_bucket};
pub use material_network::material_network;
pub use model::{Accumulator, Model, instruction_set_from_env};
pub(crate) use network::{AffineLayer, FeatureTransformer, LayerStack, OutputLayer};
pub use network::{DEFAULT_SCALE, Network, RescaleError};
