"""Times every distinct convolution of some models, with its bias and activation, beside cuDNN.

The layers come from ONNX files: each ``Conv`` with the activation that is its only reader (a batch
norm is a bias once it is folded). dlc compiles each as a model of its own, whose input and output
have their channels last, as they lie between the layers of a network; an image of fewer than eight
channels comes channels-first, as the input of a network does. cuDNN runs with channels-last tensors
and the algorithm that is the fastest of all (``cudnn.benchmark``). What it cannot fuse is one more
kernel, as torch.compile would write it; of that, PyTorch's own bias and activation, and cuDNN's
fused convolution, bias and ReLU, the fastest counts. Everything is in fp16, on random inputs, warm,
in CUDA graphs of several launches, by turns. Needs PyTorch with Triton.

    python test/benchmarks/convolutions.py resnet50.onnx vgg16.onnx --batch 64,1 --json out.json
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import onnx
from artifacts import Artifact, being_made
from convolution_layers import FEW_CHANNELS, Layer, layers
from gpu import Gpu, open_gpu

from dlc.runtime.model import Model

GRAPH_US, MOST_LAUNCHES = 300.0, 50
"""What a graph takes at least, and the launches that it has at most."""
TOLERANCE = 4e-3
"""Of the largest output: some roundings to 11 bits, in another order."""
Row = dict[str, Any]


@dataclass(frozen=True)
class Export:
    """Writes the model of a layer at a batch."""

    layer: Layer
    batch: int

    def __call__(self, path: Path) -> None:
        onnx.save(self.layer.model(self.batch), path)


def measured(gpu: Gpu, layer: Layer, batch: int, path: Path) -> Row:
    """Return the microseconds of each contestant, and how far the results are apart."""
    from convolution_peer import Peer

    torch = gpu.torch
    torch.manual_seed(0)
    x = torch.randn((batch, layer.channels, *layer.size), device="cuda").half()
    x = x.to(memory_format=torch.channels_last)
    peer = Peer(torch, layer, x)
    model = Model(path)
    given = x.permute(0, 2, 3, 1) if layer.channels >= FEW_CHANNELS else x.contiguous()
    (y,) = gpu.empty(model)
    steps = len(model.steps())
    enqueue = model.step_runner([given.data_ptr()], [y.data_ptr()], gpu.stream)
    runs: dict[str, Callable[[], Any]] = {"dlc": lambda: enqueue(0, steps), **peer.ways()}
    graphs = {name: gpu.captured_for([way], GRAPH_US, MOST_LAUNCHES) for name, way in runs.items()}
    us = gpu.by_turns(graphs)
    expected = graphs["kernel"].result.permute(0, 2, 3, 1).float()
    apart = ((y.float() - expected).abs().max() / expected.abs().max()).item()
    best = min(value for name, value in us.items() if name != "dlc")
    kernels = [
        {key: k.get(key) for key in ("name", "schedule", "bound", "work")}
        for k in model.variant()["kernels"]
    ]
    return {"us": us, "ratio": best / us["dlc"], "apart": apart, "kernels": kernels}


def warm_up(gpu: Gpu, todo: Sequence[tuple[Layer, int]], made: "Sequence[Future[str]]") -> None:
    """Let cuDNN find its algorithms, and Triton compile, while dlc compiles."""
    from convolution_peer import Peer

    torch = gpu.torch
    torch.backends.cudnn.benchmark = True
    for layer, batch in todo:
        if all(future.done() for future in made):
            break
        x = torch.randn((batch, layer.channels, *layer.size), device="cuda").half()
        peer = Peer(torch, layer, x.to(memory_format=torch.channels_last))
        peer.ways()
    torch.cuda.synchronize()
    torch.cuda.empty_cache()


def run(given: argparse.Namespace) -> int:
    """Compile, time and print."""
    start = time.monotonic()
    networks = {p.parent.name if p.stem == "model" else p.stem: p for p in given.models}
    users: dict[Layer, list[str]] = {}
    for name, path in networks.items():
        for layer in layers(onnx.load(path, load_external_data=False)):
            users.setdefault(layer, []).append(name)
    batches = [int(text) for text in given.batch.split(",")]
    todo = [(layer, batch) for batch in batches for layer in users]
    with (
        tempfile.TemporaryDirectory() as temporary,
        nullcontext() if given.compile_only else open_gpu() as gpu,
    ):
        folder = given.work or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        paths = [folder / f"{number}.so" for number in range(len(todo))]
        absent = {path: pair for path, pair in zip(paths, todo, strict=True) if not path.exists()}
        artifacts = [
            Artifact(path, Export(*pair), given.target, "fp16") for path, pair in absent.items()
        ]
        with being_made(artifacts, given.jobs) as made:
            if gpu:
                warm_up(gpu, todo, made)
        errors = _errors(list(absent.values()), made)
        print(f"compiled {len(absent)} in {time.monotonic() - start:.0f} s", flush=True)
        if not gpu:
            return len(errors) > 0
        rows: list[Row] = []
        for (layer, batch), path in zip(todo, paths, strict=True):
            if time.monotonic() - start > given.seconds:
                print(f"out of time before {layer}, batch {batch}")
                break
            if path.exists():
                row: Row = {"layer": asdict(layer), "name": str(layer), "batch": batch}
                rows.append(row | {"networks": users[layer]} | measured(gpu, layer, batch, path))
                given.json.write_text(json.dumps(rows))
    print(f"done in {time.monotonic() - start:.0f} s", flush=True)
    for batch in batches:
        print_table([row for row in rows if row["batch"] == batch], list(networks), batch)
    wrong = [row for row in rows if not row["apart"] <= TOLERANCE]
    for row in wrong:
        print(f"apart by {row['apart']:.1e}: {row['name']}, batch {row['batch']}")
    return len(errors) + len(wrong) > 0


def _errors(todo: Sequence[tuple[Layer, int]], made: "Sequence[Future[str]]") -> list[str]:
    found = [
        f"{layer}, batch {batch}: {future.result()}"
        for (layer, batch), future in zip(todo, made, strict=True)
        if future.result()
    ]
    print("\n".join(found), flush=True)
    return found


def print_table(rows: Sequence[Row], networks: Sequence[str], batch: int) -> None:
    """Print a line per layer, the geometric mean per network, and the worst ten."""
    if not rows:
        return
    print(f"batch {batch}: best / dlc, us of dlc, us of cuDNN (s: separate, k: kernel, f: fused)")
    for row in rows:
        print(_line(row))
    print(f"batch {batch}, worst ten")
    for row in sorted(rows, key=lambda row: row["ratio"])[:10]:
        print(_line(row))
    for name, found in _by_network(rows, networks):
        ratios = [row["ratio"] for row in found]
        low = sum(ratio < 0.8 for ratio in ratios)
        mean = geometric_mean(ratios)
        print(f"batch {batch:3} {name:18} {mean:6.3f} of {len(ratios):3}, {low} below 0.8")


def _by_network(
    rows: Sequence[Row], networks: Sequence[str]
) -> Iterator[tuple[str, Sequence[Row]]]:
    for name in networks:
        if found := [row for row in rows if name in row["networks"]]:
            yield name, found
    yield "all", rows


def _line(row: Row) -> str:
    us = row["us"]
    peers = " ".join(f"{name[0]} {value:.2f}" for name, value in us.items() if name != "dlc")
    steps = len(row["kernels"])
    more = f" ({steps} kernels)" if steps > 1 else ""
    return f"{row['ratio']:6.2f} {us['dlc']:9.2f}  {peers:36} {row['name']}{more}"


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("models", type=Path, nargs="+", help="ONNX files; weights are not read")
    parser.add_argument("--batch", default="64,1")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 2))
    parser.add_argument("--work", type=Path, help="keeps artifacts; those there are not made again")
    parser.add_argument("--json", type=Path, default=Path("convolutions.json"))
    parser.add_argument("--seconds", type=float, default=600, help="begin nothing new after these")
    parser.add_argument("--compile-only", action="store_true", help="without a GPU")
    given = parser.parse_args()
    for path in given.models:
        if not path.is_file():
            parser.error(f"{path}: there is no such file")
    return run(given)


if __name__ == "__main__":
    raise SystemExit(main())
