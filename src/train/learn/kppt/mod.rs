//! Training of three-piece evaluations ([`crate::eval::kppt`]), with weights that are sums of
//! factors.
//!
//! | module | content |
//! |---|---|
//! | `factors` | the factors, constants of kings |
//! | `index` | where a king, a piece, a pair lies in the table of each factor |
//! | `view` | the positions of a batch, seen from both kings |
//! | `tables` | the weights |
//! | `rows` | where the weights of a position lie |
//! | `forward`, `pass` | forward pass; backward pass with the step of `AdaGrad` |
//! | `learner`, `checkpoint` | a run, interrupted runs |
//! | `fold` | all factors summed to plain KK, KKP and KPP |
//!
//! The learner of Bonanza (Hoki, 2006) with the lowering of dimensions by NDF (2014), as Apery had
//! it until 2016, and `YaneuraOu`'s online steps. A seed gives the same weights on any number of
//! threads.

mod checkpoint;
mod factors;
mod fold;
mod forward;
mod index;
mod learner;
mod pass;
mod rows;
mod tables;
mod view;

pub use factors::{Factor, Factors, FactorsError, KingConstants, Options};
pub use learner::{Learner, LearnerError};

#[cfg(test)]
mod tests;
