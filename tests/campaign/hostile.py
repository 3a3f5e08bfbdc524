#!/usr/bin/env python3
"""Hostile counterparts: an engine that floods a match, a server that floods a client, kills of matches.

Usage: hostile.py EXE engine|server [--lines N]
       hostile.py EXE kills [--count N]
The last line is `OK: …` or `FAULT: …` (exit code 1).
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

MOST_KILOBYTES = 400_000
"""Memory of the program, table and threads included."""
BLOCK = 1000
"""Lines that are written at once."""
MARK = "sleep 271828"
"""What stands for a process that an engine starts; its number is like no other."""

GARBAGE = [
    "info depth 1 score cp 1 pv 7g7f 7g7f",
    "info depth 99999999999999999999 nodes -1 nps x time 0 score mate -0",
    "info string " + "x" * 300,
    "info multipv 0 score cp 99999 lowerbound upperbound pv",
    "option name Late type spin default 1 min 2 max 0",
    "id name \x1b[2J\u009b31m\u202egnp.exe",
    "readyok",
    "usiok",
    "checkmate 7g7f",
    "\x00\x01\x02",
    "",
    "copyprotection error",
    "registration checking",
]

SERVER_GARBAGE = [
    "+7776FU,T1",
    "-3334FU,T99999999999999999999,'* 30000 +7776FU",
    "%TORYO,T-1",
    "#UNKNOWN",
    "##[CHAT][\x1b]0;owned\x07] hello",
    "LOGIN:x incorrect",
    "REJECT:y by \u202ez",
    "START:nothing",
    "BEGIN Time",
    "BEGIN Position",
    "END Position",
    "Name+:" + "\u96f7" * 500,
    "P1-KY-KE-GI-KI-OU-KI-GI-KE-KY",
    "",
    "\x00\xff",
    "x" * 10_000,
]


def memory_of(process):
    """Most resident memory so far, in KB."""
    for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1])
    return 0


def watched(process, seen):
    """Keeps the most memory of a process in seen[0] until it ends."""
    while process.poll() is None:
        try:
            seen[0] = max(seen[0], memory_of(process.pid))
        except (OSError, ValueError):
            pass
        time.sleep(0.1)


def run(command, folder, seen, env=None):
    """Runs a command; returns its status and what it printed."""
    with open(folder / "out", "wb") as out:
        process = subprocess.Popen(
            command, cwd=folder, stdout=out, stderr=out, stdin=subprocess.DEVNULL, env=env
        )
        watched(process, seen)
    return process.returncode, (folder / "out").read_bytes().decode(errors="replace")


# --- A hostile engine: our own one, with a flood before each answer ---


def flooding_engine(exe, lines):
    """Speaks for exe, and writes this many lines of garbage before each `bestmove`."""
    engine = subprocess.Popen([exe], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    out = sys.stdout.buffer
    choice = random.Random(os.getpid())

    def forward():
        for line in engine.stdout:
            if line.startswith(b"bestmove"):
                for _ in range(lines // BLOCK):
                    block = [choice.choice(GARBAGE) for _ in range(BLOCK)]
                    out.write(("\n".join(block) + "\n").encode())
            out.write(line)
            out.flush()
        os._exit(0)

    threading.Thread(target=forward, daemon=True).start()
    for line in sys.stdin.buffer:
        engine.stdin.write(line)
        engine.stdin.flush()
    engine.kill()


def check_engine(exe, lines):
    """A match against it: nobody loses by a fault, and no memory grows."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="raicho-hostile-"))
    per_move = 100_000
    moves = max(2, lines // per_move)
    hostile = f"{sys.executable},args={os.path.abspath(__file__)} {exe} speak --lines {per_move}"
    common = "option.EvalFile=<material>,option.Threads=1,option.USI_Hash=16"
    seen = [0]
    games = max(1, moves // 20)
    status, text = run(
        [exe, "match", "--engine", f"cmd={hostile},name=hostile,{common}",
         "--engine", f"cmd={exe},name=other,{common}", "--nodes", "200", "--games", str(games),
         "--random-plies", "4", "--max-imbalance", "10000", "--max-moves", "44",
         "--patience", "600", "--out", "match"],
        folder, seen,
    )
    entries = [json.loads(line) for line in open(folder / "match/games.jsonl")]
    moves = sum(entry["moves"] for entry in entries)
    faults = [entry["reason"] for entry in entries if entry.get("dialogue")]
    print(f"engine: {games} games, {moves // 2 * per_move:,} lines of garbage, status {status}, "
          f"{seen[0]:,} KB, faults {faults}")
    good = status == 0 and not faults and len(entries) == games and seen[0] < MOST_KILOBYTES
    if not good:
        print(text)
    shutil.rmtree(folder)
    return good


# --- A hostile server ---


def serve(listener, lines, sent):
    """Lets one client in and floods it."""
    connection, _ = listener.accept()
    connection.makefile("r").readline()
    connection.sendall(b"LOGIN:tester OK\n")
    choice = random.Random(1)
    try:
        while sent[0] < lines:
            block = [choice.choice(SERVER_GARBAGE) for _ in range(BLOCK)]
            if choice.random() < 0.2:
                block.insert(0, "BEGIN Game_Summary")
                block.append("END Game_Summary")
            connection.sendall(("\n".join(block) + "\n").encode("utf-8", "surrogateescape"))
            sent[0] += len(block)
    except OSError:
        pass
    connection.close()


def check_server(exe, lines):
    """A client of it: no memory grows, little is shown, and Ctrl-C ends it."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="raicho-hostile-"))
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    sent, seen = [0], [0]
    out = open(folder / "out", "wb")
    process = subprocess.Popen(
        [exe, "csa", "--host", f"127.0.0.1:{port}", "--id", "tester", "--out", "games",
         "--engine", "option.Threads=1,option.USI_Hash=16,option.EvalFile=<material>"],
        cwd=folder, stdout=out, stderr=out, stdin=subprocess.DEVNULL,
        env={**os.environ, "RAICHO_CSA_PASSWORD": "x-60-1,sesame"},
    )
    watcher = threading.Thread(target=watched, args=(process, seen))
    watcher.start()
    while sent[0] < lines and process.poll() is None:
        serve(listener, lines, sent)
    process.send_signal(signal.SIGINT)
    try:
        status = process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()
        status = "does not end"
    watcher.join()
    text = (folder / "out").read_bytes()
    shown = text.count(b"\n")
    commands = any(byte < 32 and byte != 10 for byte in text) or b"\xc2\x9b" in text
    log = sum(file.stat().st_size for file in (folder / "games/log").iterdir())
    print(f"server: {sent[0]:,} lines, status {status}, {seen[0]:,} KB, {shown} lines shown, "
          f"log of {log >> 20} MB, commands a terminal: {commands}")
    shutil.rmtree(folder)
    return status == 0 and seen[0] < MOST_KILOBYTES and shown < 1000 and not commands


# --- Kills ---


def marked():
    """Processes that carry the mark."""
    wanted = MARK.replace(" ", "\0").encode() + b"\0"
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if (entry / "cmdline").read_bytes() == wanted:
                    found.append(int(entry.name))
            except OSError:
                pass
    return found


def check_kills(exe, count):
    """Matches killed at random: no process is left, no result lost or invented."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="raicho-hostile-"))
    wrapper = folder / "engine.sh"
    wrapper.write_text(f'#!/bin/sh\n{MARK} &\nexec {exe} "$@"\n')
    wrapper.chmod(0o755)
    common = "option.EvalFile=<material>,option.Threads=1,option.USI_Hash=1"
    choice = random.Random(7)
    bad = []
    known = {}
    for number in range(count):
        command = [exe, "match", "--nodes", "100", "--games", "100000", "--random-plies", "4",
                   "--max-imbalance", "10000", "--max-moves", "30", "--out", "match",
                   "--engine", f"cmd={wrapper},name=one,{common}",
                   "--engine", f"cmd={wrapper},name=other,{common}", "--resume"]
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(choice.uniform(0.0, 1.5))
        process.send_signal(choice.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGABRT]))
        time.sleep(choice.uniform(0.0, 0.2))
        process.kill()
        process.wait()
        begun = time.time()
        while marked() and time.time() - begun < 10:
            time.sleep(0.02)
        if marked():
            bad.append(f"kill {number}: {len(marked())} processes are left")
            for left in marked():
                os.kill(left, signal.SIGKILL)
        journal = folder / "match/games.jsonl"
        if not journal.exists():
            continue
        lines = journal.read_text().split("\n")
        games = {json.loads(line)["game"]: line for line in lines[:-1]}
        for game, line in known.items():
            if games.get(game) != line:
                bad.append(f"kill {number}: game {game} was lost or changed")
        faults = [line for line in games.values() if "not_ready" in line or "crash" in line]
        if faults:
            bad.append(f"kill {number}: {len(faults)} losses that the kill has made")
        known = games
    print(f"kills: {count} matches, {len(known)} games kept, {len(bad)} faults")
    for text in bad[:20]:
        print(text)
    shutil.rmtree(folder)
    return not bad


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("exe")
    parser.add_argument("what", choices=["engine", "server", "kills", "speak"])
    parser.add_argument("--lines", type=int, default=10_000_000)
    parser.add_argument("--count", type=int, default=1000)
    arguments = parser.parse_args()
    exe = os.path.abspath(arguments.exe)
    if arguments.what == "speak":
        flooding_engine(exe, arguments.lines)
        return
    checks = {"engine": lambda: check_engine(exe, arguments.lines),
              "server": lambda: check_server(exe, arguments.lines),
              "kills": lambda: check_kills(exe, arguments.count)}
    good = checks[arguments.what]()
    print(f"{'OK' if good else 'FAULT'}: {arguments.what}")
    sys.exit(0 if good else 1)


main()
