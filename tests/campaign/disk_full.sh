#!/usr/bin/env bash
# Fills a small disk under everything that writes: each tool must end with an error that names the
# reason, leave no half-written output under its final name, and finish with --resume once there is
# room; the engine must answer on.
#
# Usage: tests/campaign/disk_full.sh EXECUTABLE    (as root: it mounts a tmpfs)
set -euo pipefail
exe=$(realpath "${1:?the executable of Raicho}")
if ((EUID)); then
  echo "skipped: only root can mount a tmpfs"
  exit 0
fi
work=$(mktemp -d)
disk=$work/disk
mkdir "$disk"
mount -t tmpfs -o size=24k,nr_inodes=200 raicho-campaign "$disk"
trap 'umount "$disk"; rm -rf "$work"' EXIT
faults=0
checks=0
cd "$work"

material=(--eval '<material>')
"$exe" gensfen "${material[@]}" --nodes 60 --opening-nodes 200 --games 60 --out games >/dev/null 2>&1
for ending in psv usi sfen; do "$exe" convert games --out "games.$ending" >/dev/null 2>&1; done
"$exe" net random halfkp_256x2-32-32 random.bin >/dev/null
head -n 200 games.sfen >few.sfen
engine="cmd=$exe,option.EvalFile=<material>,option.Threads=1,option.USI_Hash=1"
tuned="cmd=$exe,option.EvalFile=<material>,option.Threads=1,option.USI_Hash=1"
engines=(--engine "$engine,name=a" --engine "$engine,name=b" --nodes 20 --max-moves 80 --max-imbalance 5000)

fault() {
  echo "FAULT: $*"
  faults=$((faults + 1))
}

# full NAME OUTPUT COMMAND…: must fail for want of room, and leave no OUTPUT (`-`: none to look at)
full() {
  local name=$1 output=$2 code=0
  shift 2
  checks=$((checks + 1))
  rm -rf "${disk:?}"/*
  if [[ ${filled:-} ]]; then head -c 24K /dev/zero >"$disk/fill"; fi
  "$@" >"$work/out" 2>"$work/err" || code=$?
  if ((code == 0)); then fault "$name: it reports success"; fi
  if ((code >= 100)); then fault "$name: exit code $code"; fi
  if grep -q panicked "$work/err"; then fault "$name: it panics"; fi
  if ! grep -q 'No space left' "$work/err"; then
    fault "$name: no word of the disk: $(tail -n 1 "$work/err")"
  fi
  if [[ $output != - && -e $output ]]; then fault "$name: $output is there"; fi
  echo "$name: $(grep -m 1 'error:' "$work/err" | cut -c 1-100)"
}

# resumed NAME COMMAND…: after `full`, with room again, must succeed
resumed() {
  local name=$1
  shift
  checks=$((checks + 1))
  mount -o remount,size=64m,nr_inodes=10000 "$disk"
  if ! "$@" >"$work/out" 2>"$work/err"; then
    fault "$name: not resumed: $(tail -n 1 "$work/err")"
  fi
}
small() {
  rm -rf "${disk:?}"/*
  mount -o remount,size=24k,nr_inodes=200 "$disk"
}

for ending in psv hcpe hcpe3 pack sfen usi csa; do
  full "convert to $ending" "$disk/o.$ending" "$exe" convert games --out "$disk/o.$ending"
done
full "shuffle" "$disk/o.psv" "$exe" shuffle games.psv --out "$disk/o.psv"
full "dedup" "$disk/o.psv" "$exe" dedup games.psv --out "$disk/o.psv"
filled=yes full "roots" "$disk/o.sfen" "$exe" roots games --plies 20 --unfinished --out "$disk/o.sfen"
full "stats, chart" "$disk/o.svg" "$exe" stats games --svg "$disk/o.svg"
full "net random" "$disk/o.bin" "$exe" net random halfkp_256x2-32-32 "$disk/o.bin"
full "openings" - "$exe" match openings --count 400 --max-imbalance 30000 --out "$disk/o.sfen"
full "book from games" "$disk/o.db" "$exe" book from-games games.usi --min-count 1 --out "$disk/o.db"
full "book think" "$disk/o.db" "$exe" book think few.sfen "${material[@]}" --depth 1 --out "$disk/o.db"
full "analyze, page" "$disk/o.html" "$exe" analyze games.usi "${material[@]}" --depth 1 --threads 1 --html "$disk/o.html"
full "analyze, JSON" - "$exe" analyze games.usi "${material[@]}" --depth 1 --threads 1 --json "$disk/o"
full "man" - "$exe" man "$disk/man"

run=("$exe" gensfen "${material[@]}" --nodes 60 --opening-nodes 200 --games 60 --out "$disk/g" --resume)
full "gensfen" - "${run[@]}"
resumed "gensfen" "${run[@]}"
cmp -s games/games-0001.pack "$disk/g/games-0001.pack" || fault "gensfen: other games"
small
run=("$exe" rescore games.psv "${material[@]}" --depth 1 --out "$disk/o.psv" --work "$disk/w" --resume --force)
full "rescore" "$disk/o.psv" "${run[@]}"
resumed "rescore" "${run[@]}"
"$exe" rescore games.psv "${material[@]}" --depth 1 --out whole.psv >/dev/null 2>&1
cmp -s whole.psv "$disk/o.psv" || fault "rescore: other scores"
small
run=("$exe" match "${engines[@]}" --games 40 --out "$disk/m" --resume)
full "match" - "${run[@]}"
resumed "match" "${run[@]}"
small
run=("$exe" spsa --engine "$tuned" --param FV_SCALE,int,16,1,128,8,0.1 --nodes 20 --max-moves 60
  --max-imbalance 5000 --iterations 150 --concurrency 1 --out "$disk/s" --resume)
full "spsa" - "${run[@]}"
resumed "spsa" "${run[@]}"
small
run=("$exe" learn games.psv --shape raicho_64x2-8 --batch 64 --epochs 1 --threads 1 --out "$disk/l" --resume)
full "learn" "$disk/l/net.nnue" "${run[@]}"
resumed "learn" "${run[@]}"
small
run=("$exe" mate few.sfen --nodes 20 --work "$disk/w" --resume)
for _ in $(seq 40); do cat few.sfen; done >many.sfen
run[2]=many.sfen
full "mate, journal" - "${run[@]}"
resumed "mate, journal" "${run[@]}"
small

# The engine's log of the dialogue: it goes on without.
checks=$((checks + 1))
{
  echo "setoption name DebugLogFile value $disk/log"
  for _ in $(seq 2000); do echo "position startpos"; done
  echo "go nodes 100"
  sleep 3
  echo quit
} | "$exe" >"$work/out" 2>"$work/err" || fault "usi, log: exit code $?"
grep -q '^bestmove' "$work/out" || fault "usi, log: no bestmove"
echo "usi, log: $(grep -m 1 'error' "$work/out" | cut -c 1-100)"

echo
if ((faults)); then
  echo "FAULT: $faults in $checks checks"
  exit 1
fi
echo "OK: $checks checks"
