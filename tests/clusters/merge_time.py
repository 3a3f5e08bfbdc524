#!/usr/bin/env python3
"""Makes up many parts of a match and of a book, and measures how long it takes to put them together.

Usage: tests/clusters/merge_time.py EXECUTABLE [--parts 1000] [--games 20] [--positions 200]

The games of a part are those of one real part with other numbers; the positions of the books are from games of random
moves, each in one part only. What is merged is checked by its counts.
"""

import argparse
import itertools
import json
import shutil
import subprocess
import tempfile
import time
from pathlib import Path


def run(*command):
    subprocess.run([str(word) for word in command], check=True, capture_output=True)


def timed(name, *command):
    begun = time.monotonic()
    before = sum(subprocess_times())
    run(*command)
    print(f"{name}: {time.monotonic() - begun:.1f} s, {sum(subprocess_times()) - before:.1f} s of a processor", flush=True)


def subprocess_times():
    import resource

    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime, usage.ru_stime


def size(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def match_parts(exe, work, parts, games):
    engine = f"cmd={exe},nodes=20,option.EvalFile=<material>,option.Threads=1,option.USI_Hash=1"
    first = work / "match" / "0"
    run(exe, "match", "--engine", engine + ",name=a", "--engine", engine + ",name=b", "--games", games * parts,
        "--max-moves", "80", "--max-imbalance", "5000", "--shard", f"0/{parts}", "--out", first)  # fmt: skip
    settings = json.loads((first / "match.json").read_text())
    entries = [json.loads(line) for line in (first / "games.jsonl").read_text().splitlines()]
    # Openings differ from part to part, so each part has the pushed pawns of a number of its own.
    pushes = itertools.combinations("123456789", 4)
    pairs = itertools.product(list(pushes), itertools.combinations("123456789", 4))
    for part in range(parts):
        folder = work / "match" / str(part)
        (folder / "csa").mkdir(parents=True, exist_ok=True)
        settings["settings"]["shard"]["index"] = part
        (folder / "match.json").write_text(json.dumps(settings))
        lines = []
        for entry in entries:
            if entry["game"] % 2 == 0:
                files = next(pairs)
                opening = " ".join(f"{black}g{black}f {white}c{white}d" for black, white in zip(*files))
            number = entry["game"] + 2 * part
            record = f"csa/{number:06}{entry['record'][10:]}"
            if part:
                shutil.copy(first / entry["record"], folder / record)
            changed = {"game": number, "record": record, "line": f"startpos moves {opening}", "opening_moves": 8}
            lines.append(json.dumps({**entry, **changed, "moves": 0}))
        (folder / "games.jsonl").write_text("\n".join(lines) + "\n")
        if part:
            shutil.copy(first / "games.sfen", folder)
    return work / "match"


def book_parts(exe, work, parts, positions):
    games = work / "games"
    run(exe, "gensfen", "--eval", "<material>", "--depth", "1", "--random-plies", "60..90", "--opening-nodes", "0",
        "--games", parts * positions // 40, "--out", games)  # fmt: skip
    run(exe, "convert", games, "--out", work / "positions.sfen")
    folder = work / "books"
    folder.mkdir()
    run(exe, "book", "think", work / "positions.sfen", "--eval", "<material>", "--depth", "1",
        "--out", work / "all.db")  # fmt: skip
    blocks = (work / "all.db").read_text().split("sfen ")
    for part in range(parts):
        (folder / f"{part}.db").write_text(blocks[0] + "".join("sfen " + block for block in blocks[1 + part :: parts]))
    return folder, len(blocks) - 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("exe", type=Path)
    parser.add_argument("--parts", type=int, default=1000)
    parser.add_argument("--games", type=int, default=20, help="games of a part")
    parser.add_argument("--positions", type=int, default=200, help="positions of a part, about")
    args = parser.parse_args()
    exe = args.exe.resolve()
    with tempfile.TemporaryDirectory() as text:
        work = Path(text)
        folder = match_parts(exe, work, args.parts, args.games)
        print(f"match: {args.parts} parts, {args.parts * args.games} games, {size(folder):.0f} MB", flush=True)
        timed("match merge, the result only", exe, "match", "merge", *sorted(folder.iterdir()))
        timed("match merge --out", exe, "match", "merge", *sorted(folder.iterdir()), "--out", work / "whole")
        merged = len((work / "whole" / "games.sfen").read_text().splitlines())
        assert merged == args.parts * args.games, merged
        folder, count = book_parts(exe, work, args.parts, args.positions)
        print(f"book: {args.parts} parts, {count} positions, {size(folder):.0f} MB", flush=True)
        timed("book merge", exe, "book", "merge", *sorted(folder.iterdir()), "--out", work / "merged.db")
        assert (work / "merged.db").read_bytes() == (work / "all.db").read_bytes()


if __name__ == "__main__":
    main()
