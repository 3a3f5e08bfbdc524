#!/usr/bin/env python3
"""Every tool on a machine that refuses: few descriptors, little address space, a folder that cannot be written, a full
or closed output, a signal at any time. It must end by itself, in words, without a panic and without half a file.

Usage: tests/campaign/poor_machine.py EXECUTABLE    (as root the folder is refused to the user nobody)
The last line is `OK: …` or `FAULT: …` (exit code 1).
"""

import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

PATIENCE = 60
GAME = "startpos moves 7g7f 3c3d 2g2f 8c8d\n"
MATE = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1\n"
ENGINE = "--engine cmd={exe},name={name},option.EvalFile=<material>,option.Threads=1,option.USI_Hash=1"
MATCH = "match {one} {two} --nodes 100 --games 4 --max-moves 30 --random-plies 4 --out out"

# Name, words, what the output is called (if there is one).
TOOLS = [
    ("usi", "", None),
    ("bench", "bench --depth 3 --hash 1", None),
    ("perft", "perft 3", None),
    ("analyze", "analyze game.usi --nodes 100 --eval <material> --html out", "out"),
    ("mate", "mate mate.sfen --html out", "out"),
    ("convert", "convert game.usi --out out.csa", "out.csa"),
    ("stats", "stats games.psv", None),
    ("validate", "validate games.psv", None),
    ("shuffle", "shuffle games.psv --out out.psv", "out.psv"),
    ("dedup", "dedup games.psv --out out.psv", "out.psv"),
    ("rescore", "rescore games.psv --nodes 50 --eval <material> --out out.psv", "out.psv"),
    ("gensfen", "gensfen --nodes 50 --games 2 --eval <material> --out out", "out"),
    ("learn", "learn games.psv --visits 2000 --batch 500 --threads 1 --held-out 0 --out out", "out"),
    ("book from-games", "book from-games game.usi --out out.db", "out.db"),
    ("book info", "book info book.db", None),
    ("book minimax", "book minimax book.db --out out.db", "out.db"),
    ("book think", "book think game.usi --nodes 50 --eval <material> --out out.db", "out.db"),
    ("match", MATCH, "out"),
    ("csa", "csa --host 127.0.0.1:9 --id x --game x-60-1 --games 1 --out out", "out"),
]


def limit_files():
    resource.setrlimit(resource.RLIMIT_NOFILE, (7, 7))


def limit_space():
    resource.setrlimit(resource.RLIMIT_AS, (90 << 20, 90 << 20))


def limit_size():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))


def become_nobody():
    if os.getuid() == 0:
        os.setgid(65534)
        os.setuid(65534)


def run(exe, words, folder, setup=None, output=subprocess.PIPE, after=None):
    """Runs a tool; returns its code and standard error."""
    one, two = (ENGINE.format(exe=exe, name=name) for name in ("one", "two"))
    command = [exe, *words.format(one=one, two=two).split()]
    env = {**os.environ, "RAICHO_CSA_PASSWORD": "sesame1"}
    process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output,
                               stderr=subprocess.PIPE, preexec_fn=setup, env=env)  # fmt: skip
    try:
        if after is not None:
            try:
                process.wait(after)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(2)
                except subprocess.TimeoutExpired:
                    process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        _, errors = process.communicate()
        return "no end", errors.decode(errors="replace")
    return process.returncode, errors.decode(errors="replace")


def prepare(exe, folder):
    """The inputs of the tools."""
    (folder / "game.usi").write_text(GAME)
    (folder / "mate.sfen").write_text(MATE)
    for words in ["gensfen --nodes 50 --games 40 --eval <material> --out games",
                  "convert games/games-0001.pack --out games.psv",
                  "book from-games game.usi --out book.db"]:
        code, errors = run(exe, words, folder)
        assert code == 0, errors


def check(name, words, folder, made, result, may_work):
    """Prints what is wrong; returns the number of faults."""
    code, errors = result
    lines = errors.strip().splitlines()
    faults = []
    if "panicked" in errors or code in (101, 134) or isinstance(code, str):
        faults.append(f"exit code {code}")
    elif code < 0 and code != -signal.SIGTERM:
        faults.append(f"killed by signal {-code}")
    elif code == 0 and not may_work:
        faults.append("no error")
    elif code > 0 and not lines:
        faults.append("no word about it")
    for fault in faults:
        print(f"FAULT: {name}: {words}: {fault}: {errors[-600:]}")
    if made and (folder / made).exists():
        path = folder / made
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    return len(faults)


def main():
    exe = os.path.abspath(sys.argv[1])
    base = pathlib.Path(tempfile.mkdtemp(prefix="raicho-poor-"))
    base.chmod(0o755)
    folder = base / "work"
    folder.mkdir()
    prepare(exe, folder)
    closed = os.open("/dev/full", os.O_WRONLY)
    choice, faults, checks = random.Random(3), 0, 0
    for tool, words, made in TOOLS:
        is_endless = tool == "csa"
        after = 3 if is_endless else None
        cases = [
            ("7 descriptors", {"setup": limit_files, "after": after}, True),
            ("90 MB of addresses", {"setup": limit_space, "after": after}, True),
            ("files of 200 bytes", {"setup": limit_size, "after": after}, True),
            ("a full output", {"output": closed, "after": after}, True),
            ("a folder of others", {"setup": become_nobody, "after": after}, made is None),
        ]
        cases += [("a signal", {"after": choice.uniform(0.0, 0.6)}, True) for _ in range(3)]
        for name, options, may_work in cases:
            result = run(exe, words, folder, **options)
            faults += check(f"{tool}, {name}", words, folder, made, result, may_work or is_endless)
            checks += 1
    shutil.rmtree(base)
    print(f"{'FAULT' if faults else 'OK'}: {checks} checks of {len(TOOLS)} tools, {faults} faults")
    sys.exit(1 if faults else 0)


main()
