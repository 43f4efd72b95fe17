"""``python test/zoo OUT [NAME ...]``: write the models of Benanza's paper as ONNX files.

It needs onnx and numpy only. ``python test/zoo --table`` prints the table of docs/analyze.md.
"""

import argparse
import sys
from pathlib import Path

import onnx

sys.path.insert(0, str(Path(__file__).resolve().parent))

from model_table import table
from paper_models import MODELS


def main() -> int:
    """Write the models, or print the table; return the exit code."""
    names = [each.name for each in MODELS]
    parser = argparse.ArgumentParser("python test/zoo", description="; ".join(names))
    parser.add_argument("out", nargs="?", type=Path, help="the folder of the files")
    parser.add_argument("names", nargs="*", metavar="NAME", help="these models; default: all")
    parser.add_argument("--table", action="store_true", help="print the table of the models")
    given = parser.parse_args()
    if given.table:
        print(table())
        return 0
    if given.out is None:
        parser.error("which folder?")
    if unknown := {*given.names} - {*names}:
        parser.error(f"no model {sorted(unknown)}")
    if str(given.out) in names:
        parser.error(f"{given.out} is a model; which folder comes first?")
    given.out.mkdir(parents=True, exist_ok=True)
    for each in MODELS:
        if each.name in given.names or not given.names:
            path = given.out / f"{each.name}.onnx"
            onnx.save(each.build(), path)
            print(f"{path}: {path.stat().st_size} bytes", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
