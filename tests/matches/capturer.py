#!/usr/bin/env python3
"""A USI engine that takes the most valuable piece that it can, else plays any legal move, all equally likely.
Needs cshogi."""

import random

import cshogi

from random_mover import play

# The order in value of what is captured: pawn to dragon, as cshogi numbers kinds of pieces.
VALUES = {
    cshogi.PAWN: 1,
    cshogi.LANCE: 2,
    cshogi.KNIGHT: 3,
    cshogi.PROM_PAWN: 4,
    cshogi.PROM_LANCE: 4,
    cshogi.PROM_KNIGHT: 4,
    cshogi.SILVER: 5,
    cshogi.PROM_SILVER: 5,
    cshogi.GOLD: 6,
    cshogi.BISHOP: 8,
    cshogi.ROOK: 10,
    cshogi.PROM_BISHOP: 11,
    cshogi.PROM_ROOK: 12,
}


def gain(board, move):
    """The value of the piece that the move takes, 0 if there is none."""
    if cshogi.move_is_drop(move):
        return 0
    return VALUES.get(cshogi.piece_to_piece_type(board.piece(cshogi.move_to(move))), 0)


def choose(board):
    """A move, or None where there is none."""
    moves = list(board.legal_moves)
    if not moves:
        return None
    best = max(gain(board, move) for move in moves)
    return random.choice([move for move in moves if gain(board, move) == best])


if __name__ == "__main__":
    play("capturer", choose)
