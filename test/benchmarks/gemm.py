"""Times products of matrices, as dlc compiles them, beside those of cuBLAS (by PyTorch).

``build FOLDER`` compiles the products, without a GPU; ``run FOLDER`` checks and times them on one
and prints a line for each with the ratio of the times (above 1: dlc is faster), and the geometric
mean of each precision. Both run in CUDA graphs of many launches, by turns, on random numbers, and
buffers that the L2 could keep change from launch to launch. The second factor is a weight; cuBLAS
gets it as ``torch.nn.Linear`` has it, with its rows along the reduction.

    python test/benchmarks/gemm.py build /tmp/gemms --precisions fp16,tf32
    python test/benchmarks/gemm.py run /tmp/gemms
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
from artifacts import Artifact, make
from gpu import Gpu, open_gpu
from onnx import TensorProto, helper, numpy_helper, save_model

from dlc.runtime.model import Model

Array = npt.NDArray[Any]
Launch = Callable[[], object]

SHAPES = (
    "2048x2048x2048", "4096x4096x4096", "8192x8192x8192", "8192x768x768", "8192x2304x768",
    "8192x3072x768", "8192x768x3072", "2048x50257x768", "200704x256x64", "200704x64x256",
    "12544x512x2048", "3136x256x64", "49x2048x512", "128x768x768", "128x3072x768",
    "128x768x3072", "1x4096x4096",
)  # fmt: skip
"""Rows of the result, its columns, and the products that are added up: squares, and what networks
have (BERT and ResNet-50 at batch 64 and 1, the vocabulary of GPT-2, a vector).
"""

_FLOAT = TensorProto.FLOAT, np.float32, TensorProto.FLOAT
_TYPES: Mapping[str, tuple[int, Any, int]] = {
    "fp16": (TensorProto.FLOAT16, np.float16, TensorProto.FLOAT16),
    "bf16": (TensorProto.BFLOAT16, ml_dtypes.bfloat16, TensorProto.BFLOAT16),
    "tf32": _FLOAT,
    "fp32": _FLOAT,
    "int8": (TensorProto.INT8, np.int8, TensorProto.INT32),
}
"""By precision: the factors in ONNX and numpy, and the result in ONNX."""

_ROUNDING = {"fp16": 2.0**-11, "bf16": 2.0**-8, "tf32": 2.0**-9, "fp32": 0.0, "int8": 0.0}
"""The error of rounding the result, or for tf32 both factors, as a share."""
_SUM_ROUNDING = 2.0**-23
"""Of each addition in fp32."""

_COLD_BYTES = 150_000_000
"""Together the buffers of a product are larger: three times the L2 of an H200."""
_MOST_COPIES = 64
_GRAPH_US = 500.0
"""A graph is no shorter, so that the events at its ends do not matter."""
_MOST_LAUNCHES = 200


@dataclass(frozen=True)
class Product:
    """``[m, k]`` times a weight of ``[k, n]``."""

    m: int
    n: int
    k: int
    precision: str

    @staticmethod
    def of(sizes: str, precision: str) -> "Product":
        """Return the product of sizes as ``8192x768x3072``. Raises ValueError for others."""
        if precision not in _TYPES:
            raise ValueError(f"there is no precision {precision!r}; there are: {', '.join(_TYPES)}")
        numbers = sizes.split("x")
        if len(numbers) != 3 or not all(each.isdecimal() and int(each) for each in numbers):
            raise ValueError(f"{sizes!r} is no product; give MxNxK with sizes of 1 or more")
        m, n, k = map(int, numbers)
        return Product(m, n, k, precision)

    @property
    def name(self) -> str:
        """A file name."""
        return f"{self.m}x{self.n}x{self.k}-{self.precision}"

    @property
    def is_exact(self) -> bool:
        """Whether its factors are integers."""
        return self.precision == "int8"

    def factor(self, rows: int, columns: int, seed: int, scale: float = 1.0) -> Array:
        """Return random numbers."""
        random = np.random.default_rng(seed)
        if self.is_exact:
            return random.integers(-100, 100, (rows, columns), np.int8)
        made = random.standard_normal((rows, columns), np.float32) * np.float32(scale)
        return made.astype(_TYPES[self.precision][1])

    def weight(self) -> Array:
        """Return the weight, the same at every call, so that results are of order one."""
        return self.factor(self.k, self.n, 0, 1 / sqrt(self.k))

    def export(self, path: Path) -> None:
        """Write the ONNX model."""
        factor, _, result = _TYPES[self.precision]
        graph = helper.make_graph(
            [helper.make_node("MatMulInteger" if self.is_exact else "MatMul", ["a", "w"], ["y"])],
            "product",
            [helper.make_tensor_value_info("a", factor, (self.m, self.k))],
            [helper.make_tensor_value_info("y", result, (self.m, self.n))],
            [numpy_helper.from_array(self.weight(), "w")],
        )
        opset = helper.make_opsetid("", 22)
        save_model(helper.make_model(graph, opset_imports=[opset], ir_version=10), path)

    def error_bound(self) -> float:
        """Return how far the result may be from the exact one, as a share, both as norms."""
        return _ROUNDING[self.precision] + (0.0 if self.is_exact else self.k * _SUM_ROUNDING)


def build(folder: Path, products: Sequence[Product], target: str) -> bool:
    """Compile the products into ``folder``, as many at a time as there are cores; return whether
    all do.
    """
    folder.mkdir(parents=True, exist_ok=True)
    errors = make([_artifact(each, folder, target) for each in products])
    for each, error in zip(products, errors, strict=True):
        print(f"{each.name}: {error or 'compiled'}")
    rows = [each.__dict__ for each, error in zip(products, errors, strict=True) if not error]
    (folder / "products.json").write_text(json.dumps(rows))
    return not any(errors)


def _artifact(product: Product, folder: Path, target: str) -> Artifact:
    precision = "fp32" if product.is_exact else product.precision
    return Artifact(folder / f"{product.name}.so", product.export, target, precision)


class Case:
    """A product on the GPU: copies of its buffers, dlc and cuBLAS as launches on them."""

    def __init__(self, gpu: Gpu, product: Product, folder: Path):
        torch = gpu.torch
        self.product, self._gpu = product, gpu
        lhs, weight = product.factor(product.m, product.k, 1), product.weight()
        path = folder / f"{product.name}.so"
        first = Model(path)
        bytes = lhs.nbytes + weight.nbytes + first.outputs[0].bytes
        copies = max(1, min(_MOST_COPIES, -(-_COLD_BYTES // bytes)))
        self._models = [first, *(Model(path) for _ in range(copies - 1))]
        self._lhs = [_on_gpu(torch, lhs) for _ in range(copies)]
        self._rhs = [_on_gpu(torch, weight).t().contiguous() for _ in range(copies)]
        dtype = torch.int32 if product.is_exact else self._lhs[0].dtype
        self._results = [lhs_.new_zeros(product.m, product.n, dtype=dtype) for lhs_ in self._lhs]

    def ours(self) -> list[Launch]:
        """Return the launches of dlc, one for each copy."""
        found: list[Launch] = []
        for model, lhs, result in zip(self._models, self._lhs, self._results, strict=True):
            run = model.step_runner([lhs.data_ptr()], [result.data_ptr()], self._gpu.stream)
            count = len(model.steps())
            found.append(lambda run=run, count=count: run(0, count))
        return found

    def theirs(self) -> list[Launch]:
        """Return the launches of cuBLAS."""
        torch, made = self._gpu.torch, zip(self._lhs, self._rhs, self._results, strict=True)
        if self.product.is_exact:
            return [lambda a=a, b=b: torch._int_mm(a, b.t()) for a, b, _ in made]
        return [lambda a=a, b=b, c=c: torch.mm(a, b.t(), out=c) for a, b, c in made]

    def library_note(self) -> str:
        """Return why a library that the artifact calls computes nothing; empty where it does."""
        found = self._models[0].report.get("libraries", {}).values()
        silent = (x["state"] for x in found if not x["used"] or "generated ones run" in x["state"])
        return next(silent, "")

    def error(self, launches: Sequence[Launch]) -> float:
        """Return how far the first result is from the exact one, as a share of it in norm."""
        result = self._results[0].fill_(1 if self.product.is_exact else float("nan"))
        launches[0]()
        self._gpu.torch.cuda.synchronize()
        exact = self._lhs[0].double() @ self._rhs[0].double().t()
        return float((result.double() - exact).norm() / exact.norm())


def _on_gpu(torch: Any, array: Array) -> Any:
    if array.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(array.view(np.int16)).cuda().view(torch.bfloat16)
    return torch.from_numpy(array).cuda()


def run(folder: Path) -> bool:
    """Check and time the products of a folder; return whether all are right."""
    rows: list[dict[str, Any]] = []
    print(f"{'product':28} {'dlc us':>9} {'cuBLAS us':>9} {'ratio':>6} {'TFLOP/s':>8}  error")
    with open_gpu() as gpu:
        for fields in json.loads((folder / "products.json").read_text()):
            rows.append(_timed(gpu, Product(**fields), folder))
            gpu.torch.cuda.empty_cache()
    (folder / "times.json").write_text(json.dumps(rows, indent=1))
    for precision in dict.fromkeys(row["precision"] for row in rows):
        ratios = [row["ratio"] for row in rows if row["precision"] == precision and row["ratio"]]
        if ratios:
            mean, least = geometric_mean(ratios), min(ratios)
            print(f"{precision}: geometric mean {mean:.3f}, least {least:.3f} of {len(ratios)}")
    return all(row["right"] for row in rows)


def _timed(gpu: Gpu, product: Product, folder: Path) -> dict[str, Any]:
    """Return what is written of a product; prints it, too."""
    gpu.torch.backends.cuda.matmul.allow_tf32 = product.precision == "tf32"
    case = Case(gpu, product, folder)
    sides = {"dlc": case.ours(), "cublas": case.theirs()}
    error = case.error(sides["dlc"])
    right = error <= product.error_bound()
    try:
        sides["cublas"][0]()
    except RuntimeError:  # not for these sizes
        del sides["cublas"]
    us = gpu.by_turns(
        {name: gpu.captured_for(each, _GRAPH_US, _MOST_LAUNCHES) for name, each in sides.items()}
    )
    ratio = us["cublas"] / us["dlc"] if "cublas" in us else None
    note = "" if ratio else " (PyTorch has no such product)"
    rate = 2e-6 * product.m * product.n * product.k / us["dlc"]
    print(
        f"{product.name:28} {us['dlc']:9.2f} {us.get('cublas', float('nan')):9.2f} "
        f"{ratio or float('nan'):6.2f} {rate:8.1f}  {error:.1e}{'' if right else ' WRONG'}{note}",
        flush=True,
    )
    return {**product.__dict__, "us": us, "ratio": ratio, "error": error, "right": right}


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("command", choices=("build", "run"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--precisions", default=",".join(_TYPES))
    parser.add_argument("--shapes", default=",".join(SHAPES))
    given = parser.parse_args()
    if given.command == "run":
        return 0 if run(given.folder) else 1
    pairs = ((s, p) for p in given.precisions.split(",") for s in given.shapes.split(","))
    try:
        products = [Product.of(*pair) for pair in pairs]
    except ValueError as error:
        parser.error(str(error))
    return 0 if build(given.folder, products, given.target) else 1


if __name__ == "__main__":
    sys.exit(main())
