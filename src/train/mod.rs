//! Training of the evaluation: tools for teacher data, start positions from games, self-play games,
//! new scores for old positions, the training of networks, and their comparison with a teacher.

pub mod data;
pub mod gensfen;
pub mod judge;
pub mod learn;
pub mod rescore;
pub mod roots;
