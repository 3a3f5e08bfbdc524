#!/usr/bin/env python3
"""How often the move after N nodes is the one that another engine finds with many more.

Usage: tests/matches/agreement.py positions JOURNAL... --count N > positions.txt
       tests/matches/agreement.py search FILE ENGINE --positions positions.txt --nodes N [--option NAME=VALUE...]
       tests/matches/agreement.py compare REFERENCE FILE...

`positions` takes one position of each game of the journals (games.jsonl of matches). `search` writes a line for each position
to FILE, which has all first moves of the search and the nodes when they came; it goes on where FILE ends. `compare` prints,
for each FILE, in which share of the positions its move is the last one of REFERENCE, by nodes, and the difference to the
first FILE with its 95 % interval; positions beyond 1,000 centipawns are left out. So searches can be compared that are too
long for enough games, and the judge need not be a relative. What it shows is likeness to the judge, not strength.
"""

import argparse
import json
import math
import random
import shlex
import subprocess
import sys
import time
from pathlib import Path

MAX_SCORE = 1000  # decided games say little
FIRST, LAST = 6, 8  # plies after the opening and before the end that are left out
NODES = [6_250 * 2**doubling for doubling in range(9)]


def positions(arguments):
    chosen = []
    random.seed(arguments.seed)
    for journal in arguments.journals:
        for line in Path(journal).read_text(encoding="utf-8").splitlines():
            start, _, moves = json.loads(line).get("line", "").partition(" moves ")
            moves = moves.split()
            if len(moves) > FIRST + LAST:
                plies = random.randint(FIRST, len(moves) - LAST)
                chosen.append(f"{start} moves {' '.join(moves[:plies])}")
    random.shuffle(chosen)
    print("\n".join(chosen[: arguments.count]))


class Engine:
    def __init__(self, command, options):
        self.process = subprocess.Popen(
            shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.say("usi")
        self.until("usiok")
        for option in options:
            name, _, value = option.partition("=")
            self.say(f"setoption name {name} value {value}")

    def say(self, line):
        self.process.stdin.write(line + "\n")

    def lines(self):
        for line in self.process.stdout:
            if line.startswith("info string error"):
                sys.exit(line.strip())
            yield line
        sys.exit("error: the engine is gone")

    def until(self, word):
        return next(line for line in self.lines() if line.startswith(word))

    def search(self, position, nodes):
        """The last move, its score, and [nodes, move] at each change of the first move."""
        self.say("isready")
        self.until("readyok")
        self.say("usinewgame")
        self.say(f"position {position}")
        self.say(f"go nodes {nodes}")
        changes, score = [], None
        for line in self.lines():
            words = line.split()
            if words[0] == "bestmove":
                return words[1], score, changes
            if " pv " not in line or "upperbound" in words:
                continue
            move, count = words[words.index("pv") + 1], int(words[words.index("nodes") + 1])
            place = words.index("score")
            score = words[place + 1 : place + 3]
            if not changes or changes[-1][1] != move:
                changes.append([count, move])


def search(arguments):
    lines = Path(arguments.positions).read_text(encoding="utf-8").splitlines()
    path = Path(arguments.file)
    done = len(path.read_text().splitlines()) if path.exists() else 0
    engine = Engine(arguments.engine, arguments.option)
    with path.open("a", encoding="utf-8") as file:
        for index, line in enumerate(lines[done:], done):
            start = time.monotonic()
            move, score, changes = engine.search(line, arguments.nodes)
            entry = {"index": index, "move": move, "score": score, "changes": changes}
            entry |= {"nodes": arguments.nodes, "seconds": round(time.monotonic() - start, 2)}
            file.write(json.dumps(entry) + "\n")
            file.flush()
    engine.say("quit")


def entries(path):
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    return {entry["index"]: entry for entry in map(json.loads, lines)}


def is_open(entry):
    kind, value = entry["score"] or ("none", "0")
    return kind == "cp" and abs(int(value)) <= MAX_SCORE


def move_at(entry, nodes):
    moves = [move for count, move in entry["changes"] if count <= nodes]
    return moves[-1] if moves else None


def compare(arguments):
    reference = entries(arguments.reference)
    files = {path: entries(path) for path in arguments.files}
    known = set.intersection(*(set(found) for found in files.values()))
    indices = [index for index, entry in reference.items() if index in known and is_open(entry)]
    searched = min(entry["nodes"] for found in files.values() for entry in found.values())
    steps = [nodes for nodes in NODES if nodes <= searched]
    print(f"{len(indices)} positions; nodes: {', '.join(f'{nodes:,}' for nodes in steps)}")
    agree = {}
    for path, searched in files.items():
        agree[path] = [
            [move_at(searched[index], nodes) == reference[index]["move"] for index in indices]
            for nodes in steps
        ]
        shares = (f"{100 * sum(row) / len(row):5.1f}" for row in agree[path])
        print(f"{path:24}", "        ".join(shares))
    first, *rest = agree
    for path in rest:
        cells = []
        for old, new in zip(agree[first], agree[path]):
            gains = [after - before for before, after in zip(old, new)]
            mean = sum(gains) / len(gains)
            variance = sum((gain - mean) ** 2 for gain in gains) / len(gains)
            cells.append(f"{100 * mean:+5.1f} ± {196 * math.sqrt(variance / len(gains)):3.1f}")
        print(f"{path:24}", "  ".join(cells))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("positions")
    command.add_argument("journals", nargs="+")
    command.add_argument("--count", type=int, default=800)
    command.add_argument("--seed", type=int, default=1)
    command.set_defaults(run=positions)
    command = commands.add_parser("search")
    command.add_argument("file")
    command.add_argument("engine", help="command line of the engine")
    command.add_argument("--positions", required=True)
    command.add_argument("--nodes", type=int, required=True)
    command.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
    command.set_defaults(run=search)
    command = commands.add_parser("compare")
    command.add_argument("reference")
    command.add_argument("files", nargs="+")
    command.set_defaults(run=compare)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
