#!/usr/bin/env python3
"""Records through `raicho convert`, judged by cshogi, whose readers are its own.

    venv/bin/python tests/clients/records.py target/release/raicho [--analyze] FOLDER...

Every record of the folders (CSA, KIF, KI2, JKF) is written as CSA, KIF and lines of USI. cshogi
reads the CSA and the KIF and must find the moves of the USI line, whose moves it plays itself; a
`moves.tsv` in a folder (name, start, moves) is compared too. With `--analyze`, the CSA and the KIF
are those of `raicho analyze`, and their comments must have a score for each move. Prints `skipped: ...`, `OK: ...` or
`FAULT: ...`.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import cshogi
    from cshogi import CSA, KIF
except ImportError:
    print("skipped: cshogi is not installed (pip install cshogi)")
    sys.exit(0)

SUFFIXES = {".csa", ".kif", ".kifu", ".ki2", ".ki2u", ".jkf"}


def known_moves(folder):
    table = folder / "moves.tsv"
    if not table.exists():
        return {}
    rows = (line.split("\t") for line in table.read_text().splitlines() if line[:1] != "#")
    return {row[0]: (row[1], row[2] if len(row) > 2 else "") for row in rows if len(row) > 1}


def parsed(path):
    """The moves that cshogi finds; it reads no drawn boards in KIF."""
    if path.suffix == ".csa":
        game = CSA.Parser.parse_file(str(path))[0]
        return [cshogi.move_to_usi(move) for move in game.moves]
    game = KIF.Parser.parse_str(path.read_text(encoding="utf-8"))
    return [cshogi.move_to_usi(move) for move in game.moves]


def scored(path):
    """How many comments of a file have a score, as cshogi reads them."""
    if path.suffix == ".csa":
        game = CSA.Parser.parse_file(str(path))[0]
        return sum(score is not None for score in game.scores)
    game = KIF.Parser.parse_str(path.read_text(encoding="utf-8"))
    return sum("評価値" in (comment or "") for comment in game.comments)


def main():
    words = [word for word in sys.argv[1:] if word != "--analyze"]
    raicho, folders = words[0], [Path(folder) for folder in words[1:]]
    is_analysis = "--analyze" in sys.argv
    faults, records = [], 0
    with tempfile.TemporaryDirectory() as work:
        for folder in folders:
            table = known_moves(folder)
            for path in sorted(folder.iterdir()):
                if path.suffix not in SUFFIXES:
                    continue
                records += 1
                outputs = {}
                for suffix in ("usi", "csa", "kifu"):
                    out = Path(work) / f"out.{suffix}"
                    command = [raicho, "convert", str(path), "--out", str(out), "--force"]
                    if is_analysis and suffix != "usi":
                        command = [raicho, "analyze", str(path), "--nodes", "50", "--hash", "1"]
                        command += ["--summary", "--kif" if suffix == "kifu" else "--csa", str(out)]
                    done = subprocess.run(command, capture_output=True, text=True)
                    if done.returncode:
                        faults.append(f"{path.name} to {suffix}: {done.stderr.strip()}")
                        continue
                    outputs[suffix] = out
                if "usi" not in outputs:
                    continue
                line = outputs["usi"].read_text().strip()
                start, _, moves = line.partition(" moves ")
                moves = moves.split()
                board = cshogi.Board()
                if start.startswith("sfen "):
                    board.set_sfen(start[5:])
                for number, move in enumerate(moves, 1):
                    if not board.is_legal(board.move_from_usi(move)):
                        faults.append(f"{path.name}: move {number}, {move}, is illegal for cshogi")
                        break
                    board.push_usi(move)
                if path.stem in table and table[path.stem][1].split() != moves:
                    faults.append(f"{path.name}: moves differ from moves.tsv")
                for suffix in ("csa", "kifu"):
                    if suffix not in outputs:
                        continue
                    if suffix == "kifu" and "手合割：その他" in outputs[suffix].read_text():
                        continue
                    try:
                        found = parsed(outputs[suffix])
                    except Exception as error:  # a reader may raise anything
                        faults.append(f"{path.name} to {suffix}: cshogi raises {error!r}")
                        continue
                    if found != moves:
                        faults.append(f"{path.name} to {suffix}: cshogi reads {found}")
                    count = scored(outputs[suffix]) if is_analysis else len(moves)
                    if count < len(moves):
                        faults.append(f"{path.name} to {suffix}: {count} scores of {len(moves)}")
    for fault in faults[:40]:
        print(fault[:400])
    print(f"FAULT: {len(faults)} in {records}" if faults else f"OK: {records} records")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
