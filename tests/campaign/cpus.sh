#!/usr/bin/env bash
# Runs `bench` on emulated processors that lack single instruction sets: the same nodes on each, and no SIGILL.
# Usage: tests/campaign/cpus.sh EXECUTABLE    (needs qemu-x86_64; the baseline is SSE4.2 and POPCNT)
# The last line is `OK: …` or `FAULT: …` (exit code 1).
set -euo pipefail

exe=$1
nodes() { "$@" "$exe" bench --depth 3 | awk '/ nodes .* nps$/ { print $1 }' | tail -1; }
expected=$(nodes env)
faults=0
# Not without BMI1 alone: qemu 7.2 asks for it where glibc uses BZHI, which is of BMI2.
cpus=(max max,-bmi2 max,-bmi1,-bmi2 max,-abm max,-avx2 max,-avx Haswell SandyBridge Westmere Nehalem)
for cpu in "${cpus[@]}"; do
  found=$(nodes qemu-x86_64 -cpu "$cpu" 2>/dev/null || true)
  if [[ $found == "$expected" ]]; then
    echo "ok: $cpu"
  else
    echo "FAULT: $cpu: '$found' nodes, expected $expected"
    faults=$((faults + 1))
  fi
done
if ((faults > 0)); then
  echo "FAULT: $faults of ${#cpus[@]} processors"
  exit 1
fi
echo "OK: ${#cpus[@]} processors, $expected nodes on each"
