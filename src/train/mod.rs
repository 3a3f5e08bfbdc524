//! Teaching the evaluation: data of all formats, positions for them to begin from, games that the engine plays against itself to make more, and the training
//! of networks.

pub mod data;
pub mod gensfen;
pub mod judge;
pub mod learn;
pub mod roots;
