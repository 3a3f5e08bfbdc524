#!/usr/bin/env python3
"""A USI engine that plays any legal move, all equally likely. Needs cshogi."""

import random

import cshogi


def choose(board):
    """A move, or None where there is none."""
    return random.choice(list(board.legal_moves) or [None])


def play(name, choose):
    """Speaks USI on the standard streams; `choose` gives the move of a board."""
    board = cshogi.Board()
    while True:
        try:
            words = input().split()
        except EOFError:
            return
        match words[:1]:
            case ["usi"]:
                print(f"id name {name}\nusiok", flush=True)
            case ["isready"]:
                print("readyok", flush=True)
            case ["position"]:
                board.set_position(" ".join(words[1:]))
            case ["go"]:
                move = choose(board)
                print(f"bestmove {cshogi.move_to_usi(move) if move else 'resign'}", flush=True)
            case ["quit"]:
                return


if __name__ == "__main__":
    play("random mover", choose)
