"""Recurrent layers beside cuDNN's (PyTorch), by turns in one process, checked against float64.

    python test/benchmarks/recurrent.py lstm:2x1024:100x1:fp16 gru:2x1024:100x64:fp16 --work rnn

A case is ``kind:layers x units:steps x batch:precision``, with ``:bi`` behind it for both
directions. cuDNN's run is a CUDA graph. Microseconds are medians; errors are the largest, relative
to the largest result. ``--only build`` leaves the artifacts in the folder, ``--only run`` takes
them from there: building needs no GPU.
"""

import argparse
import importlib
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

torch: Any = importlib.import_module("torch")

WARM_UP, ROUNDS = 5, 60


@dataclass(frozen=True)
class Case:
    """A stack of recurrent layers. kind: as PyTorch names it, in lower case."""

    kind: str
    layers: int
    units: int
    steps: int
    batch: int
    precision: str
    both_ways: bool = False

    @staticmethod
    def of(text: str) -> "Case":
        """Return the case of a text."""
        kind, size, shape, precision, *rest = text.split(":")
        layers, units = map(int, size.split("x"))
        steps, batch = map(int, shape.split("x"))
        return Case(kind, layers, units, steps, batch, precision, "bi" in rest)

    @property
    def name(self) -> str:
        """The case as a file's name."""
        ways = "-bi" if self.both_ways else ""
        sizes = f"{self.layers}x{self.units}-{self.steps}x{self.batch}"
        return f"{self.kind}-{sizes}-{self.precision}{ways}"

    def module(self) -> Any:
        """Return the layers with their random weights."""
        torch.manual_seed(0)
        make = getattr(torch.nn, self.kind.upper())
        return make(self.units, self.units, self.layers, bidirectional=self.both_ways).eval()

    def input(self) -> Any:
        """Return a random input."""
        torch.manual_seed(1)
        return torch.randn(self.steps, self.batch, self.units)


class _First(torch.nn.Module):
    """The outputs of all steps."""

    def __init__(self, module: Any):
        super().__init__()
        self.module = module

    def forward(self, x: Any) -> Any:
        """Return the first result."""
        return self.module(x)[0]


def export(case: Case, folder: Path) -> Path:
    """Write the ONNX file of a case."""
    path, module = folder / f"{case.name}.onnx", _First(case.module())
    options = {"input_names": ["x"], "output_names": ["y"], "opset_version": 18, "dynamo": False}
    torch.onnx.export(module, (case.input(),), str(path), **options)
    return path


def compile_model(path: Path, case: Case, target: str) -> Path:
    """Return the artifact of an ONNX file; raises RuntimeError with what the compiler said."""
    artifact = path.with_suffix(".so")
    command = [sys.executable, "-m", "dlc.tools.dlc_compile", str(path), "-o", str(artifact)]
    command += ["--target", target, "--precision", case.precision, "--no-verify"]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ)
    if done.returncode:
        raise RuntimeError(done.stderr[-500:])
    return artifact


def ours(case: Case, artifact: Path) -> tuple[Callable[[], None], Any, int]:
    """Return what runs an artifact, its output and its launches."""
    dlc: Any = importlib.import_module("dlc")
    model = dlc.load(str(artifact))
    x = case.input().cuda()
    (info,) = model.outputs
    y = torch.zeros(tuple(info.shape), dtype=getattr(torch, info.dtype.name), device="cuda")
    stream = torch.cuda.current_stream().cuda_stream

    def run() -> None:
        model.enqueue([x.data_ptr()], [y.data_ptr()], stream)

    return run, y, model.report["variants"][0]["launches"]


def cudnn(case: Case) -> tuple[Callable[[], None], Any]:
    """Return what runs PyTorch's layers as a CUDA graph, and their output."""
    kind = {"fp16": torch.float16, "bf16": torch.bfloat16}.get(case.precision, torch.float32)
    torch.backends.cudnn.allow_tf32 = case.precision == "tf32"
    module, x = case.module().cuda().to(kind), case.input().cuda().to(kind)
    module.flatten_parameters()
    side = torch.cuda.Stream()
    with torch.no_grad(), torch.cuda.stream(side):
        for _ in range(WARM_UP):
            module(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        y = module(x)[0]
    return graph.replay, y


def reference(case: Case) -> Any:
    """Return the outputs in float64."""
    with torch.no_grad():
        return case.module().cuda().double()(case.input().cuda().double())[0]


def error(y: Any, wanted: Any) -> float:
    """Return the largest error, relative to the largest result."""
    return float((y.double() - wanted).abs().max() / wanted.abs().max())


def microseconds(runs: Sequence[Callable[[], None]]) -> list[list[float]]:
    """Return the times of each, by turns."""
    found: list[list[float]] = [[] for _ in runs]
    for round in range(WARM_UP + ROUNDS):
        for times, run in zip(found, runs, strict=True):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            run()
            end.record()
            end.synchronize()
            if round >= WARM_UP:
                times.append(1e3 * begin.elapsed_time(end))
    return found


def measure(case: Case, artifact: Path) -> dict[str, Any]:
    """Return the row of a case."""
    run, y, launches = ours(case, artifact)
    peer, z = cudnn(case)
    run()
    peer()
    torch.cuda.synchronize()
    wanted = reference(case)
    errors = error(y, wanted), error(z, wanted)
    own, other = microseconds([run, peer])
    row = {"launches": launches, "dlc_us": statistics.median(own), "dlc_least_us": min(own)}
    row |= {"cudnn_us": statistics.median(other), "cudnn_least_us": min(other)}
    return asdict(case) | row | {"dlc_error": errors[0], "cudnn_error": errors[1]}


def build(cases: Sequence[Case], folder: Path, target: str) -> None:
    """Write the artifacts of cases; print why one is not there."""
    files = [export(case, folder) for case in cases]
    with ThreadPoolExecutor(8) as pool:
        pairs = zip(files, cases, strict=True)
        jobs = [pool.submit(compile_model, *pair, target) for pair in pairs]
    for case, job in zip(cases, jobs, strict=True):
        if job.exception() is not None:
            print(f"{case.name}: {job.exception()}")


def main() -> None:
    """Measure what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="+")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--only", choices=["build", "run"])
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    cases = [Case.of(text) for text in given.cases]
    found = [given.work / f"{case.name}.so" for case in cases]
    if given.only != "run":
        build(cases, given.work, given.target)
    for case, artifact in zip(cases, found, strict=True):
        if given.only == "build" or not artifact.exists():
            continue
        row = measure(case, artifact)
        if given.json:
            with given.json.open("a") as file:
                print(json.dumps(row), file=file)
        print(
            f"{case.name:32} {row['launches']:4} launches  dlc {row['dlc_us']:8.1f} "
            f"({row['dlc_least_us']:.1f})  cuDNN {row['cudnn_us']:8.1f} "
            f"({row['cudnn_least_us']:.1f}) us  {row['cudnn_us'] / row['dlc_us']:.2f}x  "
            f"errors {row['dlc_error']:.1e} {row['cudnn_error']:.1e}",
            flush=True,
        )


if __name__ == "__main__":
    main()
