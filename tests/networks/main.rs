//! NNUE evaluation: the values of other programs, and every instruction set against the scalar
//! specification.

#[path = "../support/common.rs"]
mod common;

mod kppt;
mod nnue;
mod nnue_kernels;
