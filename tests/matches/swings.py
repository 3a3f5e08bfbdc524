#!/usr/bin/env python3
"""Whether `raicho analyze` charges each swing to the move that made it, and none to its own blocks.

Usage: raicho analyze GAMES --nodes 20000 --json FOLDER; tests/matches/swings.py FOLDER

Prints how far the signed changes of a game's moves are from the course of its graph, at most, and the mean change of the win
chance, in percent and without its sign, where the best move was played: at the last position of a block, which is searched
first, at the first one, and elsewhere. The exit code is 1 where the sum is off by 2 or the edges jump half as much again.
"""

import json
import statistics
import sys
from pathlib import Path

BLOCK, FIRST_BLOCKS = 16, [2, 2, 4, 8]  # as in src/analysis/run.rs
MOST_OFF, MOST_RATIO = 2.0, 1.5


def edges(positions):
    """The first and the last position of each block of a game with this number of positions."""
    start, sizes, found = 0, iter(FIRST_BLOCKS), []
    while start < positions:
        end = min(positions, start + next(sizes, BLOCK))
        found.append((start, end - 1))
        start = end
    return map(set, zip(*found))


def main():
    off, jumps = 0.0, {"last": [], "first": [], "elsewhere": []}
    games = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(Path(sys.argv[1]).glob("*.json"))]
    for game in games:
        chances, moves = game["black_win_chances"], game["moves"]
        total = sum(move["change"] if move["color"] == "black" else -move["change"] for move in moves)
        off = max(off, 100 * abs(total - (chances[-1] - chances[0])))
        first, last = edges(len(chances))
        for index, move in enumerate(moves):
            if move["class"] == "best":
                place = "last" if index in last else "first" if index in first else "elsewhere"
                jumps[place].append(100 * abs(move["change"]))
    print(f"{len(games)} games: signed changes are off by at most {off:.3f} points")
    means = {place: statistics.fmean(found) for place, found in jumps.items()}
    for place, found in jumps.items():
        print(f"{place:10} {means[place]:5.2f} % at {len(found)} best moves, {max(found):.0f} % at most")
    edge = max(means["last"], means["first"])
    sys.exit(off >= MOST_OFF or edge > MOST_RATIO * means["elsewhere"])


if __name__ == "__main__":
    main()
