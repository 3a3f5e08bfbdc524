#!/usr/bin/env python3
"""A day on floodgate, compressed: many short games on the real shogi-server while the server is killed and started
again, and connections are cut, again and again.

Usage: tests/clients/csa_day.py [--raicho target/release/raicho] [--server FOLDER] [--games 48] [--breaks 60]

Prints `skipped: …` (exit code 0) without shogi-server or ruby, `OK: …` (0) or `FAULT: …` (1).

Checks: the client finishes its games; every game that began is in its journal, once, finished or broken off, with a
record of the same moves as the server's; memory, threads and open files at a late game are those at the fifth.
"""
import argparse
import os
import random
import re
import shutil
import socket
import sys
import tempfile
import threading
import time
from pathlib import Path

from csa_rig import Fault, Server, end, end_by_signal, free_port, journal, read_record, skip_reason, start_raicho

# 5 s for the whole game. The server drops fractions, so that a move in less than a second costs nothing; the limit of
# nodes keeps games to some ten seconds, shorter than most times between two breaks.
GAME = "day-5-0"
OPTIONS = ["Threads=1", "USI_Hash=16", "NodesLimit=2000"]
# Seconds between two breaks, at random.
BREAKS = (5, 20)
# The same while the last games wait for the last breaks.
HURRY = 4
# Share of the breaks that restart the server; the others cut connections.
RESTARTS = 0.5
# Growth of memory from the fifth game to the last that is no leak, in KB.
MEMORY = 4096


class Proxy:
    """Passes bytes between clients and the server, until it is told to cut."""

    def __init__(self, target):
        self.target, self.port, self.pairs, self.lock = target, free_port(), set(), threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            try:
                server = socket.create_connection(("127.0.0.1", self.target), 2)
            except OSError:
                client.close()
                continue
            server.settimeout(None)
            with self.lock:
                self.pairs.add((client, server))
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self.pump, args=(source, sink), daemon=True).start()

    def pump(self, source, sink):
        try:
            while data := source.recv(4096):
                sink.sendall(data)
        except OSError:
            pass
        for end_ in (source, sink):
            try:
                end_.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        """Closes all connections."""
        with self.lock:
            pairs, self.pairs = self.pairs, set()
        for pair in pairs:
            for end_ in pair:
                try:
                    end_.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
                end_.close()


def usage(process):
    """Memory in KB, threads, open files of a process, and how many of these are sockets."""
    folder = Path(f"/proc/{process.pid}")
    status = (folder / "status").read_text()
    memory = int(re.search(r"VmRSS:\s+(\d+)", status)[1])
    files = [os.readlink(file) for file in (folder / "fd").iterdir() if file.is_symlink()]
    return {"memory": memory, "threads": len(list((folder / "task").iterdir())), "files": len(files),
            "sockets": sum(file.startswith("socket:") for file in files)}


def playing(out):
    """Whether the last game that began has not ended, by the log of the dialogue."""
    lines = dialogue(out)
    starts = [index for index, line in enumerate(lines) if "< START:" in line]
    return bool(starts) and not any(re.search(r" - \S+ against ", line) for line in lines[starts[-1]:])


def dialogue(out):
    return [line for path in sorted((out / "log").glob("*.log")) for line in path.read_text().splitlines()]


def sample(process, out):
    """What the client uses in the middle of a game."""
    for _ in range(600):
        if process.poll() is not None:
            break
        if playing(out):
            return usage(process)
        time.sleep(0.1)
    return None


def check_journal(server, out, games):
    entries = journal(out)
    started = [line.split("< START:")[1] for line in dialogue(out) if "< START:" in line]
    if sorted(started) != sorted(entry["game"] for entry in entries):
        raise Fault(f"{len(started)} games began, {len(entries)} are in the journal")
    complete = [entry for entry in entries if entry["is_complete"]]
    if len(complete) != games:
        raise Fault(f"{len(complete)} games finished, expected {games}")
    records, shorter = server.records(), 0
    for entry in entries:
        own = [move["move"] for move in read_record(out / entry["record"])[0]]
        theirs = [move["move"] for move in read_record(records[entry["game"]])[0]]
        # What the server had accepted when the connection broke may not have reached us; a server that was killed may
        # not have written the last move that it sent.
        common = min(len(own), len(theirs))
        is_same = own == theirs if entry["is_complete"] else own[:common] == theirs[:common] and len(own) <= common + 1
        if not is_same:
            raise Fault(f"{entry['game']}: the records differ")
        shorter += len(own) < len(theirs)
        if "Deferred" in records[entry["game"]].read_text(errors="replace"):
            raise Fault(f"{entry['game']}: a move came out of turn")
        if "ILLEGAL" in entry["notices"]:
            raise Fault(f"{entry['game']}: {entry['notices']}")
    return len(entries), len(complete), shorter


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raicho", default="target/release/raicho")
    parser.add_argument("--server", default=os.environ.get("SHOGI_SERVER"))
    parser.add_argument("--games", type=int, default=48)
    parser.add_argument("--breaks", type=int, default=60, help="number needed before the last game may end")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="keep the working folder")
    args = parser.parse_args()
    reason = skip_reason(args.server)
    if reason:
        print(f"skipped: {reason}")
        return 0
    raicho, chance = str(Path(args.raicho).resolve()), random.Random(args.seed)
    work = Path(tempfile.mkdtemp(prefix="raicho-day-"))
    server = Server(Path(args.server).resolve(), work)
    proxy = Proxy(server.port)
    options = ["--ponder", "--engine", ",".join(f"option.{option}" for option in OPTIONS)]
    out, client = start_raicho(raicho, work, proxy.port, "day", GAME, args.games, options)
    _, rival = start_raicho(raicho, work, proxy.port, "night", GAME, None, options)
    end_by_signal()
    breaks, restarts, began, samples = 0, 0, time.time(), {}
    try:
        last_break = time.time()
        next_break = last_break + chance.uniform(*BREAKS)
        while client.poll() is None:
            time.sleep(0.2)
            if rival.poll() is not None:
                raise Fault(f"the rival ended with status {rival.returncode}, see {work}/night.log")
            done = sum(entry["is_complete"] for entry in journal(out))
            for game in (5, args.games):
                if game not in samples and done >= game - 1:
                    samples[game] = sample(client, out)
                    print(f"game {game}: {samples[game]}", flush=True)
            # The last games wait until there were enough breaks.
            if breaks < args.breaks and done >= args.games - 2:
                next_break = min(next_break, last_break + HURRY)
            if time.time() < next_break:
                continue
            breaks += 1
            if chance.random() < RESTARTS:
                restarts += 1
                server.kill()
                proxy.cut()
                time.sleep(chance.uniform(0, 4))
                server.start()
            else:
                proxy.cut()
            last_break = time.time()
            next_break = last_break + chance.uniform(*BREAKS)
        if client.returncode != 0:
            raise Fault(f"the client ended with status {client.returncode}, see {work}/day.log")
        games, complete, shorter = check_journal(server, out, args.games)
        print(f"{games} games in the journal, {complete} finished, {games - complete} broken off; {breaks} breaks "
              f"({restarts} restarts of the server); {shorter} records lack what the server had not told us; "
              f"{(time.time() - began) / 60:.0f} minutes", flush=True)
        first, last = samples[5], samples[args.games]
        if breaks < args.breaks:
            raise Fault(f"only {breaks} breaks")
        if any(last[key] > first[key] for key in ("threads", "files", "sockets")) \
                or last["memory"] > first["memory"] + MEMORY:
            raise Fault(f"the client grew: {first} to {last}")
    except (Fault, TypeError) as fault:
        print(f"FAULT: {fault} ({work})")
        return 1
    finally:
        end(client)
        end(rival)
        server.kill()
    if args.keep:
        print(f"kept {work}")
    else:
        shutil.rmtree(work, ignore_errors=True)
    print(f"OK: {complete} games, {breaks} breaks")
    return 0


if __name__ == "__main__":
    sys.exit(main())
