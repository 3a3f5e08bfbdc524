//! Helpers that know nothing of shogi.

mod enum_macro;
mod memory;
mod shorten;

pub(crate) use enum_macro::simple_enum;
pub(crate) use memory::fits_into_memory;
pub(crate) use shorten::shorten;
