"""How near operations that only move bytes come to a copy of as many bytes on a GPU.

``build FOLDER`` compiles the cases of ``stream_cases.py``, as many at a time as there are cores,
without a GPU. ``run FOLDER`` times each artifact, PyTorch, and a copy on the device of as many
bytes, by turns, each in a CUDA graph, on random tensors. Bytes are those of inputs and results,
each once; the copy reads half of them and writes half.

    python test/benchmarks/streams.py build /tmp/streams
    python test/benchmarks/streams.py run /tmp/streams --json streams.json
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from fnmatch import fnmatch
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

import onnx
from stream_cases import StreamCase, cases

from dlc.compiler import Options, compile_to
from dlc.errors import CompileError

COPY_UNIT = 1 << 20
TURNS, RUNS, LAUNCHES = 5, 4, 4
"""Each contestant is timed so many times in its turn, so many launches at a time."""
_NAMES = ("strategy", "target")
Row = dict[str, Any]


def chosen(given: argparse.Namespace) -> list[StreamCase]:
    """Return the cases whose names fit one of the patterns."""
    patterns = given.cases.split(",")
    return [case for case in cases() if any(fnmatch(case.name, p) for p in patterns)]


def artifact(folder: Path, case: StreamCase) -> Path:
    """Return where the artifact of a case stands."""
    return folder / f"{case.name.replace(' ', '_')}.so"


def build(given: argparse.Namespace) -> None:
    """Compile all cases."""
    given.folder.mkdir(parents=True, exist_ok=True)
    start, todo = time.monotonic(), [case.name for case in chosen(given)]
    cores = len(os.sched_getaffinity(0))
    with ProcessPoolExecutor(cores) as pool:
        work = [given.folder] * len(todo), [given.target] * len(todo)
        errors = list(pool.map(_build, todo, *work))
    for name, error in zip(todo, errors, strict=True):
        if error:
            print(f"{name}: {error}")
    print(f"{len(todo)} cases in {time.monotonic() - start:.0f} s", flush=True)


def _build(name: str, folder: Path, target: str) -> str:
    """Compile the case of a name; return what is wrong."""
    case = next(case for case in cases() if case.name == name)
    path = artifact(folder, case)
    model = path.with_suffix(".onnx")
    onnx.save(case.model(), model)
    precision = next(iter(case.inputs.values()))[0]
    try:
        compile_to(path, model, Options(target, precision, verify=False, jobs=1))
    except CompileError as error:
        return str(error)
    finally:
        model.unlink()
    return ""


def run(given: argparse.Namespace) -> None:
    """Time all cases whose artifacts are there, and print a line for each."""
    import torch  # pyright: ignore[reportMissingImports]  (optional)

    torch.manual_seed(0)
    start, rows = time.monotonic(), list[Row]()
    print(torch.cuda.get_device_name())
    heads = ("us", "GB/s", "% copy", "est/us", "torch", "differs", "launches")
    print(f"{'':46}", *(f"{head:>8}" for head in heads))
    for case in chosen(given):
        path = artifact(given.folder, case)
        if not path.exists():
            continue
        if time.monotonic() - start > given.seconds:
            print(f"out of time before {case.name}")
            break
        try:
            rows.append(_measured(torch, case, path))
        except Exception as error:  # of one case, not of the others
            print(f"{case.name}: {type(error).__name__}: {str(error)[:200]}", flush=True)
            continue
        print(_line(rows[-1]), flush=True)
        if given.json:
            given.json.write_text(json.dumps(rows))
    if rows:
        share = geometric_mean(row["copy_us"] / row["us"] for row in rows)
        print(f"geometric mean of the copy's bandwidth: {share:.2f} of {len(rows)} cases")


def _measured(torch: Any, case: StreamCase, path: Path) -> Row:
    """Return the times of one case in microseconds, and what was chosen."""
    import dlc

    model = dlc.load(path)
    inputs = [random_input(torch, case, *each) for each in case.inputs.values()]
    outputs = [
        torch.empty(tuple(i.shape), dtype=getattr(torch, i.dtype.name), device="cuda")
        for i in model.outputs
    ]
    stream = torch.cuda.Stream()
    read, written = ([x.data_ptr() for x in side] for side in (inputs, outputs))
    constants = [torch.from_numpy(array).cuda() for array in case.constants.values()]
    theirs, result = captured(torch, stream, lambda: case.torch(torch, *inputs, *constants))
    copy = copy_graph(torch, stream, case.bytes)
    runs = {
        "us": lambda: model.enqueue(read, written, stream.cuda_stream),
        "torch_us": theirs.replay,
        "copy_us": copy.replay,
    }
    row: Row = {"name": case.name, "bytes": case.bytes, **_times(torch, stream, runs)}
    variant = model.report["variants"][0]
    row["launches"] = len(model.steps())
    row["differs"] = _difference(outputs[0], result)
    row["estimate_us"] = sum(kernel["bound"]["estimate_us"] for kernel in variant["kernels"])
    row["schedules"] = [kernel["schedule"] for kernel in variant["kernels"]]
    return row


def random_input(torch: Any, case: StreamCase, element: str, shape: Sequence[int]) -> Any:
    """Return a random tensor on the device."""
    if element == "int64":
        return torch.randint(0, case.limit, tuple(shape), device="cuda")
    kind = {"fp16": torch.float16, "fp32": torch.float32}[element]
    return torch.randn(tuple(shape), device="cuda", dtype=kind)


def captured(torch: Any, stream: Any, function: Callable[[], Any]) -> tuple[Any, Any]:
    """Return a CUDA graph of a function, and what its runs give."""
    with torch.cuda.stream(stream), torch.no_grad():
        function()
        stream.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            result = function()
    return graph, result


def _times(torch: Any, stream: Any, runs: dict[str, Callable[[], None]]) -> dict[str, float]:
    taken: dict[str, list[float]] = {name: [] for name in runs}
    with torch.cuda.stream(stream):
        for turn in range(TURNS + 1):
            for name, function in runs.items():
                found = [timed(torch, stream, function) for _ in range(RUNS)]
                taken[name] += found if turn else []  # the first turn is for warming up
    return {name: round(median(found), 3) for name, found in taken.items()}


def copy_graph(torch: Any, stream: Any, bytes: int) -> Any:
    """Return the CUDA graph of a copy that reads and writes so many bytes together, up to what is
    left of whole pages.
    """
    size = round(bytes / 2 / COPY_UNIT) * COPY_UNIT
    half = torch.randint(0, 256, (size,), dtype=torch.uint8, device="cuda")
    return captured(torch, stream, lambda: half.clone())[0]


def timed(torch: Any, stream: Any, function: Callable[[], None]) -> float:
    """Return the microseconds of a run, warm."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    function()
    start.record(stream)
    for _ in range(LAUNCHES):
        function()
    end.record(stream)
    end.synchronize()
    return 1e3 * start.elapsed_time(end) / LAUNCHES


def _difference(ours: Any, theirs: Any) -> float:
    """Return the largest difference as a share of the largest; of places, the share that differs:
    two equal maxima have no order.
    """
    if not theirs.dtype.is_floating_point:
        return float((ours != theirs).float().mean())
    a, b = ours.float(), theirs.float()
    return float((a - b).abs().max() / b.abs().max())


def _line(row: Row) -> str:
    us = row["us"]
    schedule = "; ".join(map(_text, row["schedules"]))
    return (
        f"{row['name']:46} {us:8.1f} {row['bytes'] / us * 1e-3:8.0f} "
        f"{100 * row['copy_us'] / us:8.1f} {row['estimate_us'] / us:8.2f} {row['torch_us']:8.1f} "
        f"{row['differs']:8.1e} {row['launches']:8} {schedule}"
    )


def _text(schedule: Row) -> str:
    keys = [
        f"{key}={value}" for key, value in schedule.items() if key not in ("strategy", "target")
    ]
    return " ".join([schedule["strategy"], *sorted(keys)])


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("what", choices=("build", "run"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cases", default="*", help="patterns of names, with commas between them")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--seconds", type=float, default=600, help="begin nothing new after these")
    given = parser.parse_args()
    {"build": build, "run": run}[given.what](given)
    return 0


if __name__ == "__main__":
    sys.exit(main())
