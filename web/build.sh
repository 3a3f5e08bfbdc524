#!/usr/bin/env bash
# Builds the engine for browsers and Node into web/pkg: raicho.wasm, the module, its worker and types, an npm package,
# and engine.json, which makes the folder an engine of ShogiHome's web version.
# Usage: web/build.sh [--test]
# Needs rustc with the source of its standard library, which is built anew with atomics: RUSTC names the compiler,
# CARGO its cargo. On Debian: apt-get install rustc-web cargo-web rust-web-src lld-19 (taken from /usr/bin if they are
# there). --test plays `usi` to `bestmove` in Node afterwards.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

test=false
case "$*" in
  "") ;;
  --test) test=true ;;
  *)
    echo "error: unknown arguments '$*', expected none or --test" >&2
    exit 2
    ;;
esac

# The tool that is named in the environment, or the first of those in question that is installed.
tool() {
  local name=$1 path
  shift
  for path in "$@"; do
    if command -v "$path" >/dev/null; then
      command -v "$path"
      return
    fi
  done
  echo "error: $name is not installed, expected one of: $*" >&2
  exit 1
}

RUSTC=$(tool rustc ${RUSTC:+"$RUSTC"} /usr/bin/rustc rustc)
CARGO=$(tool cargo ${CARGO:+"$CARGO"} /usr/bin/cargo cargo)
linker=$(tool wasm-ld ${WASM_LD:+"$WASM_LD"} wasm-ld-22 wasm-ld-21 wasm-ld-20 wasm-ld-19 wasm-ld rust-lld)
export RUSTC
source_of_std=$("$RUSTC" --print sysroot)/lib/rustlib/src/rust/library
if [[ ! -e $source_of_std/Cargo.toml ]]; then
  echo "error: $RUSTC has no source of its standard library ($source_of_std), expected rust-src (rust-web-src)" >&2
  exit 1
fi

# The memory is shared by the threads, each of which is an instance of its own. The page makes it, with as much as the
# browser gives, up to 4 GB. Inlining more than by default (225) gives 3 % more nodes/s. Parts of the crate are used by the
# tools only, which are left out.
flags=(
  -Ctarget-feature=+atomics,+bulk-memory,+mutable-globals,+nontrapping-fptoint,+sign-ext,+simd128
  -Clinker="$linker"
  -Clink-arg=--shared-memory
  -Clink-arg=--import-memory
  -Clink-arg=--max-memory=4294967296
  -Clink-arg=--export=__stack_pointer
  -Clink-arg=--export=__wasm_init_tls
  -Clink-arg=--export=__tls_size
  -Cllvm-args=-inline-threshold=600
  -Aunused
)
export RUSTC_BOOTSTRAP=1 # for -Zbuild-std
export CARGO_PROFILE_RELEASE_PANIC=abort
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="${flags[*]}"
unset RUSTFLAGS
"$CARGO" rustc --quiet --locked --release --lib --no-default-features --crate-type cdylib --target wasm32-unknown-unknown \
  -Zbuild-std=std,panic_abort

pkg=web/pkg
rm -rf "$pkg"
mkdir -p "$pkg"
target=${CARGO_TARGET_DIR:-target}
cp "$target/wasm32-unknown-unknown/release/raicho.wasm" web/raicho.js web/worker.js web/raicho.d.ts web/README.md \
  LICENSE "$pkg"
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
sed "s/{{version}}/$version/" web/package.json >"$pkg/package.json"
node web/scripts.mjs "$pkg"
node web/engine_json.mjs "$pkg"
# The demo page of the guide takes the engine, and the board of the pages of `raicho analyze --html`.
demo=book/src/play/pkg
rm -rf "$demo"
mkdir -p "$demo"
cp "$pkg"/{raicho.js,worker.js,raicho.wasm} src/page/assets/{words.js,rules.js,board.js,page.css} "$demo"
echo "$pkg: $(wc -c <"$pkg/raicho.wasm") bytes, $(gzip -9c "$pkg/raicho.wasm" | wc -c) compressed"
if $test; then
  node tests/clients/web/first_move.mjs "$pkg"
fi
