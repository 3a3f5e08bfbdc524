#!/usr/bin/env python3
"""Plays an engine against itself with the commands of ShogiHome, both sides pondering, under cshogi's rules.

Optional check, never part of the build: it needs Python 3.9 or later and cshogi (`pip install cshogi`), and says that
it was skipped without it. What ShogiHome sends is in its recorded sessions: USI_Hash and USI_Ponder, `usinewgame`
after `readyok`, `go btime … wtime … binc … winc …` or `… byoyomi …`, `go ponder` with clocks (or without and then
`ponderhit` with clocks, its "early ponder"), `stop` at a miss, and at the end of a game `stop` and `gameover` without
waiting, with `isready` at once behind them. The clocks and the form of pondering change from game to game.

Checked are, besides what selfplay.py checks (legal moves, legal lines, no errors):

- exactly one `bestmove` for each `go`, and none while pondering;
- the expected answer is legal after the move, is the second move of the line that the engine printed last, and is
  not missing where that line has one.

Games begin at the start position and are played with the engine's book, or without it by --option USI_OwnBook=false.
"""

import argparse
import random
import sys
import time

try:
    import cshogi
except ImportError:
    print("skipped: cshogi is not installed (pip install cshogi)")
    sys.exit(0)

from selfplay import SIDES, STARTPOS, Engine, Fault, Game, check_info, check_line, legal_move


class Client:
    """One engine and what ShogiHome knows of it."""

    def __init__(self, path, name, args):
        self.engine = Engine(path, name)
        self.name = name
        self.patience = args.patience
        self.expected = None  # the move that is pondered on
        self.board = None  # where it ponders
        self.engine.ask("usi", "usiok", self.patience)
        for option in ["USI_Hash=32", "USI_Ponder=true", *args.option]:
            option, _, value = option.partition("=")
            self.engine.send(f"setoption name {option} value {value}")

    def begin(self):
        self.engine.ask("isready", "readyok", self.patience)
        self.engine.send("usinewgame")

    def check_infos(self, board, lines, figures):
        figures["pvs"] += sum(check_info(board, line) for line in lines if line.startswith("info"))

    def quiet_lines(self):
        """What was printed while pondering, which is no answer."""
        lines = []
        while not self.engine.lines.empty():
            line = self.engine.receive(time.monotonic())
            if line is None or line.startswith("bestmove"):
                raise Fault(f"{self.name}: {line or 'end of output'!r} while pondering")
            lines.append(line)
        return lines

    def ponder(self, game, moves, clock, is_early):
        """Ponders on the last of `moves`, the first being the one that was played."""
        self.expected = moves[1]
        self.board = game.board.copy()
        self.board.push(legal_move(self.board, moves[1]))
        self.engine.send(f"{game.command()} {moves[1]}")
        self.engine.send("go ponder" if is_early else f"go ponder {clock}")

    def turn(self, game, clock, is_early, figures):
        """The answer to the position of the game, and the last line that was printed with it."""
        infos = self.quiet_lines()
        begun = time.monotonic()
        if self.expected is not None and self.expected == game.moves[-1]:
            figures["hits"] += 1
            command = f"ponderhit {clock}" if is_early else "ponderhit"
        else:
            if self.expected is not None:
                figures["misses"] += 1
                more, _ = self.engine.ask("stop", "bestmove", self.patience)
                self.check_infos(self.board, infos + more, figures)
                infos = []
            self.engine.expect_silence()
            self.engine.send(game.command())
            command = f"go {clock}"
        self.expected = None
        more, answer = self.engine.ask(command, "bestmove", self.patience)
        infos += more
        self.check_infos(game.board, infos, figures)
        figures["slowest"] = max(figures["slowest"], time.monotonic() - begun)
        return infos, answer

    def end(self, words):
        """Ends a game as ShogiHome does; a pondering engine owes one answer, another none."""
        is_pondering = self.expected is not None
        self.quiet_lines()
        if is_pondering:
            self.engine.send("stop")
        self.engine.send(f"gameover {words}")
        self.engine.send("isready")
        answers = 0
        deadline = time.monotonic() + self.patience
        while (line := self.engine.receive(deadline)) != "readyok":
            if line is None:
                raise Fault(f"{self.name} ends after a game")
            answers += line.startswith("bestmove")
        if answers != is_pondering:
            raise Fault(f"{self.name}: {answers} answers at the end of a game, expected {int(is_pondering)}")
        self.expected = None


def last_line(infos, move):
    """The last printed line that begins with `move`."""
    lines = [line.split(" pv ", 1)[1].split() for line in infos if line.startswith("info ") and " pv " in line]
    lines = [line for line in lines if line[0] == move]
    return lines[-1] if lines else None


def check_expected(client, infos, words):
    """Whether the answer that is expected is that of the printed line."""
    line = last_line(infos, words[1])
    if line is None:
        if len(infos) > 0 and any(" pv " in info for info in infos):
            raise Fault(f"{client.name} plays {words[1]}, of which it printed no line")
        return
    second = line[1] if len(line) > 1 and "_" not in line[1] else None
    expected = words[3] if len(words) == 4 else None
    # A line of one move leaves the expected answer to the table.
    if second is not None and second != expected:
        raise Fault(f"{client.name} expects {expected}, but its line is {' '.join(line)}")


def play(clients, number, args, figures):
    """Plays one game and returns its result in words."""
    is_early = number % 4 == 3
    byoyomi = 0 if number % 2 == 0 else args.increment
    increment = args.increment - byoyomi
    left = [args.time, args.time]
    game = Game(STARTPOS)

    def clock():
        rest = f"byoyomi {byoyomi}" if byoyomi else f"binc {increment} winc {increment}"
        return f"btime {max(0, round(left[0]))} wtime {max(0, round(left[1]))} {rest}"

    for client in clients:
        client.begin()
    while (result := game.repetition()) is None:
        if len(game.moves) >= args.max_moves:
            result = f"draw after {args.max_moves} moves"
            break
        turn = game.board.turn
        client, side = clients[turn], SIDES[turn]
        begun = time.monotonic()
        infos, answer = client.turn(game, clock(), is_early, figures)
        used = (time.monotonic() - begun) * 1000
        left[turn] -= max(0.0, used - byoyomi)
        if left[turn] < 0:
            figures["late"] += 1
            left[turn] = 0.0
        left[turn] += increment
        figures["searched" if any(is_search(info) for info in infos) else "unsearched"] += 1
        words = answer.split()
        if len(words) not in (2, 4) or (len(words) == 4 and words[2] != "ponder"):
            raise Fault(f"{client.name}: malformed {answer!r}")
        if words[1] == "resign":
            result = f"{SIDES[1 - turn]} wins: {side} resigns"
            break
        if words[1] == "win":
            if not game.board.is_nyugyoku():
                raise Fault(f"{client.name} declares a win that does not stand: {game.board.sfen()}")
            result = f"{side} wins by declaration"
            break
        check_line(game.board, words[1::2], f"{client.name}'s {answer!r}")
        check_expected(client, infos, words)
        game.push(legal_move(game.board, words[1]))
        if len(words) == 4 and args.random.random() >= args.idle:
            figures["ponders"] += 1
            client.ponder(game, words[1::2], clock(), is_early)
    for index, client in enumerate(clients):
        won = None if result.startswith("draw") else result.startswith(SIDES[index])
        client.end({None: "draw", True: "win", False: "lose"}[won])
    return f"{result}, {len(game.moves)} moves: {' '.join(game.moves[:8])} …"


def is_search(info):
    """Whether a line comes from a search: it has searched something."""
    words = info.split()
    return "nodes" in words and words[words.index("nodes") + 1] != "0"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine", help="path of the USI engine")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="set for both sides")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--time", type=int, default=1500, metavar="MS", help="time of each side")
    parser.add_argument("--increment", type=int, default=20, metavar="MS", help="increment or byoyomi")
    parser.add_argument("--idle", type=float, default=0.05, metavar="RATE", help="share of moves without pondering")
    parser.add_argument("--max-moves", type=int, default=320)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--patience", type=float, default=30.0, help="seconds to wait for any answer")
    args = parser.parse_args()
    args.random = random.Random(args.seed)

    names = ("pvs", "ponders", "hits", "misses", "late", "searched", "unsearched")
    figures = {"slowest": 0.0, **{name: 0 for name in names}}
    clients = []
    try:
        for side in SIDES:
            clients.append(Client(args.engine, f"{side}'s engine", args))
        for number in range(args.games):
            print(f"game {number + 1}: {play(clients, number, args, figures)}", flush=True)
        for client in clients:
            client.engine.quit(args.patience)
    except Fault as fault:
        print(f"FAULT: {fault}")
        return 1
    finally:
        for client in clients:
            client.engine.process.kill()
    print(
        f"OK: {args.games} games, {figures['searched']} searched and {figures['unsearched']} unsearched moves,"
        f" {figures['pvs']} pvs legal, {figures['ponders']} ponder searches ({figures['hits']} hits,"
        f" {figures['misses']} misses), {figures['late']} moves late, slowest answer {figures['slowest'] * 1000:.0f} ms"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
