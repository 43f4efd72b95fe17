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
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from dataclasses import asdict
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

import onnx
from convolution_layers import FEW_CHANNELS, Layer, layers

TURNS, GRAPH_US, MOST_LAUNCHES = 7, 300.0, 50
"""Runs of each graph, what a graph takes at least, and the launches that it has at most."""
TOLERANCE = 4e-3
"""Of the largest output: some roundings to 11 bits, in another order."""
Row = dict[str, Any]


def compiled(layer: Layer, batch: int, target: str, path: str) -> str:
    """Make an artifact that is not there; return what went wrong."""
    from dlc.compiler import Options, compile_to

    if Path(path).exists():
        return ""
    source = Path(path).with_suffix(".onnx")
    onnx.save(layer.model(batch), source)
    try:
        compile_to(Path(path), source, Options(target, "fp16", verify=False, jobs=1))
    except Exception as error:  # one layer that fails is a row of the table
        return f"{type(error).__name__}: {error}"[:200]
    source.unlink()
    return ""


class Graph:
    """Launches in a CUDA graph."""

    def __init__(self, torch: Any, run: Callable[[Any], Any], launches: int):
        self.torch, self.launches = torch, launches
        self.stream = torch.cuda.Stream()
        with torch.cuda.stream(self.stream):
            for _ in range(2):
                run(self.stream)
        torch.cuda.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        self.result: Any = None
        with torch.cuda.graph(self.graph, stream=self.stream):
            for _ in range(launches):
                self.result = None  # its memory is that of the next one
                self.result = run(self.stream)

    def us(self) -> float:
        """Return the microseconds of one launch of a replay."""
        start, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        with self.torch.cuda.stream(self.stream):
            self.graph.replay()
            start.record()
            self.graph.replay()
            end.record()
        self.stream.synchronize()
        return 1e3 * start.elapsed_time(end) / self.launches


def measured(torch: Any, layer: Layer, batch: int, path: Path) -> Row:
    """Return the microseconds of each contestant, and how far the results are apart."""
    from convolution_peer import Peer

    import dlc

    torch.manual_seed(0)
    x = torch.randn((batch, layer.channels, *layer.size), device="cuda").half()
    x = x.to(memory_format=torch.channels_last)
    peer = Peer(torch, layer, x)
    model = dlc.load(path)
    given = x.permute(0, 2, 3, 1) if layer.channels >= FEW_CHANNELS else x.contiguous()
    y = torch.empty((batch, *layer.result, layer.made), dtype=torch.half, device="cuda")
    steps = len(model.steps())
    torch.cuda.synchronize()

    def ours(stream: Any) -> Any:
        model.step_runner([given.data_ptr()], [y.data_ptr()], stream.cuda_stream)(0, steps)
        return y

    runs: dict[str, Callable[[Any], Any]] = {"dlc": ours}
    runs |= {name: (lambda _, way=way: way()) for name, way in peer.ways().items()}
    with torch.no_grad():
        count = {name: _launches(torch, run) for name, run in runs.items()}
        graphs = {name: Graph(torch, run, count[name]) for name, run in runs.items()}
        times: dict[str, list[float]] = {name: [] for name in graphs}
        for _ in range(TURNS):
            for name, graph in graphs.items():
                times[name].append(graph.us())
        expected = graphs["kernel"].result.permute(0, 2, 3, 1).float()
        apart = ((y.float() - expected).abs().max() / expected.abs().max()).item()
    us = {name: round(median(found), 3) for name, found in times.items()}
    best = min(value for name, value in us.items() if name != "dlc")
    kernels = [
        {key: k.get(key) for key in ("name", "schedule", "bound", "work")}
        for k in model.variant()["kernels"]
    ]
    return {"us": us, "ratio": best / us["dlc"], "apart": apart, "kernels": kernels}


def _launches(torch: Any, run: Callable[[Any], Any]) -> int:
    graph = Graph(torch, run, 1)
    us = min(graph.us() for _ in range(2))
    return int(min(max(GRAPH_US // us, 2), MOST_LAUNCHES))


def warm_up(torch: Any, todo: Sequence[tuple[Layer, int]], made: "Sequence[Future[str]]") -> None:
    """Let cuDNN find its algorithms, and Triton compile, while dlc compiles."""
    from convolution_peer import Peer

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
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.work or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        paths = [folder / f"{number}.so" for number in range(len(todo))]
        spawn = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(given.jobs, spawn) as pool:
            made = [
                pool.submit(compiled, layer, batch, given.target, str(path))
                for (layer, batch), path in zip(todo, paths, strict=True)
            ]
            torch = None if given.compile_only else _torch()
            if torch:
                warm_up(torch, todo, made)
            wait(made)
        errors = _errors(todo, made)
        print(f"compiled {len(todo)} in {time.monotonic() - start:.0f} s", flush=True)
        if torch is None:
            return len(errors) > 0
        rows: list[Row] = []
        for (layer, batch), path in zip(todo, paths, strict=True):
            if time.monotonic() - start > given.seconds:
                print(f"out of time before {layer}, batch {batch}")
                break
            if path.exists():
                row: Row = {"layer": asdict(layer), "name": str(layer), "batch": batch}
                rows.append(row | {"networks": users[layer]} | measured(torch, layer, batch, path))
                given.json.write_text(json.dumps(rows))
    print(f"done in {time.monotonic() - start:.0f} s", flush=True)
    for batch in batches:
        print_table([row for row in rows if row["batch"] == batch], list(networks), batch)
    wrong = [row for row in rows if not row["apart"] <= TOLERANCE]
    for row in wrong:
        print(f"apart by {row['apart']:.1e}: {row['name']}, batch {row['batch']}")
    return len(errors) + len(wrong) > 0


def _torch() -> Any:
    import torch  # pyright: ignore[reportMissingImports]  (optional)

    torch.backends.cudnn.benchmark = True
    return torch


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
    return run(parser.parse_args())


if __name__ == "__main__":
    raise SystemExit(main())
