//! The search: iterative deepening alpha-beta on one or more threads.
//!
//! [`Searcher`] owns the threads and the transposition table. A search takes a position, [`Limits`]
//! and [`Settings`], runs in the background and reports through [`Event`]s: any number of `Info`,
//! `CurrentMove` and `Note`, then exactly one `Done`. With one thread, full skill and no clock the
//! same calls give the same nodes, moves and values.
//!
//! Start reading in `alpha_beta.rs`; `iterative.rs` calls it, `pool.rs` starts and stops it. This
//! file only declares and re-exports, so that no file of the module depends on it.
//!
//! Must not know: USI text, options by name, stdout.

mod alpha_beta;
mod audit;
mod butterfly;
mod capacity;
mod correction_history;
mod event;
mod extensions;
mod history;
mod history_entry;
mod history_rows;
mod history_update;
mod iterative;
mod limits;
mod main_thread;
mod move_picker;
mod move_scoring;
mod node;
mod node_setup;
mod params;
mod pool;
mod principal_variation;
mod pruning;
mod quiescence;
mod quiet_scoring;
mod reductions;
mod reporter;
mod reporting;
mod root;
mod root_mate;
mod root_mate_slices;
mod root_move;
mod scored_moves;
mod search_thread;
mod settings;
mod signals;
mod skill;
mod solo;
mod static_info;
mod task;
mod time;
mod tree;
pub mod tunables;
mod vote;
mod worker;

#[cfg(test)]
mod tests;

pub use crate::transposition::Generations;
pub use capacity::{MEGABYTES_PER_THREAD, max_threads};
pub use event::{CurrentMove, Decision, Event, Info};
pub use limits::{Clock, Limits};
pub use params::{Tunable, enable_tunables};
pub use pool::{PrepareError, Searcher};
pub use settings::Settings;
pub use signals::Statistics;
pub use skill::Skill;
pub use solo::{SOLO_STACK_BYTES, Solo, SoloLine, SoloResult};
pub use time::{longest_move, nodes_to_time};
pub use tree::TreeNode;
