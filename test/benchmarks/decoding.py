"""Times attention of one query for each head, as a decoder makes one word, beside PyTorch's SDPA.

dlc compiles each case as a model of its own: queries, keys and values are inputs, heads of a group
share keys. What counts is the bandwidth on keys and values beside that of a copy that moves as many
bytes. Inputs take turns, so that none is in the L2 when it is read. Everything is in fp16, on
random inputs, warm, in CUDA graphs of several launches, by turns. Needs PyTorch.

    python test/benchmarks/decoding.py build decoding --target sm_90a     # needs no GPU
    python test/benchmarks/decoding.py run decoding --json decoding.json
"""

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import onnx
from artifacts import Artifact, make
from gpu import Gpu, Launches, open_gpu

from dlc.runtime.model import Model

APART_BYTES = 300_000_000
"""Of all inputs that take turns: several times the L2."""
GRAPH_US, MOST_LAUNCHES = 300.0, 50
"""What a graph takes at least, and the launches that it has at most."""
Row = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """``group`` heads share each of ``heads`` keys and values: ``keys`` of ``depth`` elements."""

    batch: int
    heads: int
    group: int
    keys: int
    depth: int

    def __str__(self) -> str:
        return f"{self.batch}x{self.heads}x{self.group}-{self.keys}-{self.depth}"

    @property
    def bytes(self) -> int:
        """The bytes of keys and values."""
        return 2 * 2 * self.batch * self.heads * self.keys * self.depth

    def __call__(self, path: Path) -> None:
        """Write the model."""
        sizes = {
            "q": [self.batch, self.heads * self.group, 1, self.depth],
            "k": [self.batch, self.heads, self.keys, self.depth],
            "v": [self.batch, self.heads, self.keys, self.depth],
        }
        half = onnx.TensorProto.FLOAT16
        inputs = [onnx.helper.make_tensor_value_info(n, half, s) for n, s in sizes.items()]
        outputs = [onnx.helper.make_tensor_value_info("y", half, sizes["q"])]
        node = onnx.helper.make_node("Attention", list(sizes), ["y"])
        graph = onnx.helper.make_graph([node], "decoding", inputs, outputs)
        opset = onnx.helper.make_opsetid("", 23)
        onnx.save(onnx.helper.make_model(graph, opset_imports=[opset]), path)


CASES = [
    *(Case(1, 32, 1, keys, 128) for keys in (1024, 4096, 16384)),
    *(Case(8, 8, 1, keys, depth) for keys in (1021, 4096) for depth in (64, 128)),
    *(Case(16, 12, 1, keys, 64) for keys in (1024, 4096)),
    Case(1, 8, 4, 4096, 128),
    Case(1, 8, 8, 16384, 128),
    Case(8, 8, 4, 4096, 128),
]


def measured(gpu: Gpu, case: Case, path: Path) -> Row:
    """Return the microseconds of each contestant, and how far the results are apart."""
    torch = gpu.torch
    torch.manual_seed(0)
    kv, q = (case.batch, case.heads, case.keys, case.depth), case.heads * case.group
    sets = [
        [torch.randn(n, device="cuda").half() for n in ((case.batch, q, 1, case.depth), kv, kv)]
        for _ in range(max(2, -(-APART_BYTES // case.bytes)))
    ]
    model = Model(path)
    (y,), steps = gpu.empty(model), len(model.steps())
    runners = [
        model.step_runner([x.data_ptr() for x in s], [y.data_ptr()], gpu.stream) for s in sets
    ]
    ways = {"dlc": [_enqueued(runner, steps) for runner in runners]}
    ways["copy"] = [_copied(k, torch.empty_like(k)) for _, k, _ in sets]
    ways |= {name: [_attended(torch, name, s) for s in sets] for name in ("flash", "cudnn")}
    graphs: dict[str, Launches] = {
        name: gpu.captured_for(each, GRAPH_US, MOST_LAUNCHES) for name, each in ways.items()
    }
    us = gpu.by_turns(graphs)
    runners[0](0, steps)
    queries, keys, values = (x.double() for x in sets[0])
    keys, values = (x.repeat_interleave(case.group, 1) for x in (keys, values))
    weights = torch.softmax(queries @ keys.transpose(-1, -2) * case.depth**-0.5, -1)
    return {
        "us": us,
        "of a copy": us["copy"] / us["dlc"],
        "apart": (y.double() - weights @ values).abs().max().item(),
        "schedules": [kernel.get("schedule") for kernel in model.variant()["kernels"]],
    }


def _enqueued(runner: Callable[[int, int], object], steps: int) -> Callable[[], object]:
    return lambda: runner(0, steps)


def _copied(source: Any, target: Any) -> Callable[[], object]:
    """Return a copy that reads and writes as many bytes as keys and values have."""
    return lambda: target.copy_(source)


def _attended(torch: Any, backend: str, given: Sequence[Any]) -> Callable[[], object]:
    attention = torch.nn.attention
    backends = attention.SDPBackend
    kinds = {"flash": backends.FLASH_ATTENTION, "cudnn": backends.CUDNN_ATTENTION}
    shared = given[0].shape[1] != given[1].shape[1]

    def run() -> object:
        with attention.sdpa_kernel(kinds[backend]):
            return torch.nn.functional.scaled_dot_product_attention(*given, enable_gqa=shared)

    return run


def build(given: argparse.Namespace) -> int:
    """Compile all cases; return how many failed."""
    given.folder.mkdir(parents=True, exist_ok=True)
    todo = [Artifact(given.folder / f"{case}.so", case, given.target, "fp16") for case in CASES]
    errors = make(todo)
    for case, error in zip(CASES, errors, strict=True):
        print(f"{case} {error or 'compiled'}")
    return sum(map(bool, errors))


def run(given: argparse.Namespace) -> int:
    """Time all cases and print a line for each."""
    rows: list[Row] = []
    with open_gpu() as gpu:
        for case in CASES:
            row = asdict(case) | measured(gpu, case, given.folder / f"{case}.so")
            rows.append(row)
            speed = case.bytes / row["us"]["dlc"] * 1e-6
            times = ", ".join(f"{name} {us:.2f}" for name, us in row["us"].items())
            print(
                f"{case} {case.bytes * 1e-6:.1f} MB {times} us; {speed:.2f} TB/s, "
                f"{row['of a copy']:.2f} of a copy, {row['apart']:.1e} apart",
                flush=True,
            )
    if given.json:
        given.json.write_text(json.dumps(rows))
    return 0


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("what", choices=["build", "run"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    return build(given) if given.what == "build" else run(given)


if __name__ == "__main__":
    raise SystemExit(main())
