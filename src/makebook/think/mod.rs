//! Searches positions and keeps the best moves of each, for a book.
//!
//! | File | What it is |
//! |---|---|
//! | `searcher.rs` | a search of one position, and what it found |
//! | `positions.rs` | the positions to search, from a list or a book |
//! | `job.rs` | the positions as pieces of long work |
//! | `write.rs` | the book that comes out |

mod job;
mod positions;
mod searcher;
mod write;

pub use job::{Thinking, ThinkingPlan};
pub use positions::{Enough, Positions, Task};
pub use searcher::{Effort, Searcher, Thought, ThoughtMove};
pub use write::{WriteThoughts, write_thoughts};
