#!/usr/bin/env python3
"""Takes memory away from the engine, by a limit on its addresses and by a cgroup: it must start or say in one line why
not, answer `isready` with `readyok` and `go` with a legal-looking `bestmove`, keep the last table when a larger one does
not fit, and never panic.

Usage: tests/campaign/memory.py EXECUTABLE    (the cgroup checks need root and a cgroup of version 1 or 2)
The last line is `OK: …` or `FAULT: …` (exit code 1).
"""

import os
import resource
import subprocess
import sys
import threading
from pathlib import Path

MB = 1 << 20
# Seconds for a session.
PATIENCE = 30
SESSION = "usi\nsetoption name Threads value 1\n{more}isready\nposition startpos\ngo nodes 2000\n"


def session(exe, more, setup):
    """What the engine says; the input stays open until it has answered."""
    process = subprocess.Popen([exe], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, preexec_fn=setup)  # fmt: skip
    # An engine that hangs is killed: no answer and exit code -9.
    watchdog = threading.Timer(PATIENCE, process.kill)
    watchdog.start()
    said = []
    try:
        process.stdin.write(SESSION.format(more=more))
        process.stdin.flush()
        for line in process.stdout:
            said.append(line.rstrip())
            if line.startswith("bestmove"):
                break
        process.stdin.write("quit\n")
        process.stdin.close()
    except BrokenPipeError:
        pass
    errors = process.stderr.read()
    code = process.wait()
    watchdog.cancel()
    return code, said, errors


def check(name, result, may_refuse=False):
    """Prints the verdict; returns the number of faults."""
    code, said, errors = result
    answered = any(line.startswith("bestmove") for line in said) and "readyok" in said
    messages = [line for line in said + errors.splitlines() if "error" in line]
    refused = may_refuse and code == 1 and len(errors.strip().splitlines()) == 1
    fault = "panicked" in errors or not (answered and code == 0 or refused)
    print(f"{'FAULT' if fault else 'ok'}: {name}: exit code {code}, {'answers' if answered else 'no answer'}; "
          f"{messages[0][:150] if messages else 'no message'}")  # fmt: skip
    if fault:
        print(errors[-1000:])
    return int(fault)


def address_limit(megabytes):
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes * MB, megabytes * MB))


class Group:
    """A cgroup with a limit on memory; `None` as path where there is none."""

    def __init__(self, megabytes):
        self.path = None
        for parent, file in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
            path = Path(parent) / f"raicho-campaign-{os.getpid()}"
            try:
                path.mkdir()
            except OSError:
                continue
            try:
                (path / file).write_text(str(megabytes * MB))
                self.path = path
                return
            except OSError:
                path.rmdir()

    def enter(self):
        (self.path / "cgroup.procs").write_text(str(os.getpid()))

    def remove(self):
        self.path.rmdir()


def main():
    exe = str(Path(sys.argv[1]).resolve())
    faults = checks = 0
    huge = "setoption name USI_Hash value {}\n"
    for megabytes in (40, 80, 120, 160, 200, 250, 300, 400, 600, 1000):
        faults += check(f"{megabytes} MB of addresses at start", session(exe, "", address_limit(megabytes)), True)
        checks += 1
    for hash_mb in (100, 2000, 100000, 33554432):
        result = session(exe, huge.format(hash_mb), address_limit(1500))
        faults += check(f"USI_Hash {hash_mb} under 1500 MB of addresses", result)
        checks += 1
    result = session(exe, huge.format(900) + "isready\n" + huge.format(4000), address_limit(1500))
    faults += check("USI_Hash 900, then 4000, under 1500 MB of addresses", result)
    result = session(exe, "setoption name Threads value 64\n", address_limit(800))
    faults += check("Threads 64 under 800 MB of addresses", result)
    checks += 2
    for megabytes, more in ((200, ""), (400, huge.format(100)), (400, huge.format(2000)), (400, huge.format(900) + "isready\n"),
                            (600, "setoption name Threads value 16\n")):  # fmt: skip
        group = Group(megabytes)
        if group.path is None:
            print("skipped: no cgroup can be made")
            break
        try:
            name = f"cgroup of {megabytes} MB, {more.replace(chr(10), ' ') or 'defaults'}"
            faults += check(name, session(exe, more, group.enter))
            checks += 1
        finally:
            group.remove()
    print(f"FAULT: {faults} of {checks} checks" if faults else f"OK: {checks} checks")
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
