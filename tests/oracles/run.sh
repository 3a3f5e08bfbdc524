#!/usr/bin/env bash
# What the executable writes for fixed input, to show that a change of the code changes nothing:
#
#   tests/oracles/run.sh EXECUTABLE FOLDER     writes everything to FOLDER and compares the hashes
#   tests/oracles/run.sh --accept EXECUTABLE FOLDER   ... and records them as the expected ones
#
# Everything but expected.sha256 depends on generation 18 (tests/data) and on no other network, so
# that better networks can land meanwhile. Where RAICHO_CORPORA names the corpora, the records and
# books there are read too, and the K-P network beside them; their hashes are in corpora.sha256.
# Times, speeds, dates, paths and versions are removed from what is printed, instruction sets become avx2.
set -euo pipefail

accept=false
if [[ ${1:-} == --accept ]]; then
  accept=true
  shift
fi
[[ $# == 2 ]] || { sed -n '2,11p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
bin=$(mktemp -d)
trap 'rm -r "$bin"' EXIT
ln -s "$(realpath "$1")" "$bin/raicho"
raicho=$bin/raicho
mkdir -p "$2"
out=$(realpath "$2")
[[ -z $(ls -A "$out") ]] || { echo "$out is not empty" >&2; exit 2; }
net=$out/generation-18.nnue
cp "$here/../data/generation-18.nnue" "$net"
export LC_ALL=C.UTF-8 RAICHO_LANG=en
cd "$out"

# Runs a command in FOLDER/$group, with the exit code and what it printed in NAME.txt.
group=
run() {
  local name=$1
  shift
  mkdir -p "$out/$group"
  (cd "$out/$group" && { "$raicho" "$@" || echo "exit code $?"; }) </dev/null 2>&1 |
    tr '\r' '\n' | stable >"$out/$group/$name.txt"
}

# Removes what differs from run to run.
stable() {
  sed -E \
    -e "s#$out##g" -e "s#$raicho#raicho#g" -e "s#${RAICHO_CORPORA:-/none}#corpora#g" \
    -e '/^(running|time|elapsed|machine|referee|speed|memory|rate) /d' \
    -e 's/ in [0-9.]+ (s|seconds|ms|minutes)\b//g' \
    -e 's/Raicho [0-9]+\.[0-9.]+/Raicho/' \
    -e 's/, (plain|sse4\.1|avx512vnni|avx512|neon)\b/, avx2/' \
    -e 's/\b[0-9.]+( [0-9]{3})*[kM]?( )?(nodes|positions|visits|games|moves|MB|lps|nps|records)\/s//g' \
    -e 's/[0-9]+ nps$//; s/[0-9]+ lps$//; s/ (nps|time|hashfull) [0-9]+//g' \
    -e 's/ +[0-9.]+ (ms|s)\b//g; s/ +[0-9]+\.[0-9]{3}  / /' \
    -e '/^(one|two) .* nodes$/d; /^[0-9]+ steps /d; /^[0-9]+ games  /d' \
    -e '/[0-9]+\/s( |,|$)/d' -e '/ [0-9]+ s left/d' -e '/MB +of /d'
}

# Runs USI commands from standard input, each `go` to its answer.
usi() {
  local name=$1 line answer in out_of
  mkdir -p "$out/$group"
  coproc engine { "$raicho" usi 2>&1; }
  exec {in}>&"${engine[1]}" {out_of}<&"${engine[0]}"
  {
    while IFS= read -r line; do
      printf '%s\n' "$line" >&"$in"
      [[ $line == go* ]] || continue
      while IFS= read -r -t 60 answer <&"$out_of"; do
        printf '%s\n' "$answer"
        [[ $answer == bestmove* || $answer == checkmate* ]] && break
      done
    done
    printf 'quit\n' >&"$in"
    cat <&"$out_of"
  } | stable | sed -E '/^id name/d' >"$out/$group/$name.txt"
  exec {in}>&- {out_of}<&-
  wait
}

group=search
run bench bench --depth 9 --eval "$net"
run bench-material bench --depth 8 --eval '<material>'
run perft perft 4 --divide
run perft-hash perft 4 --hash 16 --key-bits 128
run perft-wide perft 3 --key-bits 256 --hash 1 --sfen \
  'l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1'
usi options <<<'usi'
usi games <<E2
setoption name EvalFile value $net
setoption name USI_Hash value 16
setoption name Threads value 1
setoption name USI_OwnBook value false
setoption name MinimumThinkingTime value 0
setoption name PvInterval value 0
isready
usinewgame
position startpos
key
moves
eval
go depth 10
position startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e 8d8e
go nodes 20000
position sfen l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1
d
eval
setoption name MultiPV value 3
go depth 7
setoption name MultiPV value 1
go depth 6 searchmoves 1a1b 2a1c
position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1
go mate infinite
go depth 3
perft 3
getoption USI_Hash
E2
usi errors <<E2
setoption name Threads value 1
setoption name PvInterval value 0
isready
setoption name EvalFile value /does/not/exist.nnue
isready
setoption name Nothing value 3
setoption name USI_Hash value x
position sfen 9/9/9/9 b - 1
go depth 2
position startpos moves 7g7f 7g7f
go depth 2
position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b 3B 1
frobnicate
d
position startpos
go depth 1
E2

group=teacher
run gensfen gensfen --eval "$net" --nodes 100 --games 12 --seed 3 --out games
run gensfen-trees gensfen --eval "$net" --nodes 300 --games 4 --seed 4 --tree-positions 8 \
  --write-every 4 --between-nodes 50 --random-plies 2..6 --random-move-count 2 \
  --random-multi-pv 3 --out trees
run gensfen-shard gensfen --eval "$net" --nodes 60 --games 6 --seed 5 --shard 1/3 --to-mate 1 \
  --out shard
games=games/games-0001.pack
for to in psv hcpe psum hcpe3 hcp sfen usi csa; do
  run "convert-$to" convert "$games" --out "converted.$to"
done
for from in psv hcpe hcpe3; do
  run "back-$from" convert "converted.$from" --out "back-$from.psv"
done
run tree convert trees/games-0001.tree --out tree-again.tree
run held-out convert "$games" --out kept.pack --held-out kept-out.pack --held-out-share 0.3
run entered convert "$games" --out entered.psv --entered-kings
run shuffle shuffle converted.psv --out shuffled.psv --seed 7
run dedup dedup converted.psv trees/games-0001.pack --out unique.psum
run stats stats "$games" --svg stats.svg
run validate validate converted.psv --skip good.psv
run rescore-static rescore "$games" --static --eval "$net" --out static.pack
run rescore rescore converted.hcpe --nodes 50 --eval "$net" --threads 2 --out searched.hcpe
run positions rescore "$games" --positions --out positions.tsv
run roots roots "$games" trees/games-0001.pack --plies 6 --unfinished --out roots.sfen
run learn learn "$games" --shape raicho_64x2-8 --visits 60000 --batch 2000 --seed 2 --out learnt
run learn-hidden learn "$games" trees/games-0001.tree --shape raicho_64x2-16-16 --visits 30000 \
  --batch 1000 --tactical leaf --lambda 0.5 --fit-scale --out learnt-hidden
run learn-zones learn --mix 2="$games" --mix 1=shuffled.psv --shape raicho4_64x2-8 \
  --visits 20000 --batch 1000 --out learnt-zones
run loss net loss learnt/net.nnue converted.psv
run difference net difference learnt/net.nnue "$net" "$games"
run show net show "$net"

group=matches
run openings match openings --random-plies 6..9 --count 30 --seed 4 --out openings.sfen
# Its first line names the version.
sed -i "1s/Raicho [^ ]*/Raicho/" "$out/matches/openings.sfen"
engines=(--engine "name=one,cmd=$raicho,option.EvalFile=$net"
  --engine "name=two,cmd=$raicho,option.EvalFile=<material>"
  --each 'option.USI_Hash=16,option.Threads=1')
run match match "${engines[@]}" --nodes 400 --openings openings.sfen --games 6 --seed 2 --out match
for shard in 1 2; do
  run "sprt-$shard" match "${engines[@]}" --nodes 100 --openings openings.sfen --games 8 \
    --shard "$shard/2" --max-moves 60 --sprt elo0=0 elo1=100 --seed 2 --out "part-$shard"
done
run sprt match merge part-1 part-2 --out merged
run spsa spsa --engine "cmd=$raicho,option.EvalFile=$net" --depth 2 \
  --param NetworkDelay,int,60,30,100,5,0.002 \
  --param FV_SCALE,int,50,1,128,20,0.002 --iterations 3 --max-moves 40 --random-plies 4..6 \
  --seed 3 --out spsa

group=people
run analyze analyze "../teacher/converted.usi" --depth 4 --eval "$net" --threads 1 --lang en \
  --html page --json analysis
run position analyze --depth 8 --eval "$net" --threads 1
run position-ja analyze --depth 6 --multipv 2 --eval "$net" --threads 1 --lang ja
run mate mate --sfen '4k4/9/4P4/9/9/9/9/9/4K4 b G 1' --shortest --html mate.html

group=books
run from-games book from-games ../teacher/converted.usi --plies 12 --out book.db --results book.tsv
run extend book extend --book book.db --positions 30 --nodes 500 --multipv 3 --eval "$net" \
  --work extending --out extended.db
run minimax book minimax extended.db --out minimaxed.db
run components book minimax extended.db --components --out components.db
for to in ybb bin sbk; do
  run "convert-$to" book convert minimaxed.db --out "converted.$to"
  run "info-$to" book info "converted.$to"
done
run merge book merge book.db extended.db --out merged.db
run sort book sort merged.db --out sorted.db
run probe book probe minimaxed.db ../teacher/roots.sfen --explain
run show book show minimaxed.db

corpora=${RAICHO_CORPORA:-}
if [[ -n $corpora ]]; then
  group=corpora
  for folder in csa kif; do
    for to in csa kif kifu ki2 ki2u jkf usi; do
      run "$folder-$to" convert "$corpora/$folder" --skip --out "$folder-as-$to" --to "$to"
    done
  done
  run games convert "$corpora/games_usi.txt" --format usi --out games.pack
  run from-games book from-games "$corpora/games_usi.txt" --format usi --plies 16 --out games.db
  run mate mate "$corpora/mate/mate-5-ply.txt" --nodes 20000 --summary
  for book in "$corpora"/books/*.*; do
    case $book in
    *.db | *.ybb | *.bin | *.sbk)
      run "book-$(basename "$book")" book info "$book"
      run "valid-$(basename "$book")" book validate "$book"
      ;;
    esac
  done
  kp=$corpora/../nets/kp256.nn.bin
  [[ -f $kp ]] && run bench-kp bench --depth 8 --eval "$kp"
fi

# Journals and settings have times; the pages of matches too.
find . -type f ! -name '*.json' ! -name '*.jsonl' ! -path './corpora/*' ! -name checkpoint.bin \
  ! -path './matches/*.csa' ! -path './matches/*.kif' ! -path './books/extending/*' \
  ! -path './matches/*/summary.txt' ! -name generation-18.nnue ! -name files | sort >files
hashes() { xargs -d '\n' sha256sum | sed 's#  \./#  #'; }
compare() {
  if $accept; then
    hashes <"$1" >"$here/$2"
    echo "recorded $(wc -l <"$1") hashes in $2"
  elif diff <(hashes <"$1") "$here/$2" >"$1.diff"; then
    echo "$(wc -l <"$1") files are as in $2"
  else
    cat "$1.diff"
    return 1
  fi
}
status=0
compare files expected.sha256 || status=1
if [[ -n $corpora ]]; then
  find ./corpora -type f ! -name '*.json' ! -name '*.jsonl' | sort >corpora-files
  compare corpora-files corpora.sha256 || status=1
fi
exit $status
