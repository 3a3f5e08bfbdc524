//! General helpers, independent of shogi.

mod aligned;
mod counted;
mod decode;
mod enum_macro;
#[cfg(target_family = "wasm")]
mod heap_pages;
mod memory;
mod noise;
#[cfg(not(target_family = "wasm"))]
mod pages;
mod prefetch;
mod read;
mod shorten;
pub(crate) mod system;
mod threads;

pub(crate) use aligned::Aligned;
pub(crate) use counted::counted;
pub(crate) use decode::decode_line;
pub(crate) use enum_macro::simple_enum;
#[cfg(target_family = "wasm")]
pub(crate) use heap_pages::ZeroedPages;
pub(crate) use memory::fits_into_memory;
pub(crate) use noise::{mixed, normal, split_mix};
#[cfg(not(target_family = "wasm"))]
pub(crate) use pages::ZeroedPages;
pub(crate) use prefetch::{PREFETCHES, prefetch};
pub(crate) use read::read_up_to;
pub(crate) use shorten::{abbreviate, shorten};
pub(crate) use threads::{cores, for_each_part};
