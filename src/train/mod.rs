//! Teaching the evaluation: data of all formats, and games that the engine plays against itself to make more.

pub mod data;
pub mod gensfen;
