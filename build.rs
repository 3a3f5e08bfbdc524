//! Warns when the build has lost the baseline of x86-64 (SSE4.2 and POPCNT).
//!
//! `RUSTFLAGS` in the environment silently replaces the flags of `.cargo/config.toml`; without
//! POPCNT the engine works but is much slower.
//!
//! It also notes the compiler, which the engine names when asked.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rustc-env=RAICHO_COMPILER={}", compiler());
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=RUSTFLAGS");
    let is_x86_64 = env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64");
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    if is_x86_64 && !features.split(',').any(|feature| feature == "popcnt") {
        println!(
            "cargo::warning=POPCNT is off: RUSTFLAGS in the environment replaces the flags of \
             .cargo/config.toml; add -Ctarget-cpu=native or its flags to it"
        );
    }
}

fn compiler() -> String {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output();
    let version = output.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    version.map_or_else(|| "an unknown rustc".to_owned(), |version| version.trim().to_owned())
}
