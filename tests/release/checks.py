#!/usr/bin/env python3
"""Runs one executable through the checks of a release, or prints the table of all results.

Example: tests/release/checks.py run --name linux --exe target/release/raicho --results results
Example: tests/release/checks.py table --results results

The first platform that runs is the reference: the others must count the same nodes in `bench` and
write the same games. Each result is `ok`, `ok` with a figure, `-` with a reason (not applicable),
or `FAILED` with a reason.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import traceback

import features
import tools
from engine import Fault, NotApplicable, Platform

CHECKS = {
    "usi": tools.usi,
    "bench": tools.bench,
    "match": tools.match,
    "mate": tools.mate,
    "gensfen": tools.gensfen,
    "large pages": features.large_pages,
    "Ctrl-C": features.ctrl_c,
    "paths": features.paths,
    "CR LF": features.cr_lf,
    "CP932": features.cp932,
    "kernels": features.kernels,
}


def run(arguments):
    """Runs all checks and writes the results; returns whether all passed."""
    results = pathlib.Path(arguments.results)
    results.mkdir(parents=True, exist_ok=True)
    reference = results / "reference.json"
    known = json.loads(reference.read_text()) if reference.exists() else {}
    with tempfile.TemporaryDirectory(prefix="raicho-release-") as folder:
        platform = Platform(arguments, pathlib.Path(folder), known)
        row = {"name": arguments.name, "size": os.path.getsize(arguments.exe)}
        row["start"] = check(platform, tools.start)
        for name, function in CHECKS.items():
            row[name] = check(platform, function)
            print(f"  {name}: {row[name]}", flush=True)
    (results / f"{arguments.name}.json").write_text(json.dumps(row))
    if not reference.exists():
        reference.write_text(json.dumps(known))
    return not any(str(value).startswith("FAILED") for value in row.values())


def check(platform, function):
    """The text of the table for one check."""
    try:
        return function(platform) or "ok"
    except NotApplicable as reason:
        return f"- {reason}"
    except Fault as fault:
        return f"FAILED {fault}"
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        traceback.print_exc()
        return f"FAILED {type(error).__name__}: {error}"


def table(arguments):
    """Prints platforms × checks; what is longer than a cell follows as a list."""
    rows = [
        json.loads(path.read_text())
        for path in sorted(pathlib.Path(arguments.results).glob("*.json"))
        if path.name != "reference.json"
    ]
    rows.sort(
        key=lambda row: arguments.order.index(row["name"]) if row["name"] in arguments.order else 99
    )
    columns = ["platform", "size", "start", *CHECKS]
    notes = []
    lines = [columns]
    for row in rows:
        cells = [row["name"], f"{row['size'] / 1e6:.2f} MB"]
        for column in columns[2:]:
            cell = row[column]
            if len(cell) > 12:
                notes.append(f"{row['name']}, {column}: {cell}")
                cell = f"{cell.split()[0]} [{len(notes)}]"
            cells.append(cell)
        lines.append(cells)
    widths = [max(len(line[index]) for line in lines) for index in range(len(columns))]
    for number, line in enumerate(lines):
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |")
        if number == 0:
            print("|" + "|".join("-" * (width + 2) for width in widths) + "|")
    for number, note in enumerate(notes, 1):
        print(f"[{number}] {note}")


def main():
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("run")
    one.add_argument("--name", required=True, help="name of the platform in the table")
    one.add_argument("--exe", required=True, help="the executable")
    one.add_argument(
        "--runner", default="", help="program and options that run it, such as an emulator"
    )
    one.add_argument(
        "--windows", action="store_true", help="an executable for Windows, run by wine"
    )
    one.add_argument("--results", required=True, help="folder for the results")
    all_of_them = commands.add_parser("table")
    all_of_them.add_argument("--results", required=True)
    all_of_them.add_argument("--order", nargs="*", default=[])
    arguments = parser.parse_args()
    if arguments.command == "table":
        table(arguments)
    elif not run(arguments):
        sys.exit(1)


if __name__ == "__main__":
    main()
