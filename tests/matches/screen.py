#!/usr/bin/env python3
"""Screens many changes of a search at once: each game counts for all of them.

Usage: tests/matches/screen.py ENGINE FACTORS FOLDER [OPTION...]   (--help lists them)

FACTORS has a change a line: a name, then numbers of the search (feature `tune`) as NAME=VALUE. Of up to 15 changes (31, 63, ...)
the rows of a Hadamard matrix make 16 (32, 64, ...) matches, in which one engine has half of the changes and the other the
rest; in the first match one engine has all changes and the other none. So the gain of a change is the difference of the
results with and without it, with the error of a match of its own with all games. It is the mean gain in the company of the
other changes: a match of the chosen ones against the version before must follow.

A run that was broken off goes on. Prints the gains after each match; they mean something once all matches have been played.
"""

import argparse
import json
import math
import subprocess
import sys
from pathlib import Path

ELO_PER_SCORE = 1600 / math.log(10)  # the slope of the logistic curve at 50 %


def factors_of(path):
    """[(name, {option: value})] of a file; '#' begins a comment."""
    factors = []
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        words = line.split("#")[0].split()
        if words:
            factors.append((words[0], dict(word.split("=", 1) for word in words[1:])))
    if not factors:
        sys.exit(f"error: {path} has no factors, expected lines of NAME OPTION=VALUE...")
    return factors


def sign(run, factor):
    """Entry of a Hadamard matrix (Sylvester); column 0, which is constant, is left out."""
    return -1 if (run & (factor + 1)).bit_count() % 2 else 1


def score(folder):
    """(games, points of "plus") of the match in a folder, from its records."""
    path = folder / "games.jsonl"
    if not path.exists():
        return 0, 0.0
    entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    points = sum(0.5 if entry["winner"] is None else float(entry[entry["winner"]] == "plus") for entry in entries)
    return len(entries), points


def solve(matrix, vector):
    """Gauss-Jordan elimination with pivots. The small diagonal term keeps it solvable before all matches have games."""
    size = len(matrix)
    rows = [row[:] + [value] for row, value in zip(matrix, vector)]
    for index in range(size):
        rows[index][index] += 1e-6
    for index in range(size):
        pivot = max(range(index, size), key=lambda row: abs(rows[row][index]))
        rows[index], rows[pivot] = rows[pivot], rows[index]
        for row in range(size):
            if row != index:
                share = rows[row][index] / rows[index][index]
                rows[row] = [value - share * other for value, other in zip(rows[row], rows[index])]
    return [row[size] / row[index] for index, row in enumerate(rows)]


def report(factors, scores):
    """Prints the gain of each change: least squares over the scores of the matches."""
    count = range(len(factors))
    games = sum(number for number, _ in scores)
    if games == 0:
        return
    matrix = [
        [float(sum(number * sign(run, a) * sign(run, b) for run, (number, _) in enumerate(scores))) for b in count]
        for a in count
    ]
    vector = [
        sum(sign(run, factor) * (points - number / 2) for run, (number, points) in enumerate(scores)) for factor in count
    ]
    error = 1.96 * 0.5 / math.sqrt(games) * ELO_PER_SCORE
    print(f"{games} games, each gain +-{error:.1f} Elo (95 %)")
    gains = zip(solve(matrix, vector), factors)
    for gain, (name, _) in sorted(gains, key=lambda entry: -entry[0]):
        print(f"{gain * ELO_PER_SCORE:+7.1f}  {name}", flush=True)


def play(arguments, factors, run, folder):
    """Plays the match of a run, or what is left of it."""
    engines = []
    for name, wanted in (("plus", 1), ("minus", -1)):
        options = dict(word.split("=", 1) for word in arguments.base)
        for factor, (_, values) in enumerate(factors):
            if sign(run, factor) == wanted:
                options |= values
        words = "".join(f",option.{name}={value}" for name, value in options.items())
        engines += ["--engine", f"cmd={arguments.engine},name={name}{words}"]
    each = f"option.Threads=1,option.USI_Hash=16,option.USI_OwnBook=false,option.EvalFile={arguments.eval}"
    openings = ["--openings", arguments.openings] if arguments.openings else []
    if arguments.nodes_time:
        each += f",nodes-time={arguments.nodes_time}"
    command = [arguments.engine, "match", *engines, "--each", each, *openings]
    limit = ["--tc", arguments.tc] if arguments.tc else ["--nodes", str(arguments.nodes)]
    command += ["--seed", str(100 + run), *limit, "--games", str(arguments.games)]
    command += ["--concurrency", str(arguments.concurrency), "--out", str(folder), "--resume"]
    if arguments.adjudicate:
        command += ["--adjudicate", f"score={arguments.adjudicate}", "moves=3"]
    log = folder.with_suffix(".log")
    with log.open("w", encoding="utf-8") as output:
        if subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, check=False).returncode:
            sys.exit(f"error: the match failed or was broken off, see {log}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine")
    parser.add_argument("factors")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--games", type=int, default=250, help="of each match")
    parser.add_argument("--nodes", type=int, default=8000, help="a move")
    parser.add_argument("--tc", metavar="BASE+INC", help="clocks instead of nodes, for the constants of the time management")
    parser.add_argument("--nodes-time", type=int, metavar="N", help="with --tc: clocks that count nodes, N to a millisecond")
    parser.add_argument("--adjudicate", type=int, metavar="CP", help="end games that both sides see as decided for three moves")
    parser.add_argument("--eval", default="<embedded>")
    parser.add_argument("--base", nargs="*", default=[], metavar="OPTION=VALUE", help="options of both sides")
    parser.add_argument("--openings")
    parser.add_argument("--concurrency", type=int, default=1)
    parser.add_argument("--report", action="store_true", help="only print the gains of what was played")
    arguments = parser.parse_args()
    arguments.engine = str(Path(arguments.engine).resolve())
    arguments.folder.mkdir(parents=True, exist_ok=True)
    factors = factors_of(arguments.factors)
    folders = [arguments.folder / f"run{run}" for run in range(1 << len(factors).bit_length())]
    if arguments.report:
        report(factors, [score(folder) for folder in folders])
        return
    for run, folder in enumerate(folders):
        if score(folder)[0] < arguments.games:
            play(arguments, factors, run, folder)
        report(factors, [score(folder) for folder in folders])


if __name__ == "__main__":
    main()
