//! Training of networks of our own feature set on the CPU, with or without hidden layers.
//!
//! | module | content |
//! |---|---|
//! | `files`, `data` | blocks of files, and the positions in them that are learnt from |
//! | `sample`, `filter`, `leaf` | selection of positions, 48 bytes each in memory |
//! | `td_lambda`, `held_out_games` | scores averaged over the game; choice of validation games |
//! | `order`, `stream` | shuffled order of the visits, reading ahead where memory is too small |
//! | `chunk` | features of a part of a batch and their transpose |
//! | `run`, `held_out_losses` | what all runs have in common |
//! | `kppt` | three-piece evaluations instead of networks |
//! | `layout`, `weights` | the network in 32-bit floats |
//! | `pass`, `loss` | forward and backward pass |
//! | `adam`, `schedule` | optimiser, learning rate and weight of results |
//! | `learner`, `initial_weights`, `loss_curve` | a run and its loss curve |
//! | `checkpoint` | interrupted runs |
//! | `grid`, `quantise`, `rounding` | the network in integers |
//! | `fit` | the scale of scores |
//!
//! A seed gives the same network on any number of threads, because every sum has a fixed order.

mod adam;
mod checkpoint;
mod chunk;
mod data;
mod files;
mod filter;
mod fit;
mod grid;
mod held_out_games;
mod held_out_losses;
mod initial_weights;
pub mod kppt;
mod layout;
mod leaf;
mod learner;
mod loss;
mod loss_curve;
mod order;
mod pass;
mod quantise;
mod rounding;
mod run;
mod sample;
mod schedule;
mod settings;
mod stream;
mod td_lambda;
mod weights;

pub use checkpoint::CheckpointError;
pub use data::{Data, Fault};
pub use files::{DEFAULT_WINDOW, FileGroup, LoadError, Source, Watch};
pub use filter::{Counts, Filter, Tactical};
pub use fit::fit_scale;
pub use initial_weights::{InitError, InitialWeights};
pub use learner::Learner;
pub use loss_curve::{Point, best_before_rise};
pub use quantise::{ErrorReport, Quantised};
pub use run::Run;
pub use sample::{Label, Sample};
pub use schedule::{Schedule, Shape};
pub use settings::{DEFAULT_SCALE, Settings, SettingsError, TreeWeight};

#[cfg(test)]
mod tests;
