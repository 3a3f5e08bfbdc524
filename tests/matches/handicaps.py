#!/usr/bin/env python3
"""Games at a handicap between equal players: how often the giver wins.
Usage: handicaps.py ENGINE FOLDER [GAMES [LEVEL...]]   (40 games of each handicap; levels 5, 10, 15 and 20). Needs cshogi.

Each handicap is played from positions after two random moves of each side, each position once. Nodes are those of
levels.sh; NODES=N gives level 20 another number. A match that was broken off goes on."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import cshogi

HANDICAPS = {
    "lance": "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "bishop": "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "rook": "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "two pieces": "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "four pieces": "1nsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "six pieces": "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
}
PLIES = 4


def quiet_moves(board):
    """Moves that capture nothing and give nothing away."""
    moves = [move for move in board.legal_moves if not board.piece(cshogi.move_to(move))]

    def is_safe(move):
        target = cshogi.move_to(move)
        board.push(move)
        is_taken = any(cshogi.move_to(reply) == target for reply in board.legal_moves)
        board.pop()
        return not is_taken

    return [move for move in moves if is_safe(move)]


def openings(sfen, count):
    """Lines of moves from the handicap, all different."""
    draw = random.Random(1)
    lines = set()
    while len(lines) < count:
        board = cshogi.Board(sfen)
        words = []
        for _ in range(PLIES):
            move = draw.choice(quiet_moves(board))
            words.append(cshogi.move_to_usi(move))
            board.push(move)
        lines.add(f"sfen {sfen} moves {' '.join(words)}")
    return sorted(lines)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    engine, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    games = int(sys.argv[3]) if len(sys.argv) > 3 else 40
    folder.mkdir(parents=True, exist_ok=True)
    for level in sys.argv[4:] or ["5", "10", "15", "20"]:
        for name, sfen in HANDICAPS.items():
            # Two players of one level: each opening is played by both as the giver.
            start = folder / f"{name.replace(' ', '-')}.txt"
            start.write_text("\n".join(openings(sfen, (games + 1) // 2)) + "\n", encoding="utf-8")
            out = folder / f"level-{level}-{start.stem}"
            players = [
                f"cmd={engine},name={side},option.SkillLevel={level},option.Threads=1,option.USI_Hash=64"
                for side in ("one", "other")
            ]
            command = [engine, "match", "--engine", players[0], "--engine", players[1], "--games", str(games)]
            command += ["--nodes", os.environ.get("NODES", "780000"), "--patience", "36000s", "--openings", start]
            command += ["--order", "sequential", "--out", out, "--resume"]
            with out.with_suffix(".log").open("w") as log:
                subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, check=True)
            winners = [json.loads(line)["winner"] for line in (out / "games.jsonl").read_text().splitlines()]
            won, drawn = winners.count("white"), winners.count(None)
            share = 100 * (won + drawn / 2) / len(winners)
            print(f"level {level}, {name}: the giver wins {won} of {len(winners)}, {drawn} drawn ({share:.0f} %)", flush=True)


main()
