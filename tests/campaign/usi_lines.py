#!/usr/bin/env python3
"""Sends mutated USI dialogues, random bytes and lines of 10 MB to many processes of the engine.

Usage: tests/campaign/usi_lines.py EXECUTABLE [--lines 10000000] [--processes 100] [--seed 1] [--traces FOLDER]
         [--jobs 1] [--skip 0]

Lines of a list of commands (and of recorded dialogues of GUIs, where --traces names a folder of `*.usi.log`) are changed:
bytes flipped, words doubled, dropped, swapped and made very large, whole lines cut or joined. After each block of lines
`stop`, `position startpos`, `go depth 1` and `isready` must be answered, each `go` by exactly one line at most, with
nothing but USI on standard output; at the end `quit` must end the process with code 0 and nothing on standard error.
The processes have 2 GB of addresses, so that a mutated number takes neither the machine nor most of the time for zeroing
memory. --jobs of them run at a time, and --skip leaves out the first ones, which an earlier run has finished. The last
line is `OK: …` or `FAULT: …` (exit code 1), and a fault leaves the last lines sent in `usi-lines-fault-N`.
"""

import argparse
import queue
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

BLOCK = 500
PATIENCE = 120
MAX_LINE = 10 << 20
ADDRESSES = 2 << 30
FIRST_WORDS = {"id", "option", "usiok", "readyok", "bestmove", "info", "checkmate"}
# The board, the moves and the explanations of the extra commands are not USI, so these are not sent.
NOT_SENT = {b"d", b"eval", b"bench", b"perft", b"key", b"compiler", b"getoption", b"quit"}
COMMANDS = """usi
isready
usinewgame
position startpos
position startpos moves 7g7f 3c3d 2g2f 8c8d
position startpos moves 2g2f 8c8d 2f2e 8d8e 7g7f 4a3b 6i7h 8e8f 8g8f 8b8f 2e2d 2c2d 2h2d P*2c 2d2f
position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
position sfen l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1 moves 3d3e
position sfen 8k/9/7S1/7G1/9/9/9/9/9 b Rrb2g2s4n4l18p 1
position sfen 4k4/9/9/9/9/9/9/9/4K4 b 2r2b4g4s4n4l18p 1
go depth 1
go nodes 50
go movetime 1
go btime 0 wtime 0 byoyomi 1
go btime 10 wtime 10 binc 1 winc 1
go infinite
go ponder
go mate 5
go nodes 50 searchmoves 7g7f 2g2f
stop
ponderhit
ponderhit btime 10 wtime 10 byoyomi 0
gameover win
setoption name USI_Hash value 1
setoption name Threads value 1
setoption name MultiPV value 3
setoption name SkillLevel value 7
setoption name EvalFile value <material>
setoption name EvalFile value <embedded>
setoption name EvalDir value eval
setoption name BookFile value no_book
setoption name USI_OwnBook value false
setoption name EnteringKingRule value CSARule27
setoption name ClearHash
setoption name DrawValueBlack value -2
unknown words of no meaning
""".encode().splitlines()


class Fault(Exception):
    """What an engine did wrong."""


def recorded(folder):
    """Lines that a GUI sent, of dialogues recorded as `recv: …` or `> …`."""
    found = []
    for path in sorted(Path(folder).glob("*.usi.log")):
        for line in path.read_bytes().splitlines():
            _, mark, text = line.partition(b"recv: ")
            if mark:
                found.append(text.strip())
    return found


def mutated(line, lines, numbers):
    """A line with a few changes."""
    for _ in range(numbers.choice((0, 1, 1, 2, 3, 6))):
        words = line.split(b" ")
        place = numbers.randrange(len(words))
        match numbers.randrange(9):
            case 0 if line:
                at = numbers.randrange(len(line))
                line = line[:at] + bytes([numbers.randrange(256)]) + line[at + 1 :]
            case 1:
                del words[place]
                line = b" ".join(words)
            case 2:
                words.insert(place, words[numbers.randrange(len(words))])
                line = b" ".join(words)
            case 3:
                words[place] = str(numbers.choice((-1, 0, 2**31, 2**63, 10**30, numbers.randrange(300)))).encode()
                line = b" ".join(words)
            case 4:
                line = line[: numbers.randrange(len(line) + 1)]
            case 5:
                line += b" " + numbers.choice(lines)
            case 6:
                words[place] = words[place][::-1]
                line = b" ".join(words)
            case 7:
                words[place] = numbers.randbytes(numbers.randrange(1, 20))
                line = b" ".join(words)
            case _:
                words[place] = words[place] * numbers.randrange(2, 40)
                line = b" ".join(words)
    return line.replace(b"\n", b" ").replace(b"\r", b" ")


def is_sent(line):
    # The engine skips words that it does not know before a command, as USI asks.
    words = line.lower().split()
    if b"moves" in words and b"position" not in words[: words.index(b"moves")]:
        return False  # the command that prints the legal moves
    return not any(word in NOT_SENT for word in words) and b"debuglogfile" not in words


class Engine:
    def __init__(self, exe, folder):
        self.errors = tempfile.TemporaryFile()
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))  # noqa: E731
        self.process = subprocess.Popen([exe], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.errors, preexec_fn=limit)  # fmt: skip
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def send(self, data):
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
        except OSError as error:
            raise Fault(f"it does not read: {error}") from None

    def answers_until(self, end):
        """Counts answers to `go` until a line that begins with `end`."""
        deadline, answers, before = time.monotonic() + PATIENCE, 0, b""
        while True:
            try:
                line = self.lines.get(timeout=max(0, deadline - time.monotonic()))
            except queue.Empty:
                raise Fault(f"no {end} within {PATIENCE} s") from None
            if line is None:
                raise Fault(f"its output ends while {end} is due")
            if line == b"\n":
                continue  # a long `isready` shows that the engine is alive
            word = line.split(b" ", 1)[0].strip().decode(errors="replace")
            if word not in FIRST_WORDS:
                raise Fault(f"a line that is not USI: {line[:200]!r} after {before[:200]!r}")
            before = line
            if word in ("bestmove", "checkmate"):
                answers += 1
            if word == end or end.encode() in line:
                return answers

    def end(self):
        self.send(b"quit\n")
        try:
            code = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise Fault("quit does not end it") from None
        self.errors.seek(0)
        errors = self.errors.read()
        if code != 0 or errors:
            raise Fault(f"exit code {code}, standard error {errors[:400]!r}")


def long_lines(numbers):
    size = MAX_LINE
    yield b"x" * size
    yield b"position startpos moves" + b" 7g7f" * (size // 5)
    yield b"position sfen " + b"9/" * (size // 2) + b" b - 1"
    yield b"position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b " + b"P" * size + b" 1"
    yield b"setoption name " + b"y" * size + b" value 1"
    yield b"setoption name EvalFile value " + b"z" * size
    yield b"go searchmoves" + b" 7g7f" * (size // 5)
    yield b"go depth " + b"9" * size
    # Without the letter that is the command to draw the board.
    yield numbers.randbytes(size).translate(None, b"dD\n")


def session(exe, folder, count, lines, seed, number):
    """One process; returns the number of lines sent and of answers to `go`."""
    numbers, has_long_lines = random.Random(f"{seed} {number}"), number % 10 == 0
    engine = Engine(exe, folder)
    sent = answers = 0
    block, all_lines = [], []
    try:
        engine.send(b"setoption name USI_Hash value 1\nsetoption name Threads value 1\nisready\n")
        engine.answers_until("readyok")
        while sent < count or has_long_lines:
            if has_long_lines:
                block, has_long_lines = list(long_lines(numbers)), False
            else:
                block = [mutated(numbers.choice(lines), lines, numbers) for _ in range(min(BLOCK, count - sent))]
                if numbers.random() < 0.1:
                    block = [numbers.randbytes(numbers.randrange(1, 4000)).replace(b"\n", b"")]
                block = [line for line in block if is_sent(line)]
            searches = sum(b"go" in line.lower() for line in block)
            end = numbers.choice((b"\n", b"\r\n"))
            # A last search that must be answered, whatever was before.
            tail = [b"stop", b"position startpos", b"go depth 1", b"stop", b"isready"]
            all_lines = [*all_lines[-20 * BLOCK :], *block, *tail]
            engine.send(end.join([*block, *tail]) + end)
            found = engine.answers_until("readyok")
            # The block may hold `isready` as well, so read on to the answer to a line of our own.
            marker = f"end-of-block-{sent}"
            engine.send(marker.encode() + b"\n")
            found += engine.answers_until(marker)
            if found > searches + 1:
                raise Fault(f"{found} answers to at most {searches + 1} searches")
            sent += len(block)
            answers += found
        engine.end()
    except Fault:
        Path(f"usi-lines-fault-{number + 1}").write_bytes(b"\n".join(all_lines))
        raise
    finally:
        engine.process.kill()
        engine.process.wait()
    return sent, answers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("exe", type=Path)
    parser.add_argument("--lines", type=int, default=10_000_000)
    parser.add_argument("--processes", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--traces", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--skip", type=int, default=0)
    args = parser.parse_args()
    lines = list(COMMANDS)
    if args.traces:
        lines += recorded(args.traces)
    sent = answers = 0
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(args.jobs) as pool:
        exe, count = str(args.exe.resolve()), args.lines // args.processes
        numbers = range(args.skip, args.processes)
        sessions = [pool.submit(session, exe, folder, count, lines, args.seed, number) for number in numbers]
        for number, one in zip(numbers, sessions):
            try:
                more = one.result()
            except Fault as fault:
                print(f"FAULT: process {number + 1}: {fault}", flush=True)
                pool.shutdown(cancel_futures=True)
                sys.exit(1)
            sent, answers = sent + more[0], answers + more[1]
            print(f"process {number + 1}: {more[0]} lines, {more[1]} searches answered", flush=True)
    print(f"OK: {sent} lines in {len(numbers)} processes, {answers} searches answered, "
          f"{time.monotonic() - begun:.0f} s")  # fmt: skip


if __name__ == "__main__":
    main()
