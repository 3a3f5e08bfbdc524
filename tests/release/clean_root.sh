#!/usr/bin/env bash
# What a player and a developer do by the README, on a Debian that has nothing else yet, timed.
# Usage: tests/release/clean_root.sh FOLDER [SUITE]   (bookworm; needs root, debootstrap and target/release/raicho)
#   player     unpacks an archive of target/release/raicho; installs target/debian/raicho_*.deb if there is one
#   developer  installs a linker, takes over Rust and the certificates of this machine, runs the two commands
# The last line is `OK` or `FAULT: …`. FOLDER is made anew and stays; it needs 6 GB.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

usage() {
  echo "error: $1" >&2
  exit 2
}
(($# == 1 || $# == 2)) || usage "expected FOLDER [SUITE], found $# arguments"
[[ ! -e $1 ]] || usage "'$1' is there already"
((EUID == 0)) || usage "chroot needs root"
command -v debootstrap >/dev/null || usage "debootstrap is not installed"
[[ -x target/release/raicho ]] || usage "target/release/raicho is missing, build it with: cargo build --release"
folder=$(realpath -m "$1")
suite=${2:-bookworm}

trap 'umount --lazy --quiet "$folder/proc" "$folder/dev" || true' EXIT
trap 'exit 130' INT TERM
fault() {
  echo "FAULT: $1"
  exit 1
}
since() { awk "BEGIN { printf \"%8.2f s\", $EPOCHREALTIME - $1 }"; }
inside() {
  chroot "$folder" env -i HOME=/root LANG=C.UTF-8 PATH=/opt/rust/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    CARGO_HTTP_CAINFO=/opt/certificates.crt "$@"
}
timed() {
  local name=$1 commands=$2 start=$EPOCHREALTIME
  inside bash -euc "$commands" >"$folder/output" 2>&1 || {
    tail -20 "$folder/output"
    fault "$name"
  }
  echo "$(since "$start")  $name"
}
# Asks a command for a move as a GUI does.
play() {
  local line start=$EPOCHREALTIME
  coproc ENGINE { inside "$1"; }
  printf '%s\n' usi isready >&"${ENGINE[1]}"
  while read -r -t 20 line <&"${ENGINE[0]}"; do
    case $line in
      readyok)
        echo "$(since "$start")  $1: start to readyok"
        printf '%s\n' usinewgame 'position startpos' 'go movetime 1000' >&"${ENGINE[1]}"
        ;;
      bestmove\ [1-9]*)
        echo "$(since "$start")  $1: start to the move of a second: $line"
        echo quit >&"${ENGINE[1]}"
        wait "$ENGINE_PID" || fault "$1: exit status $?"
        return
        ;;
    esac
  done
  fault "$1: no move"
}

echo "$suite, $(nproc) cores"
debootstrap --variant=minbase "$suite" "$folder" >/dev/null
mount -t proc proc "$folder/proc"
mount --bind /dev "$folder/dev"
cp /etc/resolv.conf "$folder/etc/resolv.conf"

echo "Player"
mkdir "$folder/home/player"
tar -C target/release -czf "$folder/home/player/raicho.tar.gz" raicho
timed "unpack the archive" "cd /home/player && tar xf raicho.tar.gz"
play /home/player/raicho
for package in target/debian/raicho_*.deb; do
  [[ -e $package ]] || continue
  cp "$package" "$folder/home/player/raicho.deb"
  timed "apt install ./raicho.deb" "cd /home/player && apt-get install -y ./raicho.deb"
  play raicho
done

echo "Developer"
cp -a "$(rustc --print sysroot)" "$folder/opt/rust"
cp "$(readlink -f "${CARGO_HTTP_CAINFO:-/etc/ssl/certs/ca-certificates.crt}")" "$folder/opt/certificates.crt"
mkdir "$folder/home/raicho"
git archive HEAD | tar -x -C "$folder/home/raicho"
timed "a linker" "apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev"
timed "cargo fetch" "cd /home/raicho && cargo fetch --locked"
timed "cargo build --release" "cd /home/raicho && cargo build --release"
play /home/raicho/target/release/raicho
timed "cargo test" "cd /home/raicho && cargo test"
echo OK
