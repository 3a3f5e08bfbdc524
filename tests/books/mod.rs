//! Opening books: the answers of other programs, malformed files, round trips between the formats,
//! and the commands of `raicho book`.

mod answers;
mod commands;
mod embedded;
mod made_up;
mod making;
mod malformed;
mod odd_entries;
mod on_the_fly;
mod round_trips;
