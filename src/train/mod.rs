//! Teaching the evaluation: the data.

pub mod data;
