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
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import onnx
from artifacts import Artifact, make
from gpu import Gpu, Launches, open_gpu
from stream_cases import StreamCase, cases

from dlc.runtime.model import Model

COPY_UNIT = 1 << 20
LAUNCHES = 4
"""So many are timed together."""
Row = dict[str, Any]


def chosen(given: argparse.Namespace) -> list[StreamCase]:
    """Return the cases whose names fit one of the patterns; where none does, the command ends."""
    patterns = given.cases.split(",")
    fitting = [case for case in cases() if any(fnmatch(case.name, p) for p in patterns)]
    if not fitting:
        names = ", ".join(dict.fromkeys(case.name.split()[0] for case in cases()))
        raise SystemExit(f"error: no case fits {given.cases!r}; they begin with {names}")
    return fitting


def case_named(name: str) -> StreamCase:
    """Return the case of a name."""
    return next(case for case in cases() if case.name == name)


def artifact_path(folder: Path, case: StreamCase) -> Path:
    """Return where the artifact of a case stands."""
    return folder / f"{case.name.replace(' ', '_')}.so"


@dataclass(frozen=True)
class Export:
    """Writes the model of the case of a name: the functions of a case go to no other process."""

    name: str

    def __call__(self, path: Path) -> None:
        onnx.save(case_named(self.name).model(), path)


def build(given: argparse.Namespace) -> bool:
    """Compile all cases; return whether all do."""
    given.folder.mkdir(parents=True, exist_ok=True)
    start, todo = time.monotonic(), chosen(given)
    errors = make([_artifact(given.folder, case, given.target) for case in todo])
    for case, error in zip(todo, errors, strict=True):
        if error:
            print(f"{case.name}: {error}")
    print(f"{len(todo)} cases in {time.monotonic() - start:.0f} s", flush=True)
    return not any(errors)


def _artifact(folder: Path, case: StreamCase, target: str) -> Artifact:
    return Artifact(artifact_path(folder, case), Export(case.name), target, case.precision)


def run(given: argparse.Namespace) -> bool:
    """Time all cases whose artifacts are there, and print a line for each; return whether all were
    timed.
    """
    with open_gpu() as gpu:
        gpu.torch.manual_seed(0)
        print(gpu.torch.cuda.get_device_name())
        return _run(given, gpu)


def _run(given: argparse.Namespace, gpu: Gpu) -> bool:
    start, rows = time.monotonic(), list[Row]()
    heads = ("us", "GB/s", "% copy", "est/us", "torch", "differs", "launches")
    print(f"{'':46}", *(f"{head:>8}" for head in heads))
    for case in chosen(given):
        path = artifact_path(given.folder, case)
        if not path.exists():
            print(f"{case.name}: not built")
            continue
        if time.monotonic() - start > given.seconds:
            print(f"out of time before {case.name}")
            break
        try:
            rows.append(_measured(gpu, case, path))
        except Exception as error:  # of one case, not of the others
            print(f"{case.name}: {type(error).__name__}: {str(error)[:200]}", flush=True)
            continue
        print(_line(rows[-1]), flush=True)
        if given.json:
            given.json.write_text(json.dumps(rows))
    if rows:
        share = geometric_mean(row["copy_us"] / row["us"] for row in rows)
        print(f"geometric mean of the copy's bandwidth: {share:.2f} of {len(rows)} cases")
    return len(rows) == len(chosen(given))


def _measured(gpu: Gpu, case: StreamCase, path: Path) -> Row:
    """Return the times of one case in microseconds, and what was chosen."""
    torch, model = gpu.torch, Model(path)
    inputs = [random_input(torch, case, *each) for each in case.inputs.values()]
    constants = [torch.from_numpy(array).cuda() for array in case.constants.values()]
    runs = {
        "us": ours(gpu, model, inputs),
        "torch_us": gpu.captured([lambda: case.torch(torch, *inputs, *constants)]),
        "copy_us": copy(gpu, case.bytes),
    }
    times = gpu.by_turns({name: each.repeated(LAUNCHES) for name, each in runs.items()})
    row: Row = {"name": case.name, "bytes": case.bytes, **times}
    variant = model.report["variants"][0]
    row["launches"] = len(model.steps())
    row["differs"] = _difference(runs["us"].result, runs["torch_us"].result)
    row["estimate_us"] = sum(kernel["bound"]["estimate_us"] for kernel in variant["kernels"])
    row["schedules"] = [kernel["schedule"] for kernel in variant["kernels"]]
    return row


def random_input(torch: Any, case: StreamCase, element: str, shape: Sequence[int]) -> Any:
    """Return a random tensor on the device."""
    if element == "int64":
        return torch.randint(0, case.limit, tuple(shape), device="cuda")
    kind = {"fp16": torch.float16, "fp32": torch.float32}[element]
    return torch.randn(tuple(shape), device="cuda", dtype=kind)


def ours(gpu: Gpu, model: Model, inputs: Sequence[Any]) -> Launches:
    """Return a run of a model, and its first result."""
    outputs = gpu.empty(model)
    read, written = ([x.data_ptr() for x in side] for side in (inputs, outputs))
    return Launches(
        lambda: model.enqueue(read, written, gpu.stream), 1, outputs[0], (inputs, outputs)
    )


def copy(gpu: Gpu, bytes: int) -> Launches:
    """Return a copy that reads and writes so many bytes together, up to what is left of whole
    pages.
    """
    torch, size = gpu.torch, round(bytes / 2 / COPY_UNIT) * COPY_UNIT
    half = torch.randint(0, 256, (size,), dtype=torch.uint8, device="cuda")
    return gpu.captured([half.clone])


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
    return 0 if {"build": build, "run": run}[given.what](given) else 1


if __name__ == "__main__":
    sys.exit(main())
