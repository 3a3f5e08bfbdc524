#!/usr/bin/env bash
# Whole games under cshogi's own match runner, which keeps the clocks and the rules with code of its own.
# Usage: tests/clients/cshogi_match.sh [ENGINE [GAMES]]   (PYTHON names a Python with cshogi, default python3)
set -euo pipefail
engine=$(realpath "${1:-target/release/raicho}")
games=${2:-4}
python=${PYTHON:-python3}
if ! "$python" -c 'import cshogi' 2>/dev/null; then
  echo "skipped: $python has no cshogi (pip install cshogi)"
  exit 0
fi

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
options=Threads:1,USI_Hash:16
# The runner waits for ever for an engine that has gone.
play() {
  echo "== $*"
  timeout 600 "$python" -m cshogi.cli "$engine" "$engine" --options1 "$options" --options2 "$options" \
    --games "$games" --csa "$out" "$@" | tee "$out/log"
  if grep -q -E '切れ負け|Traceback|Error' "$out/log"; then
    echo "FAULT: the runner complains"
    exit 1
  fi
}
play --time 5000 --inc 50
play --time 0 --byoyomi 100
play --time 3000 --byoyomi 200 --ponder

records=$(find "$out" -name '*.csa' | wc -l)
if [[ $records -eq 0 ]] || grep -l -E '%(ILLEGAL_MOVE|TIME_UP)' -r "$out" --include='*.csa'; then
  echo "FAULT: $records records, the named ones end badly"
  exit 1
fi
echo "OK: $records records"
