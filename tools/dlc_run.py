"""``dlc-run``: runs a compiled model on arrays of a file or on random ones, and times it.

Exit code 0: done. 1: the artifact or an input is at fault, and standard error says why. 2: a wrong
command line.
"""

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dlc import __version__
from dlc.runtime.model import Model, load
from dlc.tools._command import SUCCESS, natural, run_command
from dlc.tools._npz import Arrays, read_arrays, write_arrays

WARM_UP_SECONDS, BENCH_SECONDS = 0.2, 2.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``dlc-run`` and return its exit code."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.outputs and not _runs(given):
        parser.error("argument --outputs: nothing is run without --inputs, --random or --bench")
    return run_command("dlc-run", lambda: _run(given))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "dlc-run", description="Run a compiled model.", allow_abbrev=False
    )
    add = parser.add_argument
    add("model", type=Path, help="model.so")
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--inputs", type=Path, metavar="IN.NPZ", help="the inputs, by name")
    source.add_argument("--random", action="store_true", help="random inputs")
    add("--seed", type=natural, metavar="N", default=0, help="of the random inputs")
    add("--outputs", type=Path, metavar="OUT.NPZ", help="write the outputs, by name")
    add("--bench", action="store_true", help="time runs for about two seconds")
    add("--device", type=natural, metavar="N", default=0, help="the number of the GPU")
    add("--json", action="store_true", help="print the result as JSON")
    add("--version", action="version", version=f"dlc {__version__}")
    return parser


def _runs(given: argparse.Namespace) -> bool:
    return bool(given.inputs or given.random or given.bench)


def _run(given: argparse.Namespace) -> int:
    model = load(given.model, given.device)
    if not _runs(given):
        _print({"inputs": _infos(model.inputs), "outputs": _infos(model.outputs)}, given.json)
        return SUCCESS
    feeds = read_arrays(given.inputs) if given.inputs else random_feeds(model, given.seed)
    results = model.run(feeds)
    if given.outputs:
        write_arrays(given.outputs, results)
    facts: dict[str, Any] = {name: _describe(array) for name, array in results.items()}
    if given.bench:
        milliseconds, runs = bench(model, feeds)
        facts = {"outputs": facts, "milliseconds": milliseconds, "runs": runs}
    _print(facts, given.json)
    return SUCCESS


def random_feeds(model: Model, seed: int) -> Arrays:
    """Return inputs by name: normal floats; integers of 0 and 1, which any index may be."""
    generator = np.random.default_rng(seed)
    return {
        i.name: (
            generator.integers(0, 2, i.shape)
            if i.dtype.kind in "biu"
            else generator.standard_normal(i.shape)
        ).astype(i.dtype)
        for i in model.inputs
    }


def bench(model: Model, feeds: Arrays) -> tuple[dict[str, float], int]:
    """Return the times of runs in milliseconds (half and a tenth are faster than ``median`` and
    ``p10``, a tenth slower than ``p90``), and how many runs there were.
    """
    _times(model, feeds, WARM_UP_SECONDS)
    times = np.array(_times(model, feeds, BENCH_SECONDS)) * 1e3
    low, middle, high = np.percentile(times, [10, 50, 90])
    return {"median": middle, "p10": low, "p90": high}, len(times)


def _times(model: Model, feeds: Arrays, seconds: float) -> list[float]:
    times: list[float] = []
    end = time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        start = time.perf_counter()
        model.run(feeds)
        times.append(time.perf_counter() - start)
    return times


def _infos(tensors: Sequence[Any]) -> dict[str, str]:
    return {i.name: f"{i.dtype}{list(i.shape)}" for i in tensors}


def _describe(array: NDArray[Any]) -> str:
    text = f"{array.dtype}{list(array.shape)}"
    if array.size and array.dtype.kind in "fiu":
        text += f" min {array.min():.4g} max {array.max():.4g} mean {array.mean():.4g}"
    return text


def _print(facts: Mapping[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps(facts))
        return
    for name, value in facts.items():
        if isinstance(value, Mapping):
            print(f"{name}:")
            for key, item in value.items():
                print(f"  {key}: {item:.4g}" if isinstance(item, float) else f"  {key}: {item}")
        else:
            print(f"{name}: {value}")


if __name__ == "__main__":
    sys.exit(main())
