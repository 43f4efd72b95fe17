"""Times convolutions, attention and normalisations as generated kernels, and as calls of cuDNN.

``build FOLDER`` compiles cases without a GPU: the convolutions of ONNX models that differ, at some
batches (``convolution_layers.py``), attention without a mask (``attention.py``), and layer
normalisations of some rows, each once as dlc plans it and once for each of the first algorithms of
cuDNN, called from the artifact. ``run FOLDER`` compares both on
random inputs and times them by turns on a GPU, in CUDA graphs of several launches, and prints a
line for each with times in microseconds. All is in fp16.

    python test/benchmarks/cudnn.py build /tmp/cudnn resnet50.onnx vgg16.onnx --batch 1,64
    python test/benchmarks/cudnn.py run /tmp/cudnn
"""

import argparse
import json
import multiprocessing
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import attention
import onnx
from convolution_layers import layers
from gpu import Gpu, open_gpu
from onnx import TensorProto, helper

import dlc
from dlc.compiler.driver import compile_to
from dlc.compiler.emission import emit
from dlc.compiler.options import Options
from dlc.core.weights import Array
from dlc.errors import CompileError
from dlc.runtime.model import Model

_TARGET, _PRECISION = "sm_90a", "fp16"
_GRAPH_US, _MOST_LAUNCHES = 300.0, 50
_TOLERANCE = 4e-3
"""Of the largest output: some roundings to 11 bits, in another order."""
_ANCHORS = ("graph.conv", "graph.matmul", "graph.reduce_mean")
_NORMALIZED = (
    *((1, 768), (128, 768), (197, 768), (8192, 768), (65536, 768)),
    *((1, 4096), (128, 4096), (8192, 4096), (333, 1000), (32768, 1000), (1024, 16384)),
)
"""Rows and elements of normalisations."""
_OWN = "dlc"


@dataclass(frozen=True)
class Case:
    """A model by its name. write: writes it."""

    name: str
    write: Callable[[Path], None]


@dataclass(frozen=True)
class Convolution:
    """Writes the model of a layer at a batch."""

    layer: Any
    batch: int

    def __call__(self, path: Path) -> None:
        onnx.save(self.layer.model(self.batch), path)


@dataclass(frozen=True)
class Normalization:
    """Writes the model of a layer normalisation, whose scale and bias are inputs."""

    rows: int
    elements: int

    def __call__(self, path: Path) -> None:
        sizes = dict.fromkeys("xy", (self.rows, self.elements))
        sizes |= dict.fromkeys("sb", (self.elements,))
        x, y, s, b = (
            helper.make_tensor_value_info(name, TensorProto.FLOAT16, each)
            for name, each in sizes.items()
        )
        node = helper.make_node("LayerNormalization", list("xsb"), ["y"], axis=-1)
        graph = helper.make_graph([node], "normalization", [x, s, b], [y])
        opset = helper.make_opsetid("", 17)
        onnx.save(helper.make_model(graph, opset_imports=[opset], ir_version=10), path)


def cases(models: Sequence[Path], batches: Sequence[int]) -> Iterator[Case]:
    """Yield the cases of some models, attention, and normalisations."""
    found = {}
    for path in models:
        for layer in layers(onnx.load(path, load_external_data=False)):
            found[str(layer)] = layer
    for name, layer in found.items():
        for batch in batches:
            yield Case(f"{re.sub(r'[^a-z0-9]+', '_', name)}_b{batch}", Convolution(layer, batch))
    for case in attention.cases():
        if not case.causal:
            yield Case(case.name, case)
    for rows, elements in _NORMALIZED:
        yield Case(f"layer_norm_{rows}x{elements}", Normalization(rows, elements))


def _with_keys(text: str, keys: str) -> str:
    """Return the text of a model in which the groups of products have more keys."""
    lines = text.splitlines()
    heads = [n for n, line in enumerate(lines) if "fused_group.group @" in line]
    for head, after in pairwise([*heads, len(lines)]):
        if any(anchor in line for line in lines[head:after] for anchor in _ANCHORS):
            lines[head] = lines[head].replace("#loop.schedule<", f"#loop.schedule<{keys}", 1)
    return "\n".join(lines)


def _compile(job: tuple[Path, Case, int]) -> dict[str, Any]:
    """Return the artifacts of a case by who computes it, and what failed."""
    folder, case, algorithms = job
    model = folder / f"{case.name}.onnx"
    case.write(model)
    weights: dict[str, Array] = {}
    text = emit(model, Options(_TARGET, _PRECISION), "fused-group", weights=weights)
    made: dict[str, str] = {}
    error = ""
    for number in range(-1, algorithms):
        name = _OWN if number < 0 else f"cudnn-{number}"
        keys = "" if number < 0 else 'library = "cudnn", '
        keys += f"algorithm = {number}, " if number > 0 else ""
        source, path = folder / f"{case.name}.{name}.mlir", folder / f"{case.name}.{name}.so"
        source.write_text(_with_keys(text, keys))
        options = Options(_TARGET, _PRECISION, weights_from=weights, verify=False)
        try:
            compile_to(path, source, options)
        except CompileError as fault:
            error = str(fault)
            break
        made[name] = str(path)
    return {"name": case.name, "made": made, "error": error}


def build(folder: Path, found: Sequence[Case], algorithms: int, jobs: int) -> bool:
    """Compile cases; return whether all that cuDNN computes are compiled."""
    folder.mkdir(parents=True, exist_ok=True)
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        rows = list(pool.imap(_compile, [(folder, case, algorithms) for case in found]))
    (folder / "made.json").write_text(json.dumps(rows))
    for row in rows:
        if row["error"]:
            print(f"{row['name']}: {row['error']}")
    return all(row["made"] for row in rows)


def run(folder: Path) -> bool:
    """Check and time what was built; return whether all is right."""
    rows = [row for row in json.loads((folder / "made.json").read_text()) if not row["error"]]
    with open_gpu() as gpu:
        for row in rows:
            row |= _timed(gpu, row["name"], row["made"])
            gpu.torch.cuda.empty_cache()
    (folder / "times.json").write_text(json.dumps(rows, indent=1))
    ratios = [row["us"][_OWN] / row["best"] for row in rows if row["best"]]
    print(f"dlc takes {geometric_mean(ratios):.3f} of the best call's time, of {len(ratios)} cases")
    return all(row["right"] for row in rows)


def _timed(gpu: Gpu, name: str, made: dict[str, str]) -> dict[str, Any]:
    """Return what is written of a case; prints it, too."""
    torch = gpu.torch
    models = {who: dlc.load(path) for who, path in made.items()}
    infos = models[_OWN].inputs
    inputs = [
        torch.randn(tuple(x.shape), device="cuda").to(getattr(torch, x.dtype.name)) for x in infos
    ]
    results = {who: model(*inputs)[0].float().clone() for who, model in models.items()}
    notes = {who: note for who, model in models.items() if (note := _note(model))}
    largest = results[_OWN].abs().max()
    errors = {who: float((y - results[_OWN]).abs().max() / largest) for who, y in results.items()}
    works = {who: [lambda m=m: m(*inputs)] for who, m in models.items() if who not in notes}
    graphs = {who: gpu.captured_for(work, _GRAPH_US, _MOST_LAUNCHES) for who, work in works.items()}
    us = gpu.by_turns(graphs)
    right = all(error <= _TOLERANCE for error in errors.values())
    times = "  ".join(f"{who} {each:.2f}" for who, each in us.items())
    print(f"{name:44} {times}{'' if right else ' WRONG'} {notes or ''}", flush=True)
    best = min((each for who, each in us.items() if who != _OWN), default=0.0)
    return {"us": us, "best": best, "errors": errors, "notes": notes, "right": right}


def _note(model: Model) -> str:
    """Return why cuDNN does not compute a model, nothing where it does."""
    found = model.report.get("libraries", {}).get("cudnn")
    if found is None or (found["used"] and "generated ones run" not in found["state"]):
        return ""
    return found["state"]


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("command", choices=("build", "run"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("models", type=Path, nargs="*", help="ONNX files")
    parser.add_argument("--batch", default="1,64")
    parser.add_argument("--algorithms", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    given = parser.parse_args()
    if given.command == "run":
        return 0 if run(given.folder) else 1
    found = list(cases(given.models, [int(each) for each in given.batch.split(",")]))
    return 0 if build(given.folder, found, given.algorithms, given.jobs) else 1


if __name__ == "__main__":
    sys.exit(main())
