#!/usr/bin/env python3
"""Plays USI engines against each other under the eyes of an independent library.

Optional check, never part of the build: it needs Python 3.9 or later and cshogi (`pip install cshogi`), whose rules
share no code with ours. It judges what an engine says, not how well it plays:

- every `go` gets exactly one `bestmove`, in time, and a legal one;
- every move of every printed `pv`, and the ponder move, is legal where it stands;
- `bestmove win` comes only where the 27-point declaration stands;
- stdout carries nothing but USI and no `info string error:`, and `quit` ends the process with code 0.

The script itself ends a game by fourfold repetition (a draw, or a loss for the side that gave check throughout) and
after --max-moves. It prints the move list and one line of verdict a game, and exits with 1 at the first fault.

Example: tests/clients/selfplay.py target/release/raicho --go "btime 0 wtime 0 byoyomi 100"
"""

import argparse
import queue
import subprocess
import sys
import threading
import time

import cshogi

STARTPOS = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
SIDES = ("Black", "White")  # by cshogi's turn: 0 is Black
FIRST_WORDS = {"id", "option", "usiok", "readyok", "bestmove", "info", "checkmate"}
VALUE_COUNTS = {  # how many words follow each word of an info line before the pv
    "depth": 1, "seldepth": 1, "time": 1, "nodes": 1, "nps": 1, "hashfull": 1, "multipv": 1, "currmove": 1,
    "currmovenumber": 1, "cpuload": 1, "cp": 1, "mate": 1, "score": 0, "lowerbound": 0, "upperbound": 0,
}  # fmt: skip


class Fault(Exception):
    """What an engine did wrong."""


class Engine:
    """One engine process; a thread reads its lines so that every wait has a deadline."""

    def __init__(self, path, name):
        self.name = name
        self.lines = queue.Queue()
        self.process = subprocess.Popen(
            [path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for raw in self.process.stdout:
            self.lines.put(raw.decode("utf-8", "replace").rstrip("\r\n"))
        self.lines.put(None)

    def send(self, line):
        try:
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()
        except OSError as error:
            raise Fault(f"{self.name} does not read {line!r}: {error}") from error

    def receive(self, deadline):
        """The next line, None at the end of the output."""
        try:
            line = self.lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise Fault(f"{self.name} says nothing within the patience of this script") from None
        if line:
            if line.split()[0] not in FIRST_WORDS:
                raise Fault(f"{self.name} prints a line that is not USI: {line!r}")
            if line.startswith("info string error:"):
                raise Fault(f"{self.name} reports {line!r}")
        return line

    def ask(self, line, answer, patience):
        """Sends a line and returns the lines before the one that starts with `answer`, and that one."""
        self.send(line)
        before = []
        deadline = time.monotonic() + patience
        while True:
            text = self.receive(deadline)
            if text is None:
                raise Fault(f"{self.name} ends instead of answering {line!r}")
            if text.split()[:1] == [answer]:
                return before, text
            if text.startswith(("bestmove", "checkmate")):
                raise Fault(f"{self.name} prints {text!r} while {answer} is due")
            before.append(text)

    def expect_silence(self):
        """Fails if an answer lies ready that nobody asked for: a second bestmove for the last go."""
        while not self.lines.empty():
            line = self.receive(time.monotonic())
            if line is None or line.startswith(("bestmove", "checkmate")):
                raise Fault(f"{self.name}: unexpected {line or 'end of output'!r} before the next go")

    def quit(self, patience):
        """Ends the process; a bestmove that nobody asked for shows here at the latest."""
        self.send("quit")
        deadline = time.monotonic() + patience
        while (text := self.receive(deadline)) is not None:
            if text.startswith(("bestmove", "checkmate")):
                raise Fault(f"{self.name} prints {text!r} after its last answer")
        try:
            code = self.process.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            raise Fault(f"{self.name} closes its output but does not end") from None
        if code != 0:
            raise Fault(f"{self.name} ends with exit code {code}")


def legal_move(board, text):
    """The move that `text` names in USI, None where it is no legal move."""
    move = board.move_from_usi(text)
    if move and cshogi.move_to_usi(move) == text and board.is_legal(move):
        return move
    return None


def check_line(board, moves, what):
    """Fails at the first move of a line that is not legal where it stands."""
    board = board.copy()
    for number, text in enumerate(moves, 1):
        move = legal_move(board, text)
        if move is None:
            raise Fault(f"move {number} of {what} is not legal: {text} in {board.sfen()}")
        board.push(move)


def check_info(board, line):
    """Checks the words of an info line and the legality of its pv."""
    words = line.split()[1:]
    while words:
        word = words.pop(0)
        if word == "string":
            return 0
        if word == "pv":
            check_line(board, words, f"the pv in {line!r}")
            return 1
        if word not in VALUE_COUNTS or len(words) < VALUE_COUNTS[word]:
            raise Fault(f"unknown word {word!r} in {line!r}")
        del words[: VALUE_COUNTS[word]]
    return 0


class Game:
    """The board, and what the repetition rule needs of the whole game."""

    def __init__(self, sfen):
        self.start = sfen
        self.board = cshogi.Board(sfen)
        self.moves = []
        self.positions = [self._position()]
        self.checks = [bool(self.board.is_check())]  # by position: is its side to move in check

    def _position(self):
        return self.board.sfen().rsplit(" ", 1)[0]

    def command(self):
        return f"position sfen {self.start}" + (" moves " + " ".join(self.moves) if self.moves else "")

    def push(self, move):
        self.moves.append(cshogi.move_to_usi(move))
        self.board.push(move)
        self.positions.append(self._position())
        self.checks.append(bool(self.board.is_check()))

    def repetition(self):
        """The result if the position stands for the fourth time, else None."""
        if self.positions.count(self.positions[-1]) < 4:
            return None
        first = self.positions.index(self.positions[-1])
        mover = 1 - self.board.turn
        if all(self.checks[first + 2 :: 2]):
            return f"{SIDES[1 - mover]} wins: perpetual check by {SIDES[mover]}"
        if all(self.checks[first + 1 :: 2]):
            return f"{SIDES[mover]} wins: perpetual check by {SIDES[1 - mover]}"
        return "draw by fourfold repetition"


def play(engines, args, figures):
    """Plays one game and returns its result in words."""
    game = Game(args.sfen)
    try:
        for engine in engines:
            engine.ask("isready", "readyok", args.patience)
            engine.send("usinewgame")
        while True:
            if (result := game.repetition()) is not None:
                break
            if len(game.moves) >= args.max_moves:
                result = f"draw after {args.max_moves} moves"
                break
            engine, side = engines[game.board.turn], SIDES[game.board.turn]
            engine.expect_silence()
            engine.send(game.command())
            start = time.monotonic()
            infos, answer = engine.ask(f"go {args.go}", "bestmove", args.patience)
            figures["slowest"] = max(figures["slowest"], time.monotonic() - start)
            figures["pvs"] += sum(check_info(game.board, line) for line in infos if line.startswith("info"))
            words = answer.split()
            if len(words) not in (2, 4) or (len(words) == 4 and words[2] != "ponder"):
                raise Fault(f"{engine.name}: malformed {answer!r}")
            if words[1] == "resign":
                mated = not any(True for _ in game.board.legal_moves)
                result = f"{SIDES[1 - game.board.turn]} wins: {side} resigns" + (" (no legal move)" if mated else "")
                break
            if words[1] == "win":
                if not game.board.is_nyugyoku():
                    raise Fault(f"{engine.name} declares a win that does not stand: {game.board.sfen()}")
                result = f"{side} wins by declaration"
                break
            check_line(game.board, words[1::2], f"{engine.name}'s {answer!r}")
            game.push(legal_move(game.board, words[1]))
    finally:
        print("moves:", " ".join(game.moves), flush=True)
    for index, engine in enumerate(engines):
        won = None if result.startswith("draw") else result.startswith(SIDES[index])
        engine.send("gameover " + {None: "draw", True: "win", False: "lose"}[won])
        engine.ask("isready", "readyok", args.patience)  # an answer too many shows here
    return f"{result}, {len(game.moves)} moves"


def main():
    summary, _, example = __doc__.rpartition("\n\n")
    parser = argparse.ArgumentParser(
        description=summary, epilog=example, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("engine", help="path of the USI engine that plays Black (and White)")
    parser.add_argument("--opponent", help="path of the USI engine that plays White")
    parser.add_argument("--go", default="movetime 100", help="what follows `go` (default: %(default)s)")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="set for both engines")
    parser.add_argument("--sfen", default=STARTPOS, help="start position (default: the even game)")
    parser.add_argument("--games", type=int, default=1)
    parser.add_argument("--max-moves", type=int, default=512)
    parser.add_argument("--patience", type=float, default=10.0, help="seconds to wait for any answer")
    args = parser.parse_args()

    figures = {"slowest": 0.0, "pvs": 0}
    engines = []
    try:
        for side, path in zip(SIDES, (args.engine, args.opponent or args.engine)):
            engine = Engine(path, f"{side}'s engine")
            engines.append(engine)
            engine.ask("usi", "usiok", args.patience)
            for option in args.option:
                name, _, value = option.partition("=")
                engine.send(f"setoption name {name} value {value}")
        for number in range(1, args.games + 1):
            print(f"game {number}: {play(engines, args, figures)}", flush=True)
        for engine in engines:
            engine.quit(args.patience)
    except Fault as fault:
        print(f"FAULT: {fault}")
        return 1
    finally:
        for engine in engines:
            engine.process.kill()
    print(f"OK: {args.games} games, {figures['pvs']} pvs legal, slowest answer {figures['slowest'] * 1000:.0f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
