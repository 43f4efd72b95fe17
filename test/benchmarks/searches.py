"""Prints what each search finds on models, and the process seconds that it takes.

A model is a process of its own. Of each search: the microseconds of all kernels by the model of the
chip, for the first one, and the part of these for the others; the process seconds of the pass
``fuse``, for the first one with the loading of strategies. Between two searches all plans are
forgotten. Needs no GPU.

    python test/benchmarks/searches.py resnet50.onnx bert.onnx --target sm_90a --precision fp16
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import geometric_mean
from tempfile import TemporaryDirectory
from typing import Any

SEARCHES = ("greedy", "beam", "dp", "evolve")
Row = dict[str, Any]


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("models", nargs="+", type=Path)
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--precision", default="fp16")
    parser.add_argument("--searches", default="greedy,beam,dp")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    names = given.searches.split(",")
    if given.child:
        print(json.dumps(searched(given.child, given.target, names)))
        return 0
    rows = [row(model, given) for model in given.models]
    means = [geometric_mean(r["us"][n] / r["us"][names[0]] for r in rows) for n in names[1:]]
    seconds = [sum(r["s"][n] for r in rows) for n in names]
    print("| all |", *(f"{x:.4f} |" for x in means), *(f"{x:.0f} |" for x in seconds))
    return 0


def row(model: Path, given: argparse.Namespace) -> Row:
    """Print the line of a model, and return it; raises RuntimeError where it cannot be searched."""
    with TemporaryDirectory() as folder:
        graph = Path(folder, "graph.mlir")
        options = ["--target", given.target, "--precision", given.precision, "--emit", "graph"]
        _python(["-m", "dlc.tools.dlc_compile", str(model), *options, "-o", str(graph)])
        own = [str(Path(__file__)), str(model), "--target", given.target, "--child", str(graph)]
        found: Row = json.loads(_python([*own, "--searches", given.searches]))
    us, s = found["us"], found["s"]
    first, *others = us.values()
    parts = " | ".join([f"{first:.2f}", *(f"{x / first:.4f}" for x in others)])
    seconds = " | ".join(f"{x:.1f}" for x in s.values())
    name = model.parent.name if model.stem == "model" else model.stem
    print(f"| {name} | {found['operations']} | {parts} | {seconds} |", flush=True)
    return found


def _python(arguments: Sequence[str]) -> str:
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[-500:])
    return done.stdout


def searched(graph: Path, target: str, names: Sequence[str]) -> Row:
    """Return the operations of a graph, and of each search microseconds and process seconds."""
    from dlc import registry
    from dlc.core.parser import parse_module
    from dlc.dialects.fused_group import GroupOp
    from dlc.dialects.graph.computed import ComputedOp
    from dlc.plan import forget

    text, row = graph.read_text(), Row(us={}, s={})
    for name in names:
        context = registry.new_context()
        module = parse_module(text, context)
        row["operations"] = sum(isinstance(op, ComputedOp) for op in module.walk())
        forget()
        start = time.process_time()
        registry.build_passes(f"fuse{{arch={target} search={name}}}")[0].apply(context, module)
        row["s"][name] = time.process_time() - start
        groups = (op for op in module.walk() if isinstance(op, GroupOp))
        row["us"][name] = sum(op.expected_us or 0.0 for op in groups)
    return row


if __name__ == "__main__":
    sys.exit(main())
