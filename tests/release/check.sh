#!/usr/bin/env bash
# Builds the executables of a release for every platform that this machine can build and run, runs
# the same checks on each, and prints platforms × checks. What is missing is skipped, with the
# reason.
#
# Usage: tests/release/check.sh [PLATFORM…]
# Platforms: linux, nehalem, linux-static, aarch64, windows; all of them by default. `linux` is the
# reference of the others and always runs.
#
# A compiler for another target is any `rustc` in PATH that has the target's standard library, or the
# sources of the library (rustup: `rustup target add` or `rustup component add rust-src`). On Debian
# 12, `apt-get install --no-install-recommends` with these packages:
#   rustc-web cargo-web rust-web-src musl-tools libunwind-16-dev
#   gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static gcc-mingw-w64-x86-64-posix wine64 wine
# The builds take the usual profile. CARGO_PROFILE_RELEASE_LTO=off with
# CARGO_PROFILE_RELEASE_CODEGEN_UNITS=8 saves most of their time, at the cost of other sizes.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."

all=(linux nehalem linux-static aarch64 windows)
chosen=("${@:-${all[@]}}")
for name in "${chosen[@]}"; do
  if [[ " ${all[*]} " != *" $name "* ]]; then
    echo "error: unknown platform '$name', expected one of: ${all[*]}" >&2
    exit 2
  fi
done

target_dir=${CARGO_TARGET_DIR:-$PWD/target}/release-check
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
skipped=()
failed=()

wanted() { [[ " ${chosen[*]} " == *" $1 "* ]]; }
skip() {
  echo "skipped: $1: $2"
  skipped+=("$1: $2")
}
first_of() { # the first of the programs that is there
  local program
  for program; do
    if type -P "$program"; then return; fi
  done
  return 1
}

# Sets `rustc` and `std` for a target; `std` is empty where the library is there.
find_compiler() {
  local library
  while read -r rustc; do
    library=$("$rustc" --print target-libdir --target "$1" 2>/dev/null) || continue
    std=()
    if compgen -G "$library/libstd-*.rlib" >/dev/null; then return; fi
  done < <(type -aP rustc | awk '!seen[$0]++')
  while read -r rustc; do
    std=(-Zbuild-std=std,panic_abort,panic_unwind)
    if [[ -d $("$rustc" --print sysroot)/lib/rustlib/src/rust/library/std ]]; then return; fi
  done < <(type -aP rustc | awk '!seen[$0]++')
  return 1
}

# Builds for a target and sets `exe`: build NAME TARGET [VARIABLE=VALUE…]
build() {
  local name=$1 target=$2
  shift 2
  if ! find_compiler "$target"; then
    reason="no rustc in PATH has the standard library of $target, or its sources"
    return 1
  fi
  echo "== $name: $("$rustc" --version), $target ${std[*]}"
  local settings=("RUSTC=$rustc" "CARGO_TARGET_DIR=$target_dir" "$@")
  if ((${#std[@]})); then settings+=(RUSTC_BOOTSTRAP=1); fi
  if ! env "${settings[@]}" "$(dirname "$rustc")/cargo" build --locked --quiet --release \
    --bin raicho --target "$target" "${std[@]}"; then
    reason="the build for $target failed"
    return 1
  fi
  exe=$target_dir/$target/release/raicho
  if [[ $target == *windows* ]]; then exe+=.exe; fi
}

check() { # check NAME [OPTION…]: runs the checks on `exe`
  local name=$1
  shift
  echo "-- $name"
  local options=(--name "$name" --exe "$exe" --results "$work/results")
  if ! python3 "$here/checks.py" run "${options[@]}" "$@"; then
    failed+=("$name")
  fi
}

# --- Linux, the processor of this machine and an old one ---

linux=x86_64-unknown-linux-gnu
if ! build linux "$linux"; then
  echo "error: $reason" >&2
  exit 1
fi
check linux
if wanted nehalem; then
  if qemu=$(first_of qemu-x86_64 qemu-x86_64-static); then
    check nehalem --runner "$qemu -cpu Nehalem"
  else
    skip nehalem "qemu-x86_64 is not installed"
  fi
fi

# --- Linux without libraries of the system ---

# musl needs an unwinder that asks glibc for nothing, which LLVM's does and GCC's does not.
build_musl() {
  local musl_gcc unwind flags
  reason="musl-gcc is not installed"
  musl_gcc=$(first_of x86_64-linux-musl-gcc musl-gcc) || return 1
  find_compiler x86_64-unknown-linux-musl || true
  flags=(-Clink-self-contained=no -Crelocation-model=static)
  if ((${#std[@]})); then
    reason="no static libunwind of LLVM (libunwind-16-dev) for musl"
    unwind=$(compgen -G "/usr/lib/llvm-*/lib/libunwind.a" | tail -n 1) || return 1
    mkdir -p "$work/musl"
    cp "$unwind" "$work/musl"
    chmod u+w "$work/musl/libunwind.a"
    # Debian's asks for a function of glibc that checks the arguments of fprintf.
    "$musl_gcc" -O2 -c -x c - -o "$work/musl/fprintf.o" <<'C'
#include <stdarg.h>
#include <stdio.h>
int __fprintf_chk(FILE *file, int flag, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vfprintf(file, format, arguments);
    va_end(arguments);
    return length;
}
C
    ar r "$work/musl/libunwind.a" "$work/musl/fprintf.o" 2>/dev/null
    # Asked for its file names, musl-gcc answers with those of glibc, but it links the right ones.
    echo 'int main(void) { return 0; }' |
      "$musl_gcc" -static -x c - -o "$work/musl/none" -Wl,--trace |
      grep '/libc\.a$' | head -n 1 | xargs -I{} cp {} "$work/musl"
    flags+=("-Lnative=$work/musl")
  fi
  build linux-static x86_64-unknown-linux-musl \
    "CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_LINKER=$musl_gcc" \
    "CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_RUSTFLAGS=${flags[*]}"
}

if wanted linux-static; then
  if build_musl; then
    check linux-static
  else
    echo "no musl: $reason; glibc with +crt-static instead"
    if target_dir=$target_dir/static build linux-static "$linux" \
      CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS=-Ctarget-feature=+crt-static; then
      check linux-static
    else
      skip linux-static "$reason"
    fi
  fi
fi

# --- ARM ---

check_aarch64() {
  local gcc qemu loader
  reason="aarch64-linux-gnu-gcc is not installed"
  gcc=$(first_of aarch64-linux-gnu-gcc) || return 1
  reason="qemu-aarch64 is not installed"
  qemu=$(first_of qemu-aarch64 qemu-aarch64-static) || return 1
  build aarch64 aarch64-unknown-linux-gnu \
    "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=$gcc" || return 1
  loader=$(realpath "$("$gcc" -print-file-name=ld-linux-aarch64.so.1)")
  check aarch64 --runner "$qemu -L ${loader%/lib/*}"
}

if wanted aarch64; then
  check_aarch64 || skip aarch64 "$reason"
fi

# --- Windows ---

# Old versions of wine lack this library of Windows 10; the executable needs one function of it.
add_missing_library() {
  cat >"$work/random.c" <<'C'
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG length);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length) {
    return SystemFunction036(data, length);
}
C
  "$gcc" -shared -o "$(dirname "$exe")/bcryptprimitives.dll" "$work/random.c" -ladvapi32
}

check_windows() {
  local gcc wine
  reason="x86_64-w64-mingw32-gcc is not installed"
  gcc=$(first_of x86_64-w64-mingw32-gcc-posix x86_64-w64-mingw32-gcc) || return 1
  reason="wine is not installed"
  wine=$(first_of wine64 wine wine-stable) || return 1
  build windows x86_64-pc-windows-gnu \
    "CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=$gcc" || return 1
  export WINEPREFIX=$work/wine WINEDEBUG=-all WINEDLLOVERRIDES=mscoree,mshtml= DISPLAY=
  export LC_ALL=C.UTF-8
  reason="wine does not start"
  "$wine" wineboot -i >/dev/null 2>&1 || return 1
  if ! "$wine" "$exe" --version >/dev/null 2>&1; then add_missing_library; fi
  check windows --windows --runner "$wine"
}

if wanted windows; then
  check_windows || skip windows "$reason"
fi

echo
python3 "$here/checks.py" table --results "$work/results" --order "${all[@]}"
for line in "${skipped[@]}"; do echo "skipped: $line"; done
if ((${#failed[@]})); then
  echo "error: failed: ${failed[*]}" >&2
  exit 1
fi
