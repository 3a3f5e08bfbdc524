#!/usr/bin/env bash
# Runs the tests under a sanitizer, with the stable compiler and its prebuilt standard library; `thread` with a compiler
# that has the source of its library, because locks and channels that are not instrumented look like races. On Debian:
# apt-get install rustc-web cargo-web rust-web-src clang-19 libclang-rt-19-dev (taken from /usr/bin if they are there).
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
    cargo test --target "$target" --test integration -- networks:: books::
    ;;
  thread)
    [[ -x /usr/bin/rustc && -x /usr/bin/cargo ]] && export RUSTC=/usr/bin/rustc && cargo=/usr/bin/cargo
    source_of_std=$("${RUSTC:-rustc}" --print sysroot)/lib/rustlib/src/rust/library
    if [[ ! -e $source_of_std/Cargo.toml ]]; then
      echo "error: ${RUSTC:-rustc} has no source of its standard library ($source_of_std)" >&2
      exit 1
    fi
    export RUSTC_BOOTSTRAP=1
    export RUSTFLAGS="-Zsanitizer=thread -Zexternal-clangrt -Clinker=clang-19 -Clink-arg=-fsanitize=thread"
    [[ $target == x86_64-* ]] && RUSTFLAGS+=" -Ctarget-cpu=x86-64-v2"
    "${cargo:-cargo}" test --target "$target" -Zbuild-std=std,panic_unwind,proc_macro,test --lib -- \
      search:: transposition:: mate:: runs:: arena:: gensfen::
    ;;
  debug)
    export CARGO_PROFILE_TEST_OPT_LEVEL=2 CARGO_PROFILE_TEST_DEBUG_ASSERTIONS=true
    export CARGO_PROFILE_TEST_OVERFLOW_CHECKS=true
    cargo test --lib
    cargo test --test integration -- rules:: networks:: engine::
    ;;
  *)
    echo "error: '$kind', expected address, thread or debug" >&2
    exit 2
    ;;
esac
echo "OK: $kind"
