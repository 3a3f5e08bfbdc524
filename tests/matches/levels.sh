#!/usr/bin/env bash
# The ladder of skill levels: each level against the one below, 60 to 87 % are wanted; level 0 against a player that takes
# what it can (capturer.py, at most 15 %) and against random moves (at least 90 %), and level 5 against a search of depth 1
# that counts material. The players of scripts need python3 with cshogi, PYTHON=...
# Usage: tests/matches/levels.sh ENGINE FOLDER [GAMES [FIRST [LAST]]]   (GAMES of each step, 200; FIRST and LAST are levels;
# a match that was broken off goes on). From level 14 on a game is over when both see 15 pawns for the same side. Games are
# played without clocks, as in clock games levels below 20 take the time of a person: level 20 has 780,000 nodes a move, as
# many as byoyomi of a second gives one thread of two cores (2026). CLOCK=byoyomi=1s plays by the clock.
set -euo pipefail
engine=$(realpath "$1")
folder=$2
games=${3:-200}
first=${4:-0}
last=${5:-20}
concurrency=${CONCURRENCY:-1}
time=(--nodes "${NODES:-780000}" --patience 36000s)
if [[ -n ${CLOCK:-} ]]; then time=(--each "$CLOCK"); fi
python=${PYTHON:-python3}
scripts=$(realpath "$(dirname "$0")")

mkdir -p "$folder"
level() { echo "cmd=$engine,name=level-$1,option.SkillLevel=$1,option.Threads=1,option.USI_Hash=64"; }
step() { # NAME ENGINE ENGINE [OPTION...]
  "$engine" match --engine "$2" --engine "$3" "${@:4}" "${time[@]}" --games "$games" \
    --concurrency "$concurrency" --out "$folder/$1" --resume > "$folder/$1.log" 2>&1
  echo "$1: $(grep -m1 -o '+.* score .*%,' "$folder/$1/summary.txt") $(grep -m1 'Elo' "$folder/$1/summary.txt")"
}

if ((first == 0)); then
  step 5-against-depth-1 "$(level 5)" \
    "cmd=$engine,name=depth-1,option.EvalFile=<material>,option.DepthLimit=1,option.Threads=1,option.USI_Hash=16"
  if "$python" -c 'import cshogi' 2> /dev/null; then
    step 0-against-random "$(level 0)" "cmd=$python $scripts/random_mover.py,name=random"
    step 0-against-capturer "$(level 0)" "cmd=$python $scripts/capturer.py,name=capturer"
  else
    echo "0-against-random, 0-against-capturer: skipped, $python has no cshogi"
  fi
fi
for high in $(seq $((first > 1 ? first : 1)) "$last"); do
  adjudicate=()
  if ((high > 13)); then adjudicate=(--adjudicate score=1500 moves=3); fi
  step "$high-against-$((high - 1))" "$(level "$high")" "$(level $((high - 1)))" "${adjudicate[@]}"
done
