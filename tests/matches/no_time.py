#!/usr/bin/env python3
"""How long the engine takes to answer `go btime 0 wtime 0 byoyomi 0`, from the whole line written to the whole answer read.

Usage: tests/matches/no_time.py ENGINE [TRIES [THREADS]]   (2000 tries, 1 thread; fails above 50 ms at the 99.9th percentile)
"""

import subprocess
import sys
import time

LIMIT_MS = 50
POSITIONS = [
    "position startpos",
    "position startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b",
    "position sfen l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
    "position sfen 4k4/9/9/9/9/9/9/9/4K4 b RB2G2S2N2L9Prb2g2s2n2l9p 1",
]


def main():
    engine = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    tries = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    threads = sys.argv[3] if len(sys.argv) > 3 else "1"

    def send(line):
        engine.stdin.write(line + "\n")
        engine.stdin.flush()

    def until(word):
        while not (line := engine.stdout.readline()).startswith(word):
            if not line:
                sys.exit("the engine ended")
        return line

    send(f"setoption name Threads value {threads}\nisready")
    until("readyok")
    times = []
    for number in range(tries):
        send(POSITIONS[number % len(POSITIONS)])
        start = time.perf_counter()
        send("go btime 0 wtime 0 byoyomi 0")
        until("bestmove")
        times.append((time.perf_counter() - start) * 1000)
    send("quit")
    engine.wait()
    times.sort()
    at = {percent: times[min(tries - 1, int(tries * percent / 100))] for percent in (50, 99, 99.9)}
    print(", ".join(f"{percent} %: {value:.2f} ms" for percent, value in at.items()), f"worst: {times[-1]:.2f} ms")
    return int(at[99.9] > LIMIT_MS)


if __name__ == "__main__":
    sys.exit(main())
