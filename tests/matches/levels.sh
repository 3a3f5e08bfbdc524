#!/usr/bin/env bash
# Each of six skill levels against the one below: at least 60 % are wanted.
# Usage: tests/matches/levels.sh ENGINE FOLDER [GAMES]   (GAMES of each step, 200; a match that was broken off goes on)
set -euo pipefail
engine=$(realpath "$1")
folder=$2
games=${3:-200}

mkdir -p "$folder"
level() { echo "cmd=$engine,name=level-$1,option.SkillLevel=$1"; }
low=0
for high in 4 8 12 16 20; do
  # The weak levels count nodes and move at once; only full strength takes its time.
  "$engine" match --engine "$(level $high)" --engine "$(level $low)" --each option.Threads=1,option.USI_Hash=16 \
    --byoyomi 200ms --games "$games" --concurrency 1 --out "$folder/$high-against-$low" --resume
  low=$high
done
