#!/usr/bin/env bash
# Fast games with tiny tables and one to four threads.
# Usage: tests/campaign/games.sh EXECUTABLE FOLDER [GAMES]   (10,000; a run that was broken off goes on)
set -euo pipefail
exe=$(realpath "$1")
folder=$2
games=${3:-10000}

engines=()
for threads in 1 2 3 4; do
  engines+=(--engine "cmd=$exe,name=threads-$threads,option.Threads=$threads")
done
# Six pairings.
"$exe" match "${engines[@]}" --each option.USI_Hash=1,option.USI_OwnBook=false --nodes 200 \
  --games $(((games + 5) / 6)) --concurrency 1 --out "$folder" --resume
python3 - "$folder" <<'PY'
import json
import sys
from collections import Counter

entries = [json.loads(line) for line in open(f"{sys.argv[1]}/games.jsonl")]
reasons = Counter(entry["reason"] for entry in entries)
bad = {"illegal-move", "crash", "hang", "not-ready", "false-declaration", "time-loss"} & set(reasons)
print(f"{'FAULT' if bad else 'OK'}: {len(entries)} games; "
      + ", ".join(f"{reason} {count}" for reason, count in reasons.most_common()))
sys.exit(bool(bad))
PY
