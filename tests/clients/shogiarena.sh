#!/usr/bin/env bash
# An analysis and whole games under shogiarena, which is strict about the order of USI: an unknown option, a bestmove while
# pondering, a line that begins with "error", or an isready that takes more than a second after a game ends the run.
# Usage: tests/clients/shogiarena.sh [ENGINE [GAMES]]   (SHOGIARENA names the program, default shogiarena)
set -euo pipefail
engine=$(realpath "${1:-target/release/raicho}")
games=${2:-4}
arena=${SHOGIARENA:-shogiarena}
if ! command -v "$arena" >/dev/null; then
  echo "skipped: there is no $arena (pip install shogiarena)"
  exit 0
fi

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$out"
timeout 120 "$arena" run analyze "$engine" startpos --nodes 5000 --option Threads=1 || {
  echo "FAULT: the analysis does not end"
  exit 1
}
for name in A B; do
  cat >"$name.yaml" <<YAML
name: $name
engine_path: $engine
options:
  Threads: 1
  USI_Hash: 16
YAML
done
timeout 900 "$arena" --output-dir "$out/run" run sprt --games "$games" \
  --engine name=A engine_path=A.yaml --engine name=B engine_path=B.yaml \
  --rules time_control.time_ms=3000 time_control.increment_ms=50 --dashboard enabled=false | tee "$out/log"
if grep -qi -E 'error|illegal|timeout|protocol' "$out/log"; then
  echo "FAULT: shogiarena complains"
  exit 1
fi
echo "OK: $games games"
