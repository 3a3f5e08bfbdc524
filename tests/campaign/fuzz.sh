#!/usr/bin/env bash
# Runs the fuzz targets, with the stable compiler and without cargo-fuzz.
# Usage: tests/campaign/fuzz.sh SECONDS [TARGET…]
# Corpora grow in tests/fuzz/corpus, inputs that fail are kept in tests/fuzz/artifacts.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../fuzz"
seconds=${1:?seconds for each target}
shift
mapfile -t all < <(sed -n 's/^name = "\(.*\)"$/\1/p' Cargo.toml | tail -n +2)
targets=("${@:-${all[@]}}")

host=$(rustc --version --verbose | sed -n 's/^host: //p')
export RUSTC_BOOTSTRAP=1
export RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=8 -Zsanitizer=address \
-Cdebug-assertions -Coverflow-checks"
cargo build --release --target "$host" --config 'profile.release.lto="off"' --bins
failed=0
for target in "${targets[@]}"; do
  mkdir -p "corpus/$target" "artifacts/$target"
  echo "== $target"
  "target/$host/release/$target" "corpus/$target" -artifact_prefix="artifacts/$target/" \
    -max_total_time="$seconds" -rss_limit_mb=4096 -print_final_stats=1 2>&1 |
    grep -E 'ERROR|panicked|stat::number_of_executed_units|Test unit written' || true
  if compgen -G "artifacts/$target/*" >/dev/null; then
    echo "FAULT: $target: see tests/fuzz/artifacts/$target"
    failed=1
  fi
done
exit "$failed"
