#!/usr/bin/env bash
# Makes target/debian/raicho_*.deb of target/release/raicho, with manual pages and completions.
# Needs `cargo build --release` before, and cargo-deb (cargo install cargo-deb --locked).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

raicho=target/release/raicho
if [[ ! -x $raicho ]]; then
  echo "error: $raicho is missing, build it with: cargo build --release" >&2
  exit 1
fi
folder=target/deb
rm -rf "$folder"
mkdir -p "$folder/man"
"$raicho" man "$folder/man"
"$raicho" completions bash >"$folder/raicho.bash"
"$raicho" completions fish >"$folder/raicho.fish"
"$raicho" completions zsh >"$folder/_raicho"
cargo deb --no-build --locked
