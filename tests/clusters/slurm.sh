#!/usr/bin/env bash
# Brings up a Slurm of its own on this machine (one controller, one node with four slots), runs
# gensfen, match, book think and mate as job arrays of three parts, kills a part
# of each while it is at work, puts it back into the queue, and compares what the parts make
# together with one undivided run.
#
# Usage: tests/clusters/slurm.sh EXECUTABLE [TOOL…]    (as root)
# Needs slurmctld, slurmd and munged (Debian: slurm-wlm, munge). Nothing of the system's own Slurm is
# touched: configuration, key, sockets and logs are in a folder that is removed at the end. Where
# something is missing the script prints `skipped: …` and ends with 0.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
exe=$(realpath "${1:?the executable of Raicho}")
shift
all=(gensfen match think mate)
tools=("${@:-${all[@]}}")
parts=3

for program in slurmctld slurmd munged mungekey sbatch jq python3; do
  if ! type -P "$program" >/dev/null; then
    echo "skipped: $program is not installed"
    exit 0
  fi
done
if ((EUID)); then
  echo "skipped: the daemons need root"
  exit 0
fi

# --- The cluster ---

work=$(mktemp -d)
chmod 755 "$work"
node=$(hostname -s)
daemons=()
end() {
  scancel --quiet --user=root 2>/dev/null || true
  for daemon in "${daemons[@]}"; do kill "$daemon" 2>/dev/null || true; done
  wait
  rm -rf "$work"
}
trap end EXIT

mkdir "$work"/{munge,state,spool,run}
mungekey --create --keyfile "$work/munge/key"
munged --foreground --force --socket "$work/munge/socket" --key-file "$work/munge/key" \
  --pid-file "$work/munge/pid" --seed-file "$work/munge/seed" --log-file "$work/munge/log" 2>"$work/munged.log" &
daemons+=($!)

mapfile -t ports < <(python3 -c '
import socket
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*(s.getsockname()[1] for s in sockets), sep="\n")')

# `config_overrides`: four slots, however few cores the machine has. A part that was put back waits
# until its old credential has expired, usually two minutes.
cat >"$work/slurm.conf" <<CONF
ClusterName=raicho
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=${ports[0]}
SlurmdPort=${ports[1]}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket,cred_expire=5
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=2
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=5
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
NodeName=$node NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$work/slurm.conf

until_true() { # until_true SECONDS WHAT COMMAND…: waits, or ends the script
  local deadline=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    if ((SECONDS > deadline)); then
      echo "error: $what: not within its time" >&2
      tail -n 5 "$work"/*.log >&2 || true
      exit 1
    fi
    sleep 0.1
  done
}
until_true 20 "munge" test -S "$work/munge/socket"
slurmctld -D 2>/dev/null &
daemons+=($!)
slurmd -D -N "$node" 2>/dev/null &
daemons+=($!)
is_idle() { [[ $(sinfo --noheader --format=%T) == idle ]]; }
until_true 60 "the node" is_idle
echo "$(sinfo --version): $(sinfo --noheader --format='%D node, %c slots')"

# --- The tools: `whole` at a stretch, `part` as a job, `merged` makes both comparable ---

cd "$work/run"
material=(--eval '<material>')

inputs() { # games and positions for the tools, made at a stretch
  "$exe" gensfen "${material[@]}" --nodes 100 --opening-nodes 200 --games 24 --out input
  "$exe" convert input --out input.usi
  sed 's/ moves.*//; s/^sfen //' input.usi >positions.sfen
  "$exe" convert input --out input.sfen
  awk 'NR % 12 == 0' input.sfen >problems.sfen
} >/dev/null 2>&1

# command TOOL OUT [MORE…]: sets `command`
command_of() {
  local tool=$1 out=$2
  shift 2
  case $tool in
    gensfen) command=(gensfen "${material[@]}" --nodes 2000 --opening-nodes 200 --games 30 --out "$out") ;;
    match)
      command=(match --engine "cmd=$exe,name=new,nodes=2000" --engine "cmd=$exe,name=old,nodes=1000")
      command+=(--each 'option.EvalFile=<material>,option.Threads=1,option.USI_Hash=1')
      command+=(--games 30 --max-moves 120 --seed 1 --max-imbalance 5000 --out "$out")
      ;;
    think) command=(book think positions.sfen "${material[@]}" --nodes 200000 --out "$out.db") ;;
    mate) command=(mate problems.sfen --nodes 30000 --hash 2) ;;
  esac
  command+=("$@")
}

whole() {
  command_of "$1" "whole-$1"
  "$exe" "${command[@]}" >"whole-$1.txt" 2>"whole-$1.log"
}

# The job script: the same line of a part can be given again until it is complete.
job_of() {
  command_of "$1" "parts-$1/\$part" --resume
  local line
  line=$(printf '%q ' "$exe" "${command[@]}")
  line=${line//\\\$part/\"\$part\"}
  case $1 in
    gensfen | match) line+='--shard "$part/$parts"' ;;
    think) line+="--shard \"\$part/\$parts\" --work parts-$1/work-\"\$part\" --force" ;;
    mate) line+="--shard \"\$part/\$parts\" --work parts-$1/work-\"\$part\"" ;;
  esac
  cat <<JOB
#!/bin/bash
#SBATCH --job-name=$1
#SBATCH --array=1-$parts
#SBATCH --cpus-per-task=1
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=parts-$1/%a.log
set -euo pipefail
part=\$SLURM_ARRAY_TASK_ID
parts=\$SLURM_ARRAY_TASK_COUNT
exec $line >parts-$1/\$part.txt
JOB
}

# The journal of part N of a tool.
journal() {
  case $1 in
    gensfen) echo "parts-$1/$2/gensfen*.jsonl" ;;
    match) echo "parts-$1/$2/games.jsonl" ;;
    *) echo "parts-$1/work-$2/*.jsonl" ;;
  esac
}
lines() { cat $(journal "$1" "$2") 2>/dev/null | wc -l; }
is_at_work() { (($(lines "$1" "$2") >= 1)); }
state() { scontrol show job "$1" | grep -o 'JobState=[A-Z]*' | head -n 1; }
has_state() { [[ $(state "$1") =~ $2 ]]; }
has_ended() { has_state "$1" 'COMPLETED|FAILED|CANCELLED|TIMEOUT'; }

sorted_records() { # the records of 40 bytes of a .psv, sorted
  python3 -c '
import sys
data = open(sys.argv[1], "rb").read()
records = sorted(data[i:i + 40] for i in range(0, len(data), 40))
sys.stdout.buffer.write(b"".join(records))' "$1"
}
columns() { grep -v 'problem' "$@" | awk '{ $5 = ""; print }' | sort -n; } # without the seconds

equal() {
  case $1 in
    gensfen)
      "$exe" convert whole-gensfen --out whole.psv >/dev/null 2>&1
      "$exe" convert parts-gensfen/[0-9] --out parts.psv >/dev/null 2>&1
      cmp <(sorted_records whole.psv) <(sorted_records parts.psv)
      ;;
    match)
      "$exe" match merge parts-match/[0-9] --out merged-match >/dev/null
      cmp <(jq .pairings whole-match/summary.json) <(jq .pairings merged-match/summary.json) &&
        cmp <(sort whole-match/games.sfen) <(sort merged-match/games.sfen)
      ;;
    think)
      "$exe" book merge parts-think/[0-9].db --out merged-think.db >/dev/null
      cmp merged-think.db whole-think.db
      ;;
    mate) cmp <(columns whole-mate.txt) <(columns --no-filename parts-mate/[0-9].txt) ;;
  esac
}

inputs
failed=0
for tool in "${tools[@]}"; do
  mkdir "parts-$tool"
  job_of "$tool" >"$tool.sh"
  whole "$tool"
  job=$(sbatch --parsable "$tool.sh")
  # One part is killed as a crash would, another as by its owner or at the end of its time.
  killed=""
  for part in 1 2; do
    until_true 300 "$tool, part $part at work" is_at_work "$tool" "$part"
    if ((part == 1)); then
      scancel --full --signal=KILL "${job}_$part" || true
    else
      scancel "${job}_$part" || true
    fi
  done
  for part in 1 2; do
    until_true 60 "$tool, end of part $part" has_ended "${job}_$part"
    if has_state "${job}_$part" COMPLETED; then
      echo "FAULT: $tool: part $part was complete before it could be killed"
      failed=1
    fi
    killed+="part $part $(state "${job}_$part" | cut -d= -f2) after $(lines "$tool" "$part") lines, "
    scontrol requeue "${job}_$part" || true
  done
  for part in $(seq "$parts"); do
    until_true 600 "$tool, part $part" has_state "${job}_$part" COMPLETED
  done
  if equal "$tool"; then
    echo "$tool: ${killed}both went on; $parts parts together equal the undivided run"
  else
    echo "FAULT: $tool: ${killed}the parts differ from the undivided run"
    tail -n 3 "parts-$tool"/*.log || true
    failed=1
  fi
done
exit "$failed"
