#!/usr/bin/env python3
"""Closes the terminal of the full-screen view of `csa`: the program must end by itself and not spin.

Usage: tests/campaign/closed_terminal.py EXECUTABLE
The last line is `OK: …` or `FAULT: …` (exit code 1).
"""

import os
import pty
import select
import socket
import sys
import tempfile
import time

PATIENCE = 20.0
MOST_CPU = 2.0
"""Seconds of a processor after the terminal was closed."""


def cpu_of(process):
    """Seconds of a processor that a process has used."""
    fields = open(f"/proc/{process}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def check(exe):
    """One client, waiting for a game; returns what was wrong."""
    server = socket.create_server(("127.0.0.1", 0))
    port = server.getsockname()[1]
    folder = tempfile.mkdtemp(prefix="raicho-terminal-")
    words = [exe, "csa", "--host", f"127.0.0.1:{port}", "--id", "tester", "--out", f"{folder}/games",
             "--engine", "option.Threads=1,option.USI_Hash=16,option.EvalFile=<material>"]
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(TERM="xterm", RAICHO_CSA_PASSWORD="x-60-1,sesame")
        os.execvp(words[0], words)
    connection, _ = server.accept()
    connection.makefile("r").readline()
    connection.sendall(b"LOGIN:tester OK\n")
    shown, begun = b"", time.time()
    while b"tester" not in shown and time.time() - begun < PATIENCE:
        if select.select([terminal], [], [], 0.1)[0]:
            shown += os.read(terminal, 65536)
    time.sleep(1)
    before = cpu_of(process)
    os.close(terminal)
    begun = time.time()
    used = before
    while time.time() - begun < PATIENCE:
        ended, _ = os.waitpid(process, os.WNOHANG)
        if ended:
            break
        used = cpu_of(process)
        time.sleep(0.05)
    else:
        os.kill(process, 9)
        os.waitpid(process, 0)
        return f"runs on, {used - before:.1f} s of a processor in {PATIENCE:.0f} s"
    took = time.time() - begun
    print(f"ended after {took:.1f} s, "
          f"{used - before:.2f} s of a processor")
    return "" if used - before < MOST_CPU else "spins"


def main():
    fault = check(os.path.abspath(sys.argv[1]))
    print(f"FAULT: {fault}" if fault else "OK: it ends with its terminal")
    sys.exit(1 if fault else 0)


main()
