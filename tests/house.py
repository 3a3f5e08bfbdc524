#!/usr/bin/env python3
"""Counts the code lines of the crate by room: without tests, comments and blank lines.

Run it in the root of the repository: python3 tests/house.py
"""

import collections
import pathlib
import re

VISIBILITY = r"(pub(\([^)]*\))? )?"
SHORT = 40
# A field that no argument sets is none.
OPTION = re.compile(r"#\[arg(?!\(skip)")
ERROR_TYPE = r"derive\([^)]*\bError\b[^)]*\)"


def is_code(line):
    """Whether a line is neither blank nor a comment."""
    text = line.strip()
    return bool(text) and not text.startswith("//")


def without_test_modules(lines):
    """The lines without inline test modules, which end at their own indent."""
    kept = []
    end = None
    for number, line in enumerate(lines):
        if end is not None:
            if line.rstrip() == end:
                end = None
            continue
        before = lines[number - 1].strip() if number else ""
        if before == "#[cfg(test)]" and re.match(VISIBILITY + r"mod \w+ \{", line.strip()):
            end = " " * (len(line) - len(line.lstrip())) + "}"
            kept.pop()
            continue
        kept.append(line)
    return kept


def count(path):
    """Code lines of a file, and those of them that are `use` or `mod`."""
    code = uses = 0
    is_open = False
    for line in without_test_modules(path.read_text().split("\n")):
        text = line.strip()
        if not is_code(line):
            continue
        code += 1
        if is_open or re.match(VISIBILITY + r"use ", text):
            uses += 1
            is_open = not text.endswith(";")
        elif re.match(VISIBILITY + r"mod ", text):
            uses += 1
    return code, uses


def main():
    rooms = collections.defaultdict(collections.Counter)
    for path in pathlib.Path("src").rglob("*.rs"):
        if "tests" in path.parts or path.name.startswith("test"):
            continue
        code, uses = count(path)
        room = rooms[path.parts[1].removesuffix(".rs")]
        room.update(code=code, files=1, uses=uses, short=int(code < SHORT))
    print(f"{'room':15} {'code':>6} {'files':>5} {'use':>5} {'under ' + str(SHORT):>8}")
    total = sum(rooms.values(), collections.Counter())
    ordered = sorted(rooms.items(), key=lambda room: -room[1]["code"])
    for name, room in [*ordered, ("all", total)]:
        print(f"{name:15} {room['code']:6} {room['files']:5} {room['uses']:5} {room['short']:8}")
    print(f"use and mod: {100 * total['uses'] / total['code']:.1f} % of the code lines")
    paths = [path for folder in ("src", "tests") for path in pathlib.Path(folder).rglob("*.rs")]
    paths = [path for path in paths if "target" not in path.parts]
    lines = sum(is_code(line) for path in paths for line in path.read_text().split("\n"))
    print(f"tests: {lines - total['code']} code lines")
    text = "".join(path.read_text() for path in paths)
    print(f"error types: {len(re.findall(ERROR_TYPE, text))}, options: {len(OPTION.findall(text))}")


main()
