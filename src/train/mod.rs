//! Training of the evaluation: tools for teacher data, start positions from games, self-play games,
//! and the training of networks.

pub mod data;
pub mod gensfen;
pub mod judge;
pub mod learn;
pub mod roots;
