"""How fast attention in fp16 is beside PyTorch's scaled_dot_product_attention on a GPU.

``build FOLDER`` compiles the cases, as many at a time as there are cores, without a GPU.
``run FOLDER`` times each artifact and each of PyTorch's backends that takes the case, by turns,
each in a CUDA graph of several launches, on random tensors ``[batch, heads, length, size]``.

    python test/benchmarks/attention.py build /tmp/attention
    python test/benchmarks/attention.py run /tmp/attention --json attention.json
"""

import argparse
import importlib
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import onnx
from artifacts import Artifact, make
from gpu import Gpu, open_gpu
from onnx import TensorProto, helper

from dlc.runtime.model import Model

OPSET, IR_VERSION = 23, 10
SIZES = (64, 128)
LENGTHS = {
    128: ((64, 12), (16, 12), (1, 16)),
    197: ((64, 12), (1, 12)),
    512: ((16, 12), (1, 16)),
    1024: ((4, 16), (1, 16)),
    2048: ((2, 16),),
    4096: ((1, 16), (4, 16)),
}
"""Batches and heads of each length."""
BACKENDS = ("FLASH_ATTENTION", "CUDNN_ATTENTION", "EFFICIENT_ATTENTION")
GRAPH_US, MOST_LAUNCHES = 100.0, 20
"""What a graph takes at least, and the launches that it has at most."""
Row = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """``length`` queries and as many keys of ``size`` elements, of each head of a batch."""

    batch: int
    heads: int
    length: int
    size: int
    causal: bool

    @property
    def name(self) -> str:
        """What the case is called."""
        after = "_causal" if self.causal else ""
        return f"{self.batch}x{self.heads}_s{self.length}_d{self.size}{after}"

    @property
    def shape(self) -> tuple[int, ...]:
        """That of queries, keys, values and results."""
        return self.batch, self.heads, self.length, self.size

    @property
    def flops(self) -> float:
        """The operations of both products, of pairs that are not hidden."""
        pairs = self.length * (self.length + 1) / 2 if self.causal else self.length**2
        return 4.0 * self.batch * self.heads * pairs * self.size

    def __call__(self, path: Path) -> None:
        """Write the ONNX model."""
        q, k, v, y = (
            helper.make_tensor_value_info(name, TensorProto.FLOAT16, self.shape) for name in "qkvy"
        )
        node = helper.make_node("Attention", list("qkv"), ["y"], is_causal=int(self.causal))
        graph = helper.make_graph([node], "attention", [q, k, v], [y])
        opset = helper.make_opsetid("", OPSET)
        onnx.save(helper.make_model(graph, opset_imports=[opset], ir_version=IR_VERSION), path)


def cases() -> Iterator[Case]:
    """Yield all cases."""
    for size in SIZES:
        for length, batches in LENGTHS.items():
            for batch, heads in batches:
                for causal in (False, True):
                    yield Case(batch, heads, length, size, causal)


def chosen(given: argparse.Namespace) -> list[Case]:
    """Return the cases whose names fit one of the patterns; where none does, the command ends."""
    patterns = given.cases.split(",")
    fitting = [case for case in cases() if any(fnmatch(case.name, p) for p in patterns)]
    if not fitting:
        raise SystemExit(f"error: no case fits {given.cases!r}; {next(cases()).name} is one")
    return fitting


def artifact_path(folder: Path, case: Case) -> Path:
    """Return where the artifact of a case stands."""
    return folder / f"{case.name}.so"


def build(given: argparse.Namespace) -> bool:
    """Compile all cases; return whether all do."""
    given.folder.mkdir(parents=True, exist_ok=True)
    start, todo = time.monotonic(), chosen(given)
    errors = make([Artifact(artifact_path(given.folder, c), c, given.target, "fp16") for c in todo])
    for case, error in zip(todo, errors, strict=True):
        if error:
            print(f"{case.name}: {error}")
    print(f"{len(todo)} cases in {time.monotonic() - start:.0f} s", flush=True)
    return not any(errors)


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
    heads = ("us", "TFLOP/s", "est/us", *(name.split("_")[0].lower() for name in BACKENDS))
    print(f"{'':28}", *(f"{head:>9}" for head in (*heads, "ratio", "differs")))
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
    for causal in (False, True):
        ratios = [row["ratio"] for row in rows if row["causal"] == causal]
        if ratios:
            what = "causal" if causal else "all keys"
            mean, least = geometric_mean(ratios), min(ratios)
            print(f"{what}: geometric mean {mean:.2f}, least {least:.2f} of {len(ratios)} cases")
    return len(rows) == len(chosen(given))


def _measured(gpu: Gpu, case: Case, path: Path) -> Row:
    """Return the times of one case in microseconds, and what was chosen."""
    torch, model = gpu.torch, Model(path)
    inputs = [torch.randn(case.shape, device="cuda", dtype=torch.float16) for _ in "qkv"]
    runs = {"us": gpu.captured_for([_ours(gpu, model, inputs)], GRAPH_US, MOST_LAUNCHES)}
    for name in BACKENDS:
        work = partial(_theirs, torch, name, case, inputs)
        try:
            runs[name] = gpu.captured_for([work], GRAPH_US, MOST_LAUNCHES)
        except RuntimeError:  # it does not take the case
            continue
    times = gpu.by_turns(runs)
    us, peers = times.pop("us"), times
    best = min(peers, key=lambda name: peers[name])
    kernels = model.report["variants"][0]["kernels"]
    return {
        "name": case.name,
        "causal": case.causal,
        "us": us,
        "peers_us": peers,
        "ratio": peers[best] / us,
        "tflops": case.flops / us * 1e-6,
        "differs": _difference(runs["us"].result, runs[best].result),
        "estimate_us": sum(kernel["bound"]["estimate_us"] for kernel in kernels),
        "schedules": [kernel["schedule"] for kernel in kernels],
    }


def _ours(gpu: Gpu, model: Model, inputs: Sequence[Any]) -> Callable[[], Any]:
    """Return what enqueues a run of a model, and returns its result."""
    (output,) = gpu.empty(model)
    run = model.step_runner([x.data_ptr() for x in inputs], [output.data_ptr()], gpu.stream)
    steps = len(model.steps())

    def work() -> Any:
        run(0, steps)
        return output

    return work


def _theirs(torch: Any, backend: str, case: Case, inputs: Sequence[Any]) -> Any:
    attention = importlib.import_module("torch.nn.attention")
    with attention.sdpa_kernel(getattr(attention.SDPBackend, backend)):
        return torch.nn.functional.scaled_dot_product_attention(*inputs, is_causal=case.causal)


def _difference(ours: Any, theirs: Any) -> float:
    """Return the largest difference as a share of the largest."""
    a, b = ours.float(), theirs.float()
    return float((a - b).abs().max() / b.abs().max())


def _line(row: Row) -> str:
    peers = " ".join(f"{row['peers_us'].get(name, float('nan')):9.1f}" for name in BACKENDS)
    schedule = "; ".join(map(_text, row["schedules"]))
    return (
        f"{row['name']:28} {row['us']:9.1f} {row['tflops']:9.0f} "
        f"{row['estimate_us'] / row['us']:9.2f} {peers} {row['ratio']:9.2f} {row['differs']:9.1e} "
        f"{schedule}"
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
