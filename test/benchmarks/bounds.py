"""Measures bounds of whole models, and what dlc and PyTorch take beside them, on GPUs.

A case is ``name:batch:precision`` of a model ``FOLDER/name.onnx`` whose first axis is open
(``python test/zoo FOLDER`` writes some). ``measure`` analyses cases by measured times of each
different layer; processes take turns at a GPU, and nothing that the tuning database knows is
measured again. ``build`` compiles the cases. ``run`` times them, and PyTorch: as it is called, and
as a CUDA graph. Several GPUs of one kind share the cases. ``table`` prints a row for each case,
times in microseconds. ``ratio`` is the time of the fastest bound of the libraries by that of dlc.

    python test/benchmarks/bounds.py measure /tmp/zoo lenet:1:fp16 --seconds 300
    python test/benchmarks/bounds.py build /tmp/zoo lenet:1:fp16
    python test/benchmarks/bounds.py run /tmp/zoo lenet:1:fp16
    python test/benchmarks/bounds.py table /tmp/zoo lenet:1:fp16
"""

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import pairwise
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from statistics import geometric_mean
from typing import Any, NamedTuple, TypeVar

import numpy as np
from gpu import Gpu, Launches, open_gpu

import dlc
from dlc.analyze import analyze
from dlc.compiler.driver import compile_to
from dlc.compiler.options import Options
from dlc.runtime.device_feeds import DeviceFeeds
from dlc.runtime.gpu_driver import Driver
from dlc.runtime.random_inputs import random_feeds

TARGET = "sm_90a"
LIBRARIES = ("cublaslt", "cudnn")
TOLERANCE = {"fp16": 5e-2, "fp32": 1e-3}
"""Of the largest output, between dlc and PyTorch."""
_HEADS = {
    "hardware_us": "hardware",
    "joined_parallel_us": "libraries, joined",
    "library_sequential_us": "libraries, by layer",
    "dlc": "dlc",
    "eager": "PyTorch",
    "graph": "PyTorch, CUDA graph",
    "ratio": "ratio",
    "measured": "measured",
    "fault": "out of order",
}
"""Columns, by what a row has: microseconds, but for the last three."""
_ORDER = ("hardware_us", "joined_parallel_us", "eager")
_FEW = 1000
_TORCH = {"fp16": "float16", "fp32": "float32"}
Row = dict[str, Any]
T = TypeVar("T")


class Case(NamedTuple):
    """A model, the first size of its inputs, and its precision."""

    name: str
    batch: int
    precision: str

    @classmethod
    def read(cls, text: str) -> "Case":
        """Return the case of ``name:batch:precision``."""
        name, batch, precision = text.split(":")
        return cls(name, int(batch), precision)

    def place(self, folder: Path, ending: str) -> Path:
        """Return a file of the case."""
        return folder / f"{self.name}_{self.batch}_{self.precision}{ending}"

    def __str__(self) -> str:
        return f"{self.name}:{self.batch}:{self.precision}"


def measure(
    folder: Path, cases: Sequence[Case], jobs: int, gpus: int, builders: int, seconds: float
) -> bool:
    """Analyse cases within some seconds; return whether all kernels have a time.

    jobs: cases at a time. builders: of kernels of each case at a time.
    """
    one = partial(_measured, folder, builders, time.time() + seconds)
    rows = [_told(row) for row in _shared(one, cases, jobs, gpus)]
    return not any(row["error"] for row in rows)


def _shared(one: Callable[[Case], T], cases: Sequence[Case], jobs: int, gpus: int) -> Iterator[T]:
    """Yield what comes of cases, so many at a time, each on one of some GPUs."""
    spawn = multiprocessing.get_context("spawn")
    with spawn.Pool(jobs, _take_gpu, [spawn.Value("i"), gpus]) as pool:
        yield from pool.imap_unordered(one, cases, chunksize=1)


def _take_gpu(started: "Synchronized[int]", gpus: int) -> None:
    """Let a process see one GPU, the next one sees the next. started: how many have."""
    with started.get_lock():
        number, started.value = started.value, started.value + 1
    os.environ["CUDA_VISIBLE_DEVICES"] = str(number % gpus)


def _measured(folder: Path, builders: int, end: float, case: Case) -> Row:
    start = time.time()
    try:
        seconds = max(0.0, end - start)
        options = Options(TARGET, case.precision, tune=seconds, libraries=LIBRARIES, jobs=builders)
        report = analyze(folder / f"{case.name}.onnx", options, [case.batch])
    except Exception as fault:  # of one case, not of the others
        return {"case": str(case), "error": f"{type(fault).__name__}: {str(fault)[:300]}"}
    case.place(folder, ".json").write_text(json.dumps(report))
    said = [report["note"], *report["remarks"]]
    return {"case": str(case), "error": "", "s": round(time.time() - start, 1), "said": said}


def _told(row: Row) -> Row:
    print(*row.values(), flush=True)
    return row


def build(folder: Path, cases: Sequence[Case], jobs: int) -> bool:
    """Compile cases; return whether all were."""
    return all([*_shared(partial(_built, folder), cases, jobs, 1)])


def _built(folder: Path, case: Case) -> bool:
    try:
        source = folder / f"{case.name}.onnx"
        shapes = {"N": case.batch}
        options = Options(TARGET, case.precision, shapes=shapes, verify=False, jobs=1)
        compile_to(case.place(folder, ".so"), source, options)
    except Exception as fault:  # of one case, not of the others
        print(f"{case}: {type(fault).__name__}: {str(fault)[:200]}", flush=True)
        return False
    return True


def run(folder: Path, cases: Sequence[Case], gpus: int) -> bool:
    """Time what was built, and PyTorch; return whether their results agree."""
    built = [case for case in cases if case.place(folder, ".so").exists()]
    return all([*_shared(partial(_ran, folder), built, gpus, gpus)])


def _ran(folder: Path, case: Case) -> bool:
    try:
        with open_gpu() as gpu:
            row = _timed(gpu, folder, case)
            gpu.torch.cuda.empty_cache()
    except Exception as fault:  # of one case, not of the others
        print(f"{case}: {type(fault).__name__}: {str(fault)[:200]}", flush=True)
        return False
    case.place(folder, ".us.json").write_text(json.dumps(row))
    print(case, row, flush=True)
    return row["error"] <= TOLERANCE[case.precision]


def _timed(gpu: Gpu, folder: Path, case: Case) -> Row:
    from onnx_in_torch import load

    torch = gpu.torch
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    model = dlc.load(case.place(folder, ".so"))
    feeds = random_feeds(model)
    dtype = getattr(torch, _TORCH[case.precision])
    module = load(folder / f"{case.name}.onnx", dtype, "cuda")
    given = [torch.from_numpy(feeds[i.name]).cuda() for i in model.inputs]
    with ExitStack() as kept:
        memory = kept.enter_context(DeviceFeeds.of(Driver(), model, feeds))
        runs = partial(model.enqueue, memory.inputs, memory.outputs, gpu.stream)
        runs()
        found = memory.results()
        wanted = [x.float().cpu().numpy() for x in module(given)]
        graph = gpu.captured([lambda: module(given)])
        us = gpu.by_turns({"dlc": Launches(runs), "graph": graph})
        us |= gpu.by_turns({"eager": Launches(lambda: module(given))})
    pairs = zip(found, wanted, strict=True)
    error = max(float(np.abs(x - y).max() / max(np.abs(y).max(), 1e-9)) for x, y in pairs)
    return {"us": us, "error": error, "launches": len(model.steps())}


def table(folder: Path, cases: Sequence[Case]) -> bool:
    """Print a row of Markdown for each case that was analysed; return whether bounds are in order:
    hardware, libraries, PyTorch.
    """
    print("| case |", " | ".join(_HEADS.values()), "|")
    print("|---|" + "---|" * len(_HEADS))
    found = [_row(folder, case) for case in cases if case.place(folder, ".json").exists()]
    for row in found:
        print(f"| {row['case']} |", " | ".join(_text(row.get(key)) for key in _HEADS), "|")
    if ratios := [row["ratio"] for row in found if "ratio" in row]:
        print(f"ratio {geometric_mean(ratios):.2f}, least {min(ratios):.2f}, of {len(ratios)}")
    return not any(row["fault"] for row in found)


def _text(value: float | str | None) -> str:
    if isinstance(value, float):
        return f"{value:.3g}" if value < _FEW else f"{value:,.0f}"
    return value if isinstance(value, str) else ""


def _row(folder: Path, case: Case) -> Row:
    report = json.loads(case.place(folder, ".json").read_text())
    timed = case.place(folder, ".us.json")
    us = json.loads(timed.read_text())["us"] if timed.exists() else {}
    row: Row = {"case": f"{case.name}, {case.batch}, {case.precision}", **report["bounds"], **us}
    order = [(name, row[name]) for name in _ORDER if name in row]
    falls = [f"{_HEADS[a]} > {_HEADS[b]}" for (a, x), (b, y) in pairwise(order) if x > y]
    row["measured"] = report["note"].split(" different")[0]
    row["fault"] = ", ".join(falls)
    return row | ({"ratio": row["joined_parallel_us"] / row["dlc"]} if us else {})


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("command", choices=("measure", "build", "run", "table"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("cases", nargs="+", type=Case.read, help="name:batch:precision")
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--gpus", type=int, default=1)
    parser.add_argument("--builders", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=900.0)
    given = parser.parse_args()
    of = given.folder, given.cases
    commands = {
        "measure": lambda: measure(*of, given.jobs, given.gpus, given.builders, given.seconds),
        "build": lambda: build(*of, given.jobs),
        "run": lambda: run(*of, given.gpus),
        "table": lambda: table(*of),
    }
    return 0 if commands[given.command]() else 1


if __name__ == "__main__":
    sys.exit(main())
