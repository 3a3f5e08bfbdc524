//! General helpers, independent of shogi.

mod aligned;
mod decode;
mod enum_macro;
mod memory;
mod noise;
mod pages;
mod prefetch;
mod read;
mod shorten;
mod threads;

pub(crate) use aligned::Aligned;
pub(crate) use decode::decode_line;
pub(crate) use enum_macro::simple_enum;
pub(crate) use memory::{fits_into_memory, free_megabytes};
pub(crate) use noise::{mixed, normal};
pub(crate) use pages::ZeroedPages;
pub(crate) use prefetch::prefetch;
pub(crate) use read::read_up_to;
pub(crate) use shorten::{abbreviate, shorten};
pub(crate) use threads::{cores, for_each_part};
