//! Evaluations by networks and by three-piece tables: the values of other programs, and every
//! instruction set against the specification.

mod kppt;
mod kppt_files;
mod kppt_names;
mod nnue;
mod nnue_kernels;
mod walk;
