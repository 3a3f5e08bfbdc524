#!/usr/bin/env python3
"""A USI engine that plays any legal move, all equally likely. Needs cshogi."""

import random

import cshogi


def main():
    board = cshogi.Board()
    while True:
        try:
            words = input().split()
        except EOFError:
            return
        match words[:1]:
            case ["usi"]:
                print("id name random mover\nusiok", flush=True)
            case ["isready"]:
                print("readyok", flush=True)
            case ["position"]:
                board.set_position(" ".join(words[1:]))
            case ["go"]:
                moves = list(board.legal_moves)
                move = cshogi.move_to_usi(random.choice(moves)) if moves else "resign"
                print(f"bestmove {move}", flush=True)
            case ["quit"]:
                return


if __name__ == "__main__":
    main()
