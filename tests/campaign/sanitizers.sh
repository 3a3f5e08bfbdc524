#!/usr/bin/env bash
# Runs the tests under a sanitizer, with the stable compiler and its prebuilt standard library.
# Usage: tests/campaign/sanitizers.sh address|thread|debug
#   address   unsafe modules, kernels, readers of files, malformed input
#   thread    search, transposition table, match and gensfen on several threads
#   debug     debug assertions and overflow checks, optimised, all tests of the library
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
kind=${1:?address, thread or debug}
target=$(rustc --version --verbose | sed -n 's/^host: //p')
export CARGO_TARGET_DIR=$PWD/target/sanitizer-$kind CARGO_INCREMENTAL=0
# Optimised a little: without it the searches of the tests take hours.
export CARGO_PROFILE_TEST_OPT_LEVEL=1 CARGO_PROFILE_TEST_DEBUG=line-tables-only

case $kind in
  address)
    export RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=address"
    export ASAN_OPTIONS=detect_leaks=0
    cargo test --target "$target" --lib -- util:: eval:: transposition:: records:: book:: bitboard::
    cargo test --target "$target" --test networks --test books
    ;;
  thread)
    export RUSTC_BOOTSTRAP=1
    export RUSTFLAGS="-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer"
    cargo test --target "$target" --lib -- search:: transposition:: mate:: runs:: arena:: gensfen::
    ;;
  debug)
    export CARGO_PROFILE_TEST_OPT_LEVEL=2 CARGO_PROFILE_TEST_DEBUG_ASSERTIONS=true
    export CARGO_PROFILE_TEST_OVERFLOW_CHECKS=true
    cargo test --lib
    cargo test --test rules --test networks --test engine
    ;;
  *)
    echo "error: '$kind', expected address, thread or debug" >&2
    exit 2
    ;;
esac
echo "OK: $kind"
