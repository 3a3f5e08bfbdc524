//! The `raicho` executable.

fn main() {}
