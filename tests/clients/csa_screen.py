#!/usr/bin/env python3
"""The full-screen view of `raicho csa` on a pseudo-terminal: it is given back on every way out.

Usage: tests/clients/csa_screen.py target/release/raicho

No server is needed: the client keeps trying to connect. Prints `OK: …` (exit code 0) or `FAULT: …` (1).
"""
import fcntl
import os
import pty
import select
import signal
import socket
import struct
import sys
import tempfile
import termios
import time

ENTER, LEAVE, CURSOR = b"\x1b[?1049h", b"\x1b[?1049l", b"\x1b[?25h"


def read(terminal, seconds, until=None):
    """What is printed within this time, or until a text is there."""
    text, end = b"", time.time() + seconds
    while time.time() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                data = os.read(terminal, 65536)
            except OSError:
                break
            if not data:
                break
            text += data
        if until and until in text:
            break
    return text


def run(raicho, server, folder, leave):
    """Starts the client, leaves it, and returns what is wrong."""
    terminal, slave = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    before = termios.tcgetattr(slave)
    process = os.fork()
    if process == 0:
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        for number in range(3):
            os.dup2(slave, number)
        os.environ.update(RAICHO_CSA_PASSWORD="x-60-1,trip", TERM="xterm")
        os.execv(raicho, [raicho, "csa", "--host", f"127.0.0.1:{server.getsockname()[1]}", "--id", "tester",
                          "--engine", "option.USI_Hash=16", "--out", folder])
    text = read(terminal, 60, b"tester")
    if ENTER not in text:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        return f"no view: {text[-300:]!r}"
    if not termios.tcgetattr(slave)[3] & termios.ECHO == 0:
        return "the terminal is not ours"
    time.sleep(1)
    leave(terminal, process)
    text += read(terminal, 20, LEAVE)
    text += read(terminal, 1)
    for _ in range(200):
        if os.waitpid(process, os.WNOHANG)[0]:
            break
        time.sleep(0.1)
    else:
        os.kill(process, signal.SIGKILL)
        return "it does not end"
    if LEAVE not in text or CURSOR not in text[text.rindex(LEAVE) - 100:]:
        return f"the screen is not given back: {text[-300:]!r}"
    if termios.tcgetattr(slave)[3] != before[3]:
        return "the terminal keeps another mode"
    os.close(slave)
    os.close(terminal)
    return None


def press(*keys):
    def leave(terminal, _):
        for key in keys:
            os.write(terminal, key)
            time.sleep(0.5)
    return leave


WAYS = {
    "Ctrl-C": press(b"k", b"t", b"\t", b"\x03"),
    "Ctrl-C three times": press(b"\x03", b"\x03", b"\x03"),
    "SIGTERM": lambda _, process: os.kill(process, signal.SIGTERM),
}


def main():
    raicho = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "target/release/raicho")
    # Takes connections and says nothing.
    server = socket.create_server(("127.0.0.1", 0))
    for name, leave in WAYS.items():
        with tempfile.TemporaryDirectory(prefix="raicho-screen-") as folder:
            fault = run(raicho, server, folder, leave)
        if fault:
            print(f"FAULT: {name}: {fault}")
            return 1
    print(f"OK: {', '.join(WAYS)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
