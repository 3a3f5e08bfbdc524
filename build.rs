//! Warns when the build has lost the x86-64-v2 baseline.
//!
//! `RUSTFLAGS` in the environment silently replaces the flags of `.cargo/config.toml`; without POPCNT the
//! engine works but is much slower.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=RUSTFLAGS");
    let is_x86_64 = env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64");
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    if is_x86_64 && !features.split(',').any(|feature| feature == "popcnt") {
        println!(
            "cargo::warning=POPCNT is off: RUSTFLAGS in the environment replaces the flags of \
             .cargo/config.toml; add -Ctarget-cpu=x86-64-v2 (or better) to it"
        );
    }
}
