#!/usr/bin/env python3
"""Writes a parameter file for `raicho spsa` from the options that an engine offers.

Usage: tests/matches/spsa_params.py ENGINE [NAME...] [OPTION...] > params.txt   (--help lists them)

Takes the numbers that ENGINE (Raicho built with the feature `tune`) offers, the `spin` options with lower-case names, or those of the given names.
The step is a share of the value, but at least the same share of an eighth of the range, and at least 1.
"""

import argparse
import re
import subprocess
import sys

OPTION = re.compile(r"option name ([a-z][a-z0-9_]*) type spin default (-?\d+) min (-?\d+) max (-?\d+)")


def offered(engine):
    """[(name, default, min, max)]"""
    command = [engine]
    try:
        answer = subprocess.run(command, input="usi\nquit\n", capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"error: {engine} does not answer `usi`: {error}")
    return [(name, *map(int, numbers)) for name, *numbers in OPTION.findall(answer)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine")
    parser.add_argument("names", nargs="*", help="only these")
    parser.add_argument("--step", type=float, default=0.2, help="a step, as a share of the value (%(default)s)")
    parser.add_argument("--rate", type=float, default=0.02, help="how far a value moves per point, as a share of a step (%(default)s)")
    parser.add_argument("--without", action="append", default=[], metavar="PREFIX", help="leave out names that begin so")
    arguments = parser.parse_args()
    known = offered(arguments.engine)
    if not known:
        sys.exit(f"error: {arguments.engine} offers no numbers; expected an executable built with --features tune")
    missing = set(arguments.names) - {name for name, *_ in known}
    if missing:
        sys.exit(f"error: no such option of {arguments.engine}: {', '.join(sorted(missing))}")
    print("# name, kind, start, min, max, step, rate")
    for name, start, low, high in known:
        if arguments.names and name not in arguments.names or name.startswith(tuple(arguments.without)):
            continue
        step = max(1, round(arguments.step * max(abs(start), (high - low) / 8)))
        print(f"{name}, int, {start}, {low}, {high}, {step}, {arguments.rate:g}")


if __name__ == "__main__":
    main()
