//! Helpers that know nothing of shogi. Uses the standard library only.

mod enum_macro;

pub(crate) use enum_macro::simple_enum;
