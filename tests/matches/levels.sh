#!/usr/bin/env bash
# The ladder of skill levels: each level against the one below, 65 to 85 % are wanted; level 0 against a search of depth 1
# that counts material (at most 15 %) and against random moves (at least 85 %; needs python3 with cshogi, PYTHON=...).
# Usage: tests/matches/levels.sh ENGINE FOLDER [GAMES]   (GAMES of each step, 200; a match that was broken off goes on)
set -euo pipefail
engine=$(realpath "$1")
folder=$2
games=${3:-200}
concurrency=${CONCURRENCY:-1}
python=${PYTHON:-python3}
random=$(realpath "$(dirname "$0")/random_mover.py")

mkdir -p "$folder"
level() { echo "cmd=$engine,name=level-$1,option.SkillLevel=$1,option.Threads=1,option.USI_Hash=64"; }
step() { # NAME ENGINE ENGINE
  "$engine" match --engine "$2" --engine "$3" --byoyomi 1s --games "$games" --concurrency "$concurrency" \
    --out "$folder/$1" --resume > "$folder/$1.log" 2>&1
  echo "$1: $(grep -m1 -o '+.* score .*%,' "$folder/$1/summary.txt") $(grep -m1 'Elo' "$folder/$1/summary.txt")"
}

step 0-against-depth-1 "$(level 0)" \
  "cmd=$engine,name=depth-1,option.EvalFile=<material>,option.DepthLimit=1,option.Threads=1,option.USI_Hash=16"
if "$python" -c 'import cshogi' 2> /dev/null; then
  step 0-against-random "$(level 0)" "cmd=$python $random,name=random"
else
  echo "0-against-random: skipped, $python has no cshogi"
fi
for high in $(seq 1 20); do
  step "$high-against-$((high - 1))" "$(level "$high")" "$(level $((high - 1)))"
done
