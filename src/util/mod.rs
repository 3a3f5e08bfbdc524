//! Helpers that know nothing of shogi. Uses the standard library only.

mod enum_macro;
mod shorten;

pub(crate) use enum_macro::simple_enum;
pub(crate) use shorten::shorten;
