#!/usr/bin/env python3
"""GNU Shogi (Debian's `gnushogi`) as a USI engine, an anchor outside ourselves. Needs cshogi.
Usage: gnushogi.py [DEPTH]   (2; games begin from the start position, `cmd=gnushogi.py,args=2` of `raicho match`)

GNU Shogi speaks the commands of its terminal: all moves are entered by force, then it plays the side to move."""

import queue
import re
import shutil
import subprocess
import sys
import threading

import cshogi

from random_mover import play

PATIENCE = 120  # seconds for a move; games of a terminal end in many words, all of which mean that no move comes


class Player:
    def __init__(self, depth):
        program = shutil.which("gnushogi") or shutil.which("gnushogi", path="/usr/games")
        if program is None:
            sys.exit("error: there is no gnushogi, expected Debian's package of that name")
        self.depth = depth
        self.process = subprocess.Popen([program, "-X"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line)

    def choose(self, board):
        if board.is_game_over():
            return None
        words = ["new", "depth", self.depth, "force", *(cshogi.move_to_usi(move) for move in board.history), "force", "switch"]
        while not self.lines.empty():
            self.lines.get()
        self.process.stdin.write("\n".join(words) + "\n")
        self.process.stdin.flush()
        while True:
            try:
                line = self.lines.get(timeout=PATIENCE)
            except queue.Empty:
                return None
            if found := re.search(r"\.\.\. (\S+)", line):
                move = board.move_from_usi(found[1])
                return move if board.is_legal(move) else None


if __name__ == "__main__":
    play("GNU Shogi", Player(sys.argv[1] if len(sys.argv) > 1 else "2").choose)
