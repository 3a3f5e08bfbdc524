"""The checks of what the program is for: a game, the signature, and the tools."""

import hashlib
import re
import statistics
import time

from engine import Dialogue, Fault

BENCH_DEPTH = 6
# A mate in 1, no mate, and one of many moves out of a game.
PROBLEMS = """\
4k4/9/4P4/9/9/9/9/9/4K4 b G 1
4k4/9/9/4P4/9/9/9/9/9 b 2G 1
lr5nl/6k2/6bpp/p1p1S1R2/1P1np2P1/P1P1P3P/3K5/1S3G3/LN5NL b 2G6Pbg2sp 95
"""


def start(platform):
    """Milliseconds from the start to `usiok` and to `readyok`, the median of five starts."""
    identified, ready = [], []
    for _ in range(5):
        begin = time.monotonic()
        with Dialogue(platform) as engine:
            engine.ask("usi", "usiok")
            identified.append(time.monotonic() - begin)
            engine.ask("isready", "readyok")
            ready.append(time.monotonic() - begin)
            engine.quit()
    return f"{1000 * statistics.median(identified):.0f}/{1000 * statistics.median(ready):.0f} ms"


def usi(platform):
    """A game's worth of commands: each `go` gets one answer."""
    with Dialogue(platform) as engine:
        engine.ready()
        engine.send(
            "setoption name USI_OwnBook value false",
            "usinewgame",
            "position startpos moves 7g7f 3c3d",
        )
        expect_move(engine.ask("go movetime 500", "bestmove"))
        engine.send("go infinite")
        engine.until("info depth 3")
        expect_move(engine.ask("stop", "bestmove"))
        engine.send(
            "position startpos", "go ponder btime 60000 wtime 60000 byoyomi 1000", "ponderhit"
        )
        expect_move(engine.ask("stop", "bestmove"))
        engine.send("position sfen nonsense")
        engine.until("info string error:")
        engine.send("position startpos", "setoption name Threads value 2", "isready")
        engine.until("readyok")
        expect_move(engine.ask("go nodes 5000", "bestmove"))
        engine.send("gameover win")
        engine.quit()


def expect_move(line):
    """`bestmove` with a move, and perhaps one to ponder on."""
    move = "([1-9][a-i][1-9][a-i][+]?|[PLNSGBR][*][1-9][a-i])"
    if not re.fullmatch(f"bestmove {move}( ponder {move})?", line):
        raise Fault(f"expected a move, got {line!r}")


def bench(platform):
    """The same nodes everywhere."""
    last = platform.tool("bench", "--depth", BENCH_DEPTH, "--hash", 16).splitlines()[-1]
    found = re.fullmatch(r"(\d+) nodes (\d+) nps", last)
    if not found:
        raise Fault(f"bench: the last line is {last!r}")
    platform.same_as_reference("bench", int(found[1]))
    return f"ok {int(found[1])}"


def match(platform):
    """Four short games without a fault."""
    out = platform.fresh("match") / "games"
    text = platform.tool(
        "match",
        "--engine",
        f"cmd={platform.engine()},name=a",
        "--engine",
        f"cmd={platform.engine()},name=b",
        "--each",
        "nodes=300,option.USI_Hash=16,option.Threads=1",
        "--games",
        4,
        "--out",
        out,
    )
    summary = text.splitlines()
    if not any(
        "4 games" in line or "games: 4" in line or re.search(r"\b4/4\b", line) for line in summary
    ):
        raise Fault(f"match: no summary of 4 games in {summary[-3:]}")


def mate(platform):
    """Problems in a file, and `go mate`."""
    problems = platform.folder / "problems.txt"
    problems.write_text(PROBLEMS)
    text = platform.tool("mate", problems, "--hash", 16, "--nodes", 200000)
    found = solutions(text)
    if [row[1] for row in found] != ["mate", "nomate", "mate"]:
        raise Fault(f"mate: {found}")
    platform.same_as_reference("mate", found)
    with Dialogue(platform) as engine:
        engine.ready()
        engine.send(f"position sfen {PROBLEMS.splitlines()[0]}")
        answer = engine.ask("go mate 10000", "checkmate")
        if answer != "checkmate G*5b":
            raise Fault(f"go mate: {answer!r}")
        engine.quit()


def solutions(text):
    """The rows of the table without the column of seconds."""
    rows = [line.split() for line in text.splitlines() if line.strip()[:1].isdigit()]
    return [row[:4] + row[5:] for row in rows if "problems:" not in row]


def gensfen(platform):
    """The same games everywhere, good in the eyes of `validate`."""
    out = platform.folder / "games"
    play(platform, out, "--games", 6)
    platform.tool("validate", out)
    platform.same_as_reference("games", digest(out))


def play(platform, out, *words):
    """Plays games that depend on nothing but the seed."""
    platform.tool(*games(out), *words)


def games(out):
    """The command for such games."""
    settings = ["--nodes", "150", "--opening-nodes", "500", "--seed", "7"]
    return ["gensfen", *settings, "--out", out]


def digest(folder):
    """One hash of all teacher data in a folder."""
    files = sorted(folder.glob("*.pack"))
    if not files:
        raise Fault(
            f"no .pack file in {folder.name}: {sorted(path.name for path in folder.iterdir())}"
        )
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:12]
