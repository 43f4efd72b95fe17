"""Times whole models by what the compiler may do: fuse, call libraries, both, or neither.

``build FOLDER`` exports models of ``workloads.py`` at their batches, without a GPU, and compiles
each four times. Without fusion, each node of the ONNX model has kernels of its own: one where there
is one, else one for each operation that it means. ``run FOLDER`` runs what was built on random
inputs, compares the results, times the four by turns on a GPU, and prints a line for each model
with times in microseconds.

    python test/benchmarks/ablation.py build /tmp/ablation resnet50:1 bert_base:64
    python test/benchmarks/ablation.py run /tmp/ablation
"""

import argparse
import json
import multiprocessing
import sys
from collections.abc import Sequence
from contextlib import ExitStack, nullcontext
from functools import partial
from math import inf
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import numpy as np
from gpu import Gpu, Launches, open_gpu
from models import WORKLOADS
from unfused import unfused

import dlc
from dlc.benchmark.torch_source import TorchSource
from dlc.compiler.driver import compile_to
from dlc.compiler.options import Options
from dlc.core.weights import Array
from dlc.runtime.device_feeds import DeviceFeeds
from dlc.runtime.gpu_driver import Driver
from dlc.runtime.model import Model
from dlc.runtime.random_inputs import random_feeds

TARGET, PRECISION = "sm_90a", "fp16"
LIBRARIES = ("cublaslt", "cudnn")
VARIANTS = {
    "neither": (False, ()),
    "fusion": (True, ()),
    "libraries": (False, LIBRARIES),
    "both": (True, LIBRARIES),
}
"""Whether operations may share kernels, and who may be called."""
TOLERANCE = 3e-2
"""Of the largest output, between the variants: they round to 11 digits at other places."""
SLOWER = 1.02
"""What is worse by more than this is named."""
Row = dict[str, Any]


def build(folder: Path, cases: Sequence[str], jobs: int) -> bool:
    """Compile all variants of cases; return whether all were."""
    folder.mkdir(parents=True, exist_ok=True)
    spawn = multiprocessing.get_context("spawn")
    with spawn.Pool(jobs, maxtasksperchild=1) as pool:
        exported = pool.imap(partial(_export, folder), cases, chunksize=1)
        work = [(folder, case, name) for case in exported for name in VARIANTS]
        rows = pool.starmap(_compile, work, chunksize=1)
    (folder / "made.json").write_text(json.dumps(rows))
    return not any(row["error"] for row in rows)


def _export(folder: Path, case: str) -> str:
    name, _, batch = case.rpartition(":")
    place = folder / case.replace(":", "_")
    place.mkdir(exist_ok=True)
    TorchSource(f"{WORKLOADS}:{name}").export(int(batch), place)
    return case


def _compile(folder: Path, case: str, variant: str) -> Row:
    place = folder / case.replace(":", "_")
    fuses, libraries = VARIANTS[variant]
    error = ""
    try:
        options = Options(TARGET, PRECISION, libraries=libraries, verify=False, jobs=1)
        with nullcontext() if fuses else unfused():
            compile_to(place / f"{variant}.so", place / "model.onnx", options)
    except Exception as fault:  # of one variant, not of the others
        error = f"{type(fault).__name__}: {str(fault)[:200]}"
        print(f"{case} {variant}: {error}", flush=True)
    return {"case": case, "variant": variant, "error": error}


def run(folder: Path) -> bool:
    """Check and time what was built; return whether the results of all variants agree."""
    made = [row for row in json.loads((folder / "made.json").read_text()) if not row["error"]]
    rows: list[Row] = []
    with open_gpu() as gpu:
        for case in dict.fromkeys(row["case"] for row in made):
            names = [row["variant"] for row in made if row["case"] == case]
            rows.append(_timed(gpu, folder, case, names))
            gpu.torch.cuda.empty_cache()
            (folder / "times.json").write_text(json.dumps(rows, indent=1))
    _print_means(rows)
    return all(row["right"] for row in rows)


def _timed(gpu: Gpu, folder: Path, case: str, names: Sequence[str]) -> Row:
    place = folder / case.replace(":", "_")
    models = {name: dlc.load(place / f"{name}.so") for name in names}
    feeds = random_feeds(models[names[0]])
    results: dict[str, Sequence[Array]] = {}
    launches: dict[str, Launches] = {}
    with ExitStack() as kept:
        for name, model in models.items():
            memory = kept.enter_context(DeviceFeeds.of(Driver(), model, feeds))
            runs = partial(model.enqueue, memory.inputs, memory.outputs, gpu.stream)
            runs()
            results[name] = memory.results()
            launches[name] = Launches(runs)
        us = gpu.by_turns(launches)
    errors = {name: _difference(found, results[names[0]]) for name, found in results.items()}
    row: Row = {"case": case, "us": us, "errors": errors}
    row["right"] = max(errors.values()) <= TOLERANCE
    row["launches"] = {name: len(model.steps()) for name, model in models.items()}
    row["calls"] = {name: _calls(model) for name, model in models.items()}
    row["libraries"] = {name: model.report.get("libraries") for name, model in models.items()}
    print(_line(row), flush=True)
    return row


def _difference(found: Sequence[Array], first: Sequence[Array]) -> float:
    """Return how far results are apart, as a part of the largest number."""
    pairs = [
        (x.astype(np.float64), y.astype(np.float64)) for x, y in zip(found, first, strict=True)
    ]
    return max(float(np.abs(x - y).max() / max(np.abs(y).max(), 1e-9)) for x, y in pairs)


def _calls(model: Model) -> int:
    """Return how many kernels a library may compute."""
    kernels = model.report["variants"][0]["kernels"]
    return sum("library" in str(kernel.get("schedule")) for kernel in kernels)


def _line(row: Row) -> str:
    """Return the line of a model."""
    us, launches, calls = row["us"], row["launches"], row["calls"]
    columns = [f"{name} {us[name]:9.1f} ({launches[name]}, {calls[name]})" for name in us]
    best = min(us.values())
    late = "" if us.get("both", inf) <= SLOWER * best else "  LATE"
    return f"{row['case']:18} {'  '.join(columns)}{late}{'' if row['right'] else '  WRONG'}"


def _print_means(rows: Sequence[Row]) -> None:
    for name in VARIANTS:
        ratios = [x["us"][name] / x["us"]["both"] for x in rows if {name, "both"} <= {*x["us"]}]
        if ratios:
            mean = geometric_mean(ratios)
            print(f"{name} takes {mean:.3f} of the time of both, of {len(ratios)} models")


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("command", choices=("build", "run"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("cases", nargs="*", help="name:batch")
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    given = parser.parse_args()
    if given.command == "run":
        return 0 if run(given.folder) else 1
    return 0 if build(given.folder, given.cases, given.jobs) else 1


if __name__ == "__main__":
    sys.exit(main())
