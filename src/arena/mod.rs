//! The arena: engines against each other under a referee who knows all the rules, and what the results are worth.

pub mod openings;
pub mod sprt;
pub mod spsa;
pub mod statistics;
