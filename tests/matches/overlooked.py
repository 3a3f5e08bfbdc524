#!/usr/bin/env python3
"""What a player of a match overlooked: mates in one, free captures, and pieces left to be taken, per game.
Usage: overlooked.py FOLDER NAME   (the folder of `raicho match`, the name of one of its engines). Needs cshogi.

A capture is free if it wins a silver's worth even after the recapture on its square."""

import json
import sys
from pathlib import Path

import cshogi

from capturer import VALUES, gain

LEAST_GAIN = VALUES[cshogi.SILVER]


def wins_material(board, move):
    """Whether the capture wins a silver's worth, with the recapture counted."""
    victim = gain(board, move)
    if victim < LEAST_GAIN:
        return False
    taker = VALUES.get(cshogi.piece_to_piece_type(board.piece(cshogi.move_from(move))), 0)
    target = cshogi.move_to(move)
    board.push(move)
    is_retaken = any(
        not cshogi.move_is_drop(reply) and cshogi.move_to(reply) == target for reply in board.legal_moves
    )
    board.pop()
    return victim - (taker if is_retaken else 0) >= LEAST_GAIN


def mates(board, move):
    board.push(move)
    is_mate = board.is_game_over()
    board.pop()
    return is_mate


class Count:
    """How often there was something, and how often it was overlooked."""

    def __init__(self):
        self.there = self.overlooked = 0

    def add(self, good, played):
        if good:
            self.there += 1
            self.overlooked += played not in good

    def __str__(self):
        share = 100 * self.overlooked / self.there if self.there else 0
        return f"{self.overlooked} of {self.there} ({share:.0f} %)"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder, name = Path(sys.argv[1]), sys.argv[2]
    games = [json.loads(line) for line in (folder / "games.jsonl").read_text().splitlines()]
    mate, capture = Count(), Count()
    moves_of_player = hangs = 0
    for game in games:
        own = cshogi.BLACK if game["black"] == name else cshogi.WHITE
        board = cshogi.Board()
        start, _, moves = game["line"].partition(" moves ")
        board.set_position(start)
        for text in moves.split():
            move = board.move_from_usi(text)
            if board.turn == own:
                moves_of_player += 1
                legal = list(board.legal_moves)
                mate.add([m for m in legal if mates(board, m)], move)
                capture.add([m for m in legal if wins_material(board, m)], move)
                board.push(move)
                hangs += any(wins_material(board, m) for m in board.legal_moves)
            else:
                board.push(move)
    count = max(len(games), 1)
    print(f"{name}: {count} games, {moves_of_player} moves; overlooked mates in one {mate}, free captures {capture},")
    print(f"pieces left to be taken after {hangs} moves; per game {mate.overlooked / count:.2f}, "
          f"{capture.overlooked / count:.2f} and {hangs / count:.2f}")


if __name__ == "__main__":
    main()
