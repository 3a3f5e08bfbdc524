#!/usr/bin/env python3
"""Winning rates of the network of miniosl (BSD-2) for positions of `raicho rescore --positions`.

    python3 -m venv scratch/miniosl
    scratch/miniosl/bin/pip install miniosl==0.1.6 onnxruntime numpy     # 0.1.9 from Python 3.12 on
    raicho rescore games.psv --positions --out positions.tsv
    scratch/miniosl/bin/python nets/miniosl_scores.py positions.tsv scores.tsv
    raicho rescore games.psv --scores scores.tsv --out scored.psv

Run again with the same files, it goes on after the last whole line of an interrupted run.
"""

import argparse
import importlib.util
import pathlib
import time

import minioslcc as osl
import numpy as np
import onnxruntime

HEADER = "key\twin_rate\n"


def network(threads):
    """The session of the network inside the package, which need not be imported (it wants torch)."""
    folder = pathlib.Path(importlib.util.find_spec("miniosl").submodule_search_locations[0])
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(str(folder / "pretrained" / "eval.onnx"), options)


def whole_lines(path):
    """The number of lines of a file after cutting off one that was not finished; 0 without a file."""
    if not path.exists():
        return 0
    text = path.read_bytes()
    end = text.rfind(b"\n") + 1
    if end < len(text):
        with path.open("r+b") as file:
            file.truncate(end)
    return text.count(b"\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("positions", type=pathlib.Path, help="lines of a key and an SFEN")
    parser.add_argument("scores", type=pathlib.Path, help="file to write")
    parser.add_argument("--batch", type=int, default=256, help="positions at a time")
    parser.add_argument("--threads", type=int, default=1, help="threads of the network")
    arguments = parser.parse_args()
    session = network(arguments.threads)
    done = whole_lines(arguments.scores)
    begun, count = time.time(), 0
    with arguments.positions.open() as lines, arguments.scores.open("a") as out:
        if next(lines, "") != "key\tsfen\n":
            parser.error(f"{arguments.positions}: expected the header 'key sfen', separated by a tab")
        if done == 0:
            out.write(HEADER)
            done = 1
        for _ in range(done - 1):
            next(lines, None)
        while True:
            rows = [line.rstrip("\n").split("\t") for line, _ in zip(lines, range(arguments.batch))]
            if not rows:
                break
            inputs = np.stack([
                osl.usi_state("sfen " + sfen).export_features(osl.MoveVector()).reshape(-1, 9, 9)
                for _, sfen in rows
            ]).astype(np.float32)
            (values,) = session.run(["value"], {"input": inputs})
            for (key, _), value in zip(rows, values[:, 0]):
                out.write(f"{key}\t{min(max(0.5 + 0.5 * float(value), 0.0), 1.0):.5f}\n")
            count += len(rows)
            print(f"\r{done - 1 + count} positions, {count / (time.time() - begun):.0f}/s", end="")
    print()


if __name__ == "__main__":
    main()
