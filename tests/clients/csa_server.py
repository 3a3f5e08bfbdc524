#!/usr/bin/env python3
"""Games on the real shogi-server, the program that floodgate runs: Raicho against Raicho or a bridge, several clocks.

Usage: tests/clients/csa_server.py [--raicho target/release/raicho] [--server FOLDER] [--bridge ENGINE]
    [--pairing GAME[:ponder]=GAMES …] [--at-once N]

FOLDER holds shogi-server (https://github.com/shogi-server/shogi-server); the variable SHOGI_SERVER names it too. Needs
ruby. Prints `skipped: …` (exit code 0) where one of them is missing, `OK: …` (0) or `FAULT: …` (1).

Checks of each game: ended by the rules, both journals agree, no loss on time and no illegal move; our record and the
server's own have the same players, moves, times, comments and result; how far our count of the time differs from the
server's, and whether every move was sent within the planned time.
"""
import argparse
import os
import shutil
import sys
import tempfile
import threading
from pathlib import Path

from csa_rig import Fault, Server, end, end_by_signal, journal, read_record, skip_reason, start_bridge, start_raicho

# Games on several clocks, 20 in each list. The bridge plays Fischer clocks as if there were no increment.
PAIRINGS = ["a-5-1=5", "b-5-1F:ponder=5", "floodgate-60-1F:ponder=3", "c-60-1F=2", "d-0-2:ponder=5"]
BRIDGE_PAIRINGS = ["a-6-1=5", "b-6-1:ponder=5", "floodgate-60-1F:ponder=4", "c-60-1F:ponder=3", "d-6-1F=3"]
# A move may be sent this much later than planned, in seconds: what the operating system may take.
LATE = 0.12
OPPOSITE = {"win": "loss", "loss": "win", "draw": "draw", "none": "none"}
# What the server writes for an end, and what our journal calls it.
ENDINGS = {"toryo": ("resignation", "checkmate"), "kachi": ("declaration",), "sennichite": ("repetition",),
           "oute_sennichite": ("perpetual check",), "max_moves": ("max moves",)}


def parse_pairing(text):
    head, games = text.rsplit("=", 1)
    game, _, ponder = head.partition(":")
    return game, ponder == "ponder", int(games)


def summary_of(rest, entry):
    """How the server says that the game ended, and the result of each player."""
    line = next((line for line in rest if line.startswith("'summary:")), None)
    if line is None:
        raise Fault(f"{entry['game']}: the server's record has no summary")
    _, word, black, white = line.split(":")
    return word, {"black": black.rsplit(" ", 1)[1], "white": white.rsplit(" ", 1)[1]}


def check_records(entry, server_path, own_path):
    (server, server_rest), (own, own_rest) = read_record(server_path), read_record(own_path)
    name = entry["game"]
    for prefix in ("N+", "N-"):
        names = [next((line for line in rest if line.startswith(prefix)), None) for rest in (server_rest, own_rest)]
        if names[0] != names[1]:
            raise Fault(f"{name}: the players are {names[0]} and {names[1]}")
    for key in ("move", "time"):
        values = [[move[key] for move in moves] for moves in (server, own)]
        if values[0] != values[1]:
            raise Fault(f"{name}: the records differ in {key}s: {values[0]} and {values[1]}")
    # The record of the server loses the comment on the last move, ours has our own comments only.
    comments = 0
    sign = "+" if entry["side"] == "black" else "-"
    for theirs, ours in list(zip(server, own))[:-1]:
        if theirs["move"][0] == sign:
            if theirs["comment"] != ours["comment"]:
                raise Fault(f"{name}: comments differ: {theirs} and {ours}")
            comments += theirs["comment"] is not None
    word, results = summary_of(server_rest, entry)
    if entry["ending"] not in ENDINGS.get(word, ()):
        raise Fault(f"{name}: the server says {word}, the journal {entry['ending']}")
    expected = {"win": "win", "loss": "lose", "draw": "draw", "none": "draw"}[entry["result"]]
    if results[entry["side"]] != expected:
        raise Fault(f"{name}: the server says {results}, the journal {entry['result']}")
    return comments


class Report:
    """What all games showed."""

    def __init__(self):
        self.games = self.moves = self.comments = self.planned = 0
        self.difference, self.largest, self.latest = 0.0, 0.0, -1e9
        self.endings = {}

    def add(self, entry, comments):
        clock, plan = entry["clock"], entry["plan"]
        self.moves += clock["moves"]
        self.difference += clock["moves"] * clock["mean"]
        self.largest = max(self.largest, clock["largest"])
        self.comments += comments
        self.planned += plan["moves"]
        if plan["moves"]:
            self.latest = max(self.latest, plan["latest"])
        self.endings[entry["ending"]] = self.endings.get(entry["ending"], 0) + 1

    def text(self):
        endings = ", ".join(f"{count} {name}" for name, count in sorted(self.endings.items()))
        return (f"{self.games} games ({endings}), {self.moves} own moves, counts of time differ by "
                f"{self.difference / max(self.moves, 1):.3f} s on average, {self.largest:.3f} s at most, "
                f"{self.comments} comments equal, {self.planned} moves with a plan, the last word "
                f"{self.latest:+.3f} s from the planned maximum")


def check(server, outs, games):
    """`outs` are the folders of our clients, one or two."""
    report, records = Report(), server.records()
    journals = [journal(out) for out in outs]
    if len(journals[0]) < games:
        raise Fault(f"{len(journals[0])} games in {outs[0]}, expected {games}")
    for entry in journals[0] if len(journals) > 1 else ():
        other = next((other for other in journals[1] if other["game"] == entry["game"]), None)
        if other is None or other["result"] != OPPOSITE[entry["result"]]:
            raise Fault(f"{entry['game']}: {entry['result']}, the other journal says {other and other['result']}")
    for out, entries in zip(outs, journals):
        for entry in entries:
            if not entry["is_complete"] or "TIME_UP" in entry["notices"] or "ILLEGAL" in entry["notices"]:
                raise Fault(f"{entry['game']}: {entry['notices']}")
            record = records.get(entry["game"])
            if record is None:
                raise Fault(f"the server has no record of {entry['game']}")
            if "Deferred" in record.read_text(errors="replace"):
                raise Fault(f"{entry['game']}: a move came out of turn")
            comments = check_records(entry, record, out / entry["record"])
            if entry["plan"]["moves"] and entry["plan"]["latest"] > LATE:
                raise Fault(f"{entry['game']}: a move came {entry['plan']['latest']:.3f} s after its planned maximum")
            report.add(entry, comments)
    report.games = len(journals[0])
    return report


def play(args, server, work, number, pairing):
    game, ponder, games = parse_pairing(pairing)
    names = [f"black{number}"] if args.bridge else [f"black{number}", f"white{number}"]
    more = ["--ponder"] if ponder else []
    more += ["--engine", ",".join(f"option.{option}" for option in args.option)]
    clients = [start_raicho(args.raicho, work, server.port, name, game, games, more) for name in names]
    bridge = None
    if args.bridge:
        options = [option for option in args.option if not option.startswith("USI_Hash=")]
        bridge = start_bridge(args.bridge, options, work, server.port, f"bridge{number}", game, ponder)
    try:
        for _, process in clients:
            if process.wait(games * 3600) != 0:
                raise Fault(f"a client ended with status {process.returncode}, see {work}")
    finally:
        for _, process in clients:
            end(process)
        if bridge:
            end(bridge, with_group=True)
    return check(server, [out for out, _ in clients], games)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raicho", default="target/release/raicho")
    parser.add_argument("--server", default=os.environ.get("SHOGI_SERVER"))
    parser.add_argument("--bridge", metavar="ENGINE", help="the second player is usiToCsa.rb with this USI engine")
    parser.add_argument("--pairing", action="append", metavar="GAME[:ponder]=GAMES", help="in place of the usual list")
    parser.add_argument("--at-once", type=int, default=2, help="pairings at a time")
    parser.add_argument("--option", action="append", help="USI option of both engines, default Threads=1 and USI_Hash=16")
    parser.add_argument("--keep", action="store_true", help="keep the working folder")
    args = parser.parse_args()
    args.option = args.option or ["Threads=1", "USI_Hash=16"]
    reason = skip_reason(args.server)
    if reason:
        print(f"skipped: {reason}")
        return 0
    args.raicho = str(Path(args.raicho).resolve())
    pairings = args.pairing or (BRIDGE_PAIRINGS if args.bridge else PAIRINGS)
    names = [parse_pairing(pairing)[0] for pairing in pairings]
    work = Path(tempfile.mkdtemp(prefix="raicho-csa-"))
    server = Server(Path(args.server).resolve(), work, [name for name in names if name.startswith("floodgate-")])
    faults, done, gate = [], [], threading.Semaphore(args.at_once)

    def run(number, pairing):
        with gate:
            try:
                report = play(args, server, work, number, pairing)
                done.append(report.games)
                print(f"{pairing}: {report.text()}", flush=True)
            except Exception as fault:  # noqa: BLE001: every fault of a thread is reported below
                faults.append(f"{pairing}: {fault}")
                print(f"FAULT in {faults[-1]}", flush=True)

    end_by_signal()
    threads = [threading.Thread(target=run, args=item, daemon=True) for item in enumerate(pairings)]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        server.kill()
    if faults:
        print(f"FAULT: {'; '.join(faults)} ({work})")
        return 1
    if args.keep:
        print(f"kept {work}")
    else:
        shutil.rmtree(work, ignore_errors=True)
    print(f"OK: {sum(done)} games")
    return 0


if __name__ == "__main__":
    sys.exit(main())
