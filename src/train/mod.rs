//! Teaching the evaluation: data of all formats, games that the engine plays against itself to make more, and the training
//! of networks.

pub mod data;
pub mod gensfen;
pub mod learn;
