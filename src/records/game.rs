//! A game as it was played.
