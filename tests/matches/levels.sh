#!/usr/bin/env bash
# The ladder of skill levels: each level against the one below, 65 to 85 % are wanted; level 0 against a search of depth 1
# that counts material (at most 15 %) and against random moves (at least 85 %; needs python3 with cshogi, PYTHON=...).
# Usage: tests/matches/levels.sh ENGINE FOLDER [GAMES [FIRST [LAST]]]   (GAMES of each step, 200; FIRST and LAST are levels;
# a match that was broken off goes on). From level 14 on a game is over when both see 15 pawns for the same side. The
# levels below 20 are limited by nodes and need at most 0.4 s a move on an idle machine; with other work beside them
# give them more time (BYOYOMI=3s), so that none is cut short or loses on time. NODES=780000 plays without clocks, so
# that a match can also be stopped and continued (SIGSTOP); level 20 then has as many nodes as byoyomi of a second gives
# one thread of two cores (2026).
set -euo pipefail
engine=$(realpath "$1")
folder=$2
games=${3:-200}
first=${4:-0}
last=${5:-20}
concurrency=${CONCURRENCY:-1}
time=(--each "byoyomi=${BYOYOMI:-1s}")
if [[ -n ${NODES:-} ]]; then time=(--nodes "$NODES" --patience 36000s); fi
python=${PYTHON:-python3}
random=$(realpath "$(dirname "$0")/random_mover.py")

mkdir -p "$folder"
level() { echo "cmd=$engine,name=level-$1,option.SkillLevel=$1,option.Threads=1,option.USI_Hash=64"; }
step() { # NAME ENGINE ENGINE [OPTION...]
  "$engine" match --engine "$2" --engine "$3" "${@:4}" "${time[@]}" --games "$games" \
    --concurrency "$concurrency" --out "$folder/$1" --resume > "$folder/$1.log" 2>&1
  echo "$1: $(grep -m1 -o '+.* score .*%,' "$folder/$1/summary.txt") $(grep -m1 'Elo' "$folder/$1/summary.txt")"
}

if ((first == 0)); then
  step 0-against-depth-1 "$(level 0)" \
    "cmd=$engine,name=depth-1,option.EvalFile=<material>,option.DepthLimit=1,option.Threads=1,option.USI_Hash=16"
  if "$python" -c 'import cshogi' 2> /dev/null; then
    step 0-against-random "$(level 0)" "cmd=$python $random,name=random"
  else
    echo "0-against-random: skipped, $python has no cshogi"
  fi
fi
for high in $(seq $((first > 1 ? first : 1)) "$last"); do
  adjudicate=()
  if ((high > 13)); then adjudicate=(--adjudicate score=1500 moves=3); fi
  step "$high-against-$((high - 1))" "$(level "$high")" "$(level $((high - 1)))" "${adjudicate[@]}"
done
