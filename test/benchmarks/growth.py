"""Compiles models of more and more nodes, and prints how time and memory grow.

One line for each model: launches, user seconds (of all processes) and how many times those of the
line before, the peak of memory, and the steps that take longest. Each compile is a process of its
own, with an empty cache.

    python test/benchmarks/growth.py chain residual fan_out --nodes 5000,10000,20000
    python test/benchmarks/growth.py concatenation --nodes 125,250,500 --verify quick
    python test/benchmarks/growth.py lstm --nodes 500 --profile build/lstm.pstats
"""

import argparse
import cProfile
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

import growing_models
import onnx

from dlc.compiler import Options, compile_to
from dlc.compiler.options import VERIFICATIONS

SHAPES = ("concatenation", "chain", "residual", "fan_out", "hub", "lstm")
ROW = "{:14} {:>6} {:>8} {:>7} {:>6} {:>8}  {}"
HEAD = ("model", "nodes", "launches", "user s", "times", "MB", "user s of steps")
STEPS = 6


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("shapes", nargs="+", choices=SHAPES)
    parser.add_argument("--nodes", type=_numbers, default="2500,5000,10000")
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--verify", choices=VERIFICATIONS, default="off")
    parser.add_argument("--profile", type=Path, help="write the profile of the last compile")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        print(json.dumps(compiled(given.shapes[0], given.nodes[0], given)))
        return 0
    print(ROW.format(*HEAD))
    for shape in given.shapes:
        before = None
        for nodes in given.nodes:
            before = row(shape, nodes, before)
    return 0


def _numbers(text: str) -> list[int]:
    return [int(word) for word in text.split(",")]


def row(shape: str, nodes: int, before: float | None) -> float:
    """Print a line; return its user seconds. before: those of the line above."""
    options = [x for x in sys.argv[1:] if x not in SHAPES]
    command = [sys.executable, __file__, *options, shape, "--nodes", str(nodes), "--child"]
    with TemporaryDirectory() as cache:
        environment = {**os.environ, "DLC_CACHE_DIR": cache}
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    found = json.loads(done.stdout)
    longest = sorted(found["steps"].items(), key=lambda step: -step[1])[:STEPS]
    steps = ", ".join(f"{name} {seconds:.1f}" for name, seconds in longest)
    user = found["user_s"]
    times = f"{user / before:.2f}" if before else ""
    figures = (shape, nodes, found["launches"], f"{user:.1f}", times, round(found["mb"]), steps)
    print(ROW.format(*figures), flush=True)
    return user


def compiled(shape: str, nodes: int, given: argparse.Namespace) -> dict[str, object]:
    """Compile a model and return what it took."""
    profile = cProfile.Profile(time.process_time) if given.profile else None
    with TemporaryDirectory() as folder:
        source = Path(folder, "model.onnx")
        onnx.save(getattr(growing_models, shape)(nodes), source)
        start = user_seconds()
        with mock.patch.object(time, "perf_counter", user_seconds):  # Timing's clock
            if profile:
                profile.enable()
            options = Options(given.target, verify=given.verify)
            outcome = compile_to(Path(folder, "model.so"), source, options)
        if profile:
            profile.disable()
            profile.dump_stats(given.profile)
    (variant,) = outcome.report["variants"]
    return {
        "launches": variant["launches"],
        "user_s": user_seconds() - start,
        "mb": max(resource.getrusage(who).ru_maxrss / 1024 for who in PROCESSES),
        "steps": dict(outcome.seconds),
    }


PROCESSES: Sequence[int] = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)


def user_seconds() -> float:
    """Return the seconds that this process and those it waited for have computed."""
    return sum(resource.getrusage(who).ru_utime for who in PROCESSES)


if __name__ == "__main__":
    sys.exit(main())
