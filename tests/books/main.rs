//! Opening books: the answers of other programs, malformed files, round trips between the formats,
//! and the books in the running engine.

#[path = "../support/common.rs"]
mod common;

mod answers;
mod made_up;
mod making;
mod malformed;
mod round_trips;
mod speed;
