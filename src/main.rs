//! The `raicho` executable: see [`raicho::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    raicho::cli::run()
}
