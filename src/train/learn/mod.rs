//! Training of our own networks ([`Head::Direct`](crate::eval::nnue::shape::Head::Direct)) on the CPU.
//!
//! | file | what |
//! |---|---|
//! | `sample`, `filter`, `leaf`, `load` | positions in memory, 48 bytes each, and which positions of the games they are |
//! | `lookahead`, `held_out` | what scores say that were given later; which games are not learnt from |
//! | `order`, `chunk` | the order in which they are learnt, a new one in each epoch; their inputs, gathered and transposed |
//! | `weights`, `pass`, `loss` | the network in 32-bit floats, forward and backward |
//! | `adam`, `schedule` | how a gradient changes the weights, and how much |
//! | `learner`, `beginning`, `checkpoint`, `curve` | a run from its beginning to its end, in one go or in parts |
//! | `quantise`, `fit` | the network in the engine's integers; the scale of the scores |
//!
//! The same seed gives the same network, on any number of threads: every sum has its fixed order.

mod adam;
mod beginning;
mod checkpoint;
mod chunk;
mod curve;
mod filter;
mod fit;
mod held_out;
mod leaf;
mod learner;
mod load;
mod lookahead;
mod loss;
mod order;
mod pass;
mod quantise;
mod rounding;
mod sample;
mod schedule;
mod settings;
mod weights;

pub use beginning::BeginError;
pub use checkpoint::CheckpointError;
pub use curve::{Point, best_before_rise};
pub use filter::{Counts, Filter, Tactical};
pub use fit::fit_scale;
pub use learner::Learner;
pub use load::{Data, Fault, LoadError, Source, Watch};
pub use quantise::{ErrorReport, Quantised};
pub use sample::Sample;
pub use schedule::{Schedule, Shape};
pub use settings::{DEFAULT_SCALE, Settings, SettingsError};

#[cfg(test)]
mod tests;
