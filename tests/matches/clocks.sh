#!/usr/bin/env bash
# Games at the fastest clocks, with the default settings: nobody may lose on time.
# Usage: tests/matches/clocks.sh ENGINE FOLDER [GAMES [AT_A_TIME]]   (200 of each clock, 1 at a time)
# Leave a core free for each game. A match that was broken off goes on.
set -euo pipefail
engine=$(realpath "$1")
folder=$2
games=${3:-200}
concurrency=${4:-1}

mkdir -p "$folder"
play() {
  local name=$1 clock=$2
  echo "== $name"
  "$engine" match --engine "cmd=$engine,name=one" --engine "cmd=$engine,name=two" \
    --each "option.Threads=1,option.USI_Hash=16,$clock" \
    --games "$games" --concurrency "$concurrency" --out "$folder/$name" --resume
}
play byoyomi-0.1s byoyomi=100ms
play fischer-1s-0.05s tc=1+0.05
play sudden-death-10s tc=10
