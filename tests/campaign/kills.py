#!/usr/bin/env python3
"""Kills long work at random moments (SIGKILL), resumes it, and compares the result with that of a run at a stretch.

Usage: tests/campaign/kills.py EXECUTABLE [--kills 200] [--tool NAME]...

After each kill the journal must have every finished piece that it had before, and at the end the output must be that of
an undisturbed run, byte for byte (games and books) or entry for entry without the times (journals). `csa` plays on a
small server inside this script: every game that the server has finished must be in the journal, but for the one that
was being played at each kill. The last line is `OK: …` or `FAULT: …` (exit code 1).
"""

import argparse
import json
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

MATERIAL = ["--eval", "<material>"]
PROBLEMS = """8k/9/7S1/7G1/9/9/9/9/9 b Rrb2g2s4n4l18p 1
7nk/9/7S1/8N/9/9/9/9/9 b P2r2b4g3s2n4l17p 1
9/9/9/9/9/9/9/9/4K4 b RB 1
4k4/4r4/4GG3/9/9/9/9/9/4K4 b - 1
"""
# Fields of journals that are times.
TIMES = {"figures", "overhead", "time", "seconds", "elapsed", "nps", "wall"}
PATIENCE = 600


class Fault(Exception):
    """Something that must not happen."""


class Tool:
    """Arguments, journal and result of one kind of work in a folder."""

    def __init__(self, exe, name, inputs):
        self.exe, self.name, self.inputs = exe, name, inputs

    def arguments(self, folder):
        out, work = str(folder / "out"), ["--work", str(folder / "work")]
        psv = str(self.inputs / "games.psv")
        engine = f"cmd={self.exe},option.EvalFile=<material>,option.Threads=1,option.USI_Hash=1"
        engines = ["--engine", engine + ",name=one", "--engine", engine + ",name=other"]
        few_moves = ["--max-moves", "80", "--max-imbalance", "5000"]
        return {
            "gensfen": ["gensfen", *MATERIAL, "--nodes", "300", "--opening-nodes", "200", "--games", "40", "--out", out],
            # Static evaluations: a piece of searches takes 20 seconds.
            "rescore": [
                "rescore", str(self.inputs / "longest.psv"), "--static", "--out", out + ".psv", *work, "--force",
            ],
            "learn": ["learn", psv, "--shape", "raicho_64x2-8", "--batch", "64", "--epochs", "12", "--threads", "1", "--out", out],
            "match": ["match", *engines, "--nodes", "600", "--games", "24", *few_moves, "--out", out],
            "spsa": [
                "spsa", "--engine", f"cmd={self.exe},option.EvalFile=<material>,option.Threads=1,"
                "option.USI_Hash=1", "--param", "FV_SCALE,int,16,1,128,8,0.1", "--nodes", "300",
                "--iterations", "20", "--concurrency", "1", *few_moves, "--out", out,
            ],
            "analyze": [
                "analyze", str(self.inputs / "games.usi"), *MATERIAL, "--nodes", "1500", "--threads", "1", "--json",
                out, *work,
            ],
            "book": [
                "book", "think", str(self.inputs / "games.sfen"), *MATERIAL, "--nodes", "3000", "--out", out + ".db",
                *work, "--force",
            ],
            "mate": ["mate", str(self.inputs / "problems"), "--nodes", "20000", "--hash", "2", "--shortest", *work],
        }[self.name]  # fmt: skip

    def journal(self, folder):
        path = {
            "gensfen": "out/gensfen.jsonl",
            "match": "out/games.jsonl",
            "learn": "out/checkpoint.bin",
            "spsa": "out/history.csv",
        }.get(self.name)
        if path:
            return folder / path
        found = sorted((folder / "work").glob("*.jsonl")) if (folder / "work").exists() else []
        return found[0] if found else folder / "work" / "none"

    def result(self, folder, printed):
        """What the work has made, without times."""
        out = folder / "out"
        if self.name == "gensfen":
            subprocess.run([self.exe, "validate", out], check=True, capture_output=True)
            return sorted(path.read_bytes() for path in out.glob("*.pack"))
        if self.name == "learn":
            return (out / "net.nnue").read_bytes()
        if self.name == "match":
            entries = [json.loads(line) for line in (out / "games.jsonl").read_text().splitlines()]
            return sorted((strip_times(entry) for entry in entries), key=lambda entry: entry["game"])
        if self.name == "spsa":
            return (out / "history.csv").read_bytes()
        if self.name == "analyze":
            return {path.name: strip_times(json.loads(path.read_text())) for path in out.glob("*.json")}
        if self.name == "mate":
            rows = [row.split() for row in printed.splitlines() if "problem" not in row]
            return [row[:4] + row[5:] for row in rows]
        return next(folder.glob("out.*")).read_bytes()


def strip_times(value):
    if isinstance(value, dict):
        return {key: strip_times(entry) for key, entry in value.items() if key not in TIMES}
    return [strip_times(entry) for entry in value] if isinstance(value, list) else value


def lines(path):
    """Finished pieces of a journal; an unfinished last line does not count."""
    try:
        return path.read_bytes().split(b"\n")[:-1]
    except OSError:
        return []


def run(command, seconds=None):
    """Runs to the end, or kills after some seconds; the output, or None where it was killed."""
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdout=printed, stderr=errors)
        try:
            code = process.wait(timeout=seconds or PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            if seconds is None:
                raise Fault(f"no end within {PATIENCE} s: {command}") from None
            return None
        errors.seek(0)
        text = errors.read().decode(errors="replace")
        if code != 0 or "panicked" in text:
            raise Fault(f"exit code {code}: {command}\n{text[-2000:]}")
        printed.seek(0)
        return printed.read().decode()


def torture(tool, kills, work, random_numbers):
    """Kills and resumes one tool; returns the number of runs and of kills that hit it at work."""
    whole = work / f"{tool.name}-whole"
    whole.mkdir()
    begun = time.monotonic()
    expected = tool.result(whole, run([tool.exe, *tool.arguments(whole)]))
    duration = time.monotonic() - begun
    done, runs, at_work = 0, 0, 0
    while done < kills:
        folder = work / f"{tool.name}-killed"
        folder.mkdir()
        runs += 1
        command = [tool.exe, *tool.arguments(folder)]
        before, killed_here, printed = [], 0, None
        while printed is None:
            # Most runs are killed again and again; the last chance is undisturbed.
            is_last = done >= kills or killed_here >= 12
            seconds = None if is_last else random_numbers.uniform(0.005, duration / 3)
            printed = run([*command, "--resume"], seconds)
            after = lines(tool.journal(folder))
            if tool.name != "learn" and after[: len(before)] != before:
                raise Fault(f"{tool.name}: the journal lost what it had: {len(before)} lines before, {len(after)} after")
            if printed is None:
                done += 1
                killed_here += 1
                at_work += len(after) > (tool.name == "spsa")  # its first line names the columns
            before = after
        if tool.result(folder, printed) != expected:
            shutil.copytree(folder, f"kills-{tool.name}-fault", dirs_exist_ok=True)
            raise Fault(f"{tool.name}: the result after {killed_here} kills is not that of the undisturbed run")
        shutil.rmtree(folder)
    return runs, at_work


# --- Games on a server ---

SUMMARY = """BEGIN Game_Summary
Protocol_Version:1.2
Protocol_Mode:Server
Format:Shogi 1.0
Declaration:Jishogi 1.1
Game_ID:{game}
Name+:{black}
Name-:{white}
Your_Turn:{side}
Rematch_On_Draw:NO
To_Move:+
BEGIN Time
Time_Unit:1sec
Total_Time:0
Byoyomi:1
Least_Time_Per_Move:0
END Time
BEGIN Position
P1-KY-KE-GI-KI-OU-KI-GI-KE-KY
P2 * -HI *  *  *  *  * -KA *{space}
P3-FU-FU-FU-FU-FU-FU-FU-FU-FU
P4 *  *  *  *  *  *  *  *  *{space}
P5 *  *  *  *  *  *  *  *  *{space}
P6 *  *  *  *  *  *  *  *  *{space}
P7+FU+FU+FU+FU+FU+FU+FU+FU+FU
P8 * +KA *  *  *  *  * +HI *{space}
P9+KY+KE+GI+KI+OU+KI+GI+KE+KY
P+
P-
+
END Position
END Game_Summary
"""


class Server(threading.Thread):
    """Plays one move at most and resigns, game after game."""

    def __init__(self):
        super().__init__(daemon=True)
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.finished = []  # ids of the games whose result was sent
        self.started = 0

    def run(self):
        while True:
            connection, _ = self.socket.accept()
            try:
                with connection, connection.makefile("r", errors="replace") as incoming:
                    self.serve(connection, incoming)
            except OSError:
                pass

    def serve(self, connection, incoming):
        def send(text):
            connection.sendall(text.encode())

        def wait(beginning):
            for line in incoming:
                if line.startswith(beginning):
                    return line.strip()
            raise OSError("closed")

        wait("LOGIN")
        send("LOGIN:raicho OK\n")
        self.started += 1
        game, is_black = f"game-{self.started}", self.started % 2 == 1
        names = {"black": "raicho" if is_black else "server", "white": "server" if is_black else "raicho"}
        send(SUMMARY.format(game=game, side="+" if is_black else "-", space=" ", **names))
        wait("AGREE")
        send(f"START:{game}\n")
        if not is_black:
            send("+7776FU,T0\n")
        move = wait("+" if is_black else "-").partition(",")[0]
        send(f"{move},T0\n%TORYO,T0\n#RESIGN\n#WIN\n")
        self.finished.append(game)
        for _ in incoming:  # until it closes
            pass


def torture_csa(exe, kills, work, random_numbers):
    server = Server()
    server.start()
    (work / "password").write_text("x\n")
    folder = work / "csa"
    command = [exe, "csa", "--host", f"127.0.0.1:{server.port}", "--id", "raicho", "--out", folder,
               "--password-file", work / "password", "--engine",
               "option.Threads=1,option.USI_Hash=1,option.NetworkDelay=0,option.MinimumThinkingTime=1"]
    kept = []
    for number in range(kills):
        if run(command, random_numbers.uniform(0.05, 1.5)) is not None:
            raise Fault("csa: it ended by itself")
        entries = lines(folder / "games.jsonl")
        if entries[: len(kept)] != kept:
            raise Fault(f"csa: the journal lost games at kill {number + 1}")
        kept = entries
    names = {json.loads(line)["game"] for line in kept}
    missing = [game for game in server.finished if game not in names]
    if len(missing) > kills:
        raise Fault(f"csa: {len(missing)} games missing after {kills} kills")
    records = len(list((folder / "csa").glob("*.csa")))
    printed = run([exe, "csa", "stats", folder])
    print(f"csa: {len(server.finished)} games finished, {len(kept)} in the journal, {records} records, "
          f"{len(missing)} lost in the moment of a kill; stats: {printed.splitlines()[0] if printed else ''}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("exe", type=Path)
    names = ["gensfen", "rescore", "learn", "match", "spsa", "book", "mate", "csa"]
    parser.add_argument("--tool", action="append", choices=names)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    exe = str(args.exe.resolve())
    random_numbers = random.Random(args.seed)
    faults = 0
    with tempfile.TemporaryDirectory() as text:
        work = Path(text)
        games = work / "games"
        run([exe, "gensfen", *MATERIAL, "--nodes", "60", "--opening-nodes", "200", "--games", "12", "--out", games])
        for ending in ("psv", "usi", "sfen"):
            run([exe, "convert", games, "--out", work / f"games.{ending}"])
        for name, times in (("long", 400), ("longest", 1200)):
            (work / f"{name}.psv").write_bytes((work / "games.psv").read_bytes() * times)
        (work / "problems").write_text(PROBLEMS * 40)
        for name in args.tool or names:
            try:
                begun = time.monotonic()
                if name == "csa":
                    torture_csa(exe, args.kills, work, random_numbers)
                    result = ""
                else:
                    runs, at_work = torture(Tool(exe, name, work), args.kills, work, random_numbers)
                    result = f", {at_work} with a journal already, {runs} runs, all equal to the undisturbed one"
                print(f"OK: {name}: {args.kills} kills{result}, {time.monotonic() - begun:.0f} s", flush=True)
            except Fault as fault:
                print(f"FAULT: {name}: {fault}", flush=True)
                faults += 1
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
