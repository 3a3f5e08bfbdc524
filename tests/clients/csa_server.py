#!/usr/bin/env python3
"""Games on the real shogi-server, the program that floodgate runs: Raicho against Raicho or a bridge, several clocks.

Usage: tests/clients/csa_server.py [--raicho target/release/raicho] [--server FOLDER] [--games N] [--engine-b TEXT]

FOLDER holds shogi-server (https://github.com/shogi-server/shogi-server); the variable SHOGI_SERVER names it too. Needs
ruby. Prints `skipped: …` (exit code 0) where one of them is missing, `OK: …` (0) or `FAULT: …` (1).

Checks: every game is ended by the rules, both journals agree, no loss on time and no illegal move, the records hold the
moves of the server's own records, and how far the clocks of client and server differ.
"""
import argparse
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FLOODGATE = "floodgate-10-1F"
# Game name, and whether both sides ponder.
PAIRINGS = [("test-5-1", False), ("test-5-1F", True), (FLOODGATE, True), ("test-0-2", False)]
# Rounds of floodgate, one a minute; the server is given this many.
ROUNDS = 120
# The server listens on all addresses by itself.
BIND = """require 'socket'
class TCPServer
  alias_method :original_initialize, :initialize
  def initialize(*arguments)
    original_initialize('127.0.0.1', arguments.last)
  end
end
"""
MOVE = re.compile(r"^[+-]\d{4}[A-Z]{2}")


class Fault(Exception):
    """Something that must not happen."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start_server(folder, work, port):
    # The server keeps its records in its own folder.
    shutil.copytree(folder, work / "server", ignore=shutil.ignore_patterns(".git", "2*"))
    rounds = (time.localtime(time.time() + 60 * minute) for minute in range(ROUNDS))
    (work / "server" / f"{FLOODGATE}.conf").write_text("".join(time.strftime("%a %H:%M\n", at) for at in rounds))
    (work / "bind.rb").write_text(BIND)
    log = open(work / "server.log", "w")
    server = subprocess.Popen(
        ["ruby", "-r", str(work / "bind.rb"), str(work / "server" / "shogi-server"), "--least-time-per-move", "0",
         "--max-moves", "256", "--floodgate-games", FLOODGATE, "--pid-file", str(work / "pid"), "test", str(port)],
        cwd=work, stdout=log, stderr=log)
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return server
        except OSError:
            time.sleep(0.1)
    server.terminate()
    raise Fault(f"the server does not start, see {work}/server.log")


def start_client(args, work, port, name, game, ponder, games):
    out = work / f"{name}-{game}"
    command = [args.raicho, "csa", "--host", "127.0.0.1", "--port", str(port), "--id", name, "--game", game,
               "--games", str(games), "--out", str(out), "--password-variable", "TRIP"]
    if ponder:
        command.append("--ponder")
    if name == "white" and args.engine_b:
        command += ["--engine", args.engine_b]
    else:
        for option in args.option or ["Threads=1", "USI_Hash=16"]:
            command += ["--option", option]
    log = open(work / f"{name}-{game}.log", "w")
    environment = dict(os.environ, TRIP=f"{name}trip")
    return out, subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=environment)


def start_bridge(args, work, port, game, ponder):
    """The bridge of shogi-server with a USI engine. It plays one game a process, so a shell starts it again."""
    bridge = work / "server" / "bin" / "usiToCsa.rb"
    command = f"ruby {bridge} --host 127.0.0.1 --port {port} --id white --gamename {game} --password whitetrip"
    command += f" --hash 16 --log-dir {work}" + (" --ponder" if ponder else "") + f" {args.bridge}"
    log = open(work / f"white-{game}.log", "w")
    return subprocess.Popen(["sh", "-c", f"while sleep 1; do {command}; done"], cwd=work, stdout=log, stderr=log,
                            stdin=subprocess.DEVNULL, start_new_session=True)


def journal(folder):
    with open(folder / "games.jsonl") as lines:
        return [json.loads(line) for line in lines]


def moves_of(path):
    return [line[:7] for line in path.read_text(errors="replace").splitlines() if MOVE.match(line)]


def check_pair(entry, other):
    """The journals of both players say the same."""
    opposite = {"win": "loss", "loss": "win", "draw": "draw", "none": "none"}
    if other is None:
        raise Fault(f"{entry['game']} is in one journal only")
    if other["result"] != opposite[entry["result"]]:
        raise Fault(f"{entry['game']}: {entry['result']} and {other['result']}")


def check(game, outs, work):
    """`outs` are the folders of our clients, one or two."""
    journals = [journal(out) for out in outs]
    records = {path.stem: path for path in work.rglob("*.csa") if path.parent.name != "csa"}
    differences = []
    for entry in journals[0]:
        if len(journals) > 1:
            check_pair(entry, next((other for other in journals[1] if other["game"] == entry["game"]), None))
    for out, entries in zip(outs, journals):
        for entry in entries:
            if not entry["is_complete"] or re.search("TIME_UP|ILLEGAL", entry["notices"]):
                raise Fault(f"{entry['game']}: {entry['notices']}")
            server = records.get(entry["game"])
            if server is None:
                raise Fault(f"the server has no record of {entry['game']}")
            if moves_of(server) != moves_of(out / entry["record"]):
                raise Fault(f"{entry['game']}: the records differ")
            differences.append((entry["clock"]["moves"], entry["clock"]["mean"], entry["clock"]["largest"]))
    moves = sum(count for count, _, _ in differences)
    mean = sum(count * mean for count, mean, _ in differences) / max(moves, 1)
    largest = max((largest for _, _, largest in differences), default=0)
    count = len(journals[0])
    print(f"{game}: {count} games, {moves} moves, clocks differ by {mean:.3f} s on average, {largest:.3f} s at most",
          flush=True)
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raicho", default="target/release/raicho")
    parser.add_argument("--server", default=os.environ.get("SHOGI_SERVER"))
    parser.add_argument("--games", type=int, default=5, help="games of each pairing")
    parser.add_argument("--engine-b", help="engine of the second player, as in `raicho csa --engine`")
    parser.add_argument("--bridge", metavar="ENGINE", help="the second player is usiToCsa.rb with this USI engine")
    parser.add_argument("--option", action="append", help="USI option of Raicho, default Threads=1 and USI_Hash=16")
    args = parser.parse_args()
    if not args.server or not (Path(args.server) / "shogi-server").exists():
        print("skipped: no shogi-server, expected --server FOLDER or SHOGI_SERVER")
        return 0
    if shutil.which("ruby") is None:
        print("skipped: no ruby")
        return 0
    args.raicho = str(Path(args.raicho).resolve())
    work, port = Path(tempfile.mkdtemp(prefix="raicho-csa-")), free_port()
    processes = []
    try:
        processes.append(start_server(Path(args.server).resolve(), work, port))
        total = 0
        for game, ponder in PAIRINGS:
            names = ["black"] if args.bridge else ["black", "white"]
            clients = [start_client(args, work, port, name, game, ponder, args.games) for name in names]
            bridge = start_bridge(args, work, port, game, ponder) if args.bridge else None
            processes += [process for _, process in clients]
            for _, process in clients:
                if process.wait(args.games * 600) != 0:
                    raise Fault(f"a client ended with status {process.returncode}, see {work}")
            if bridge:
                os.killpg(bridge.pid, signal.SIGTERM)
            total += check(game, [out for out, _ in clients], work)
    except (Fault, subprocess.TimeoutExpired) as fault:
        print(f"FAULT: {fault} ({work})")
        return 1
    finally:
        for process in processes:
            if process.poll() is None:
                process.terminate()
    shutil.rmtree(work, ignore_errors=True)
    print(f"OK: {total} games")
    return 0


if __name__ == "__main__":
    sys.exit(main())
