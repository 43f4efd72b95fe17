"""Times products of matrices as generated kernels, and as calls of cuBLASLt from the artifact.

``build FOLDER`` compiles the products of ``gemm.py``, without a GPU, each once as dlc plans it and
once for each of the first algorithms of cuBLASLt; ``run FOLDER`` checks and times them by turns on
a GPU, beside cuBLAS by PyTorch, and prints a line for each with times in microseconds.

    python test/benchmarks/libraries.py build /tmp/libraries --precisions fp16,tf32 --algorithms 3
    python test/benchmarks/libraries.py run /tmp/libraries
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from gemm import SHAPES, Case, Product
from gpu import Gpu, open_gpu

from dlc.compiler.driver import compile_to
from dlc.compiler.emission import emit
from dlc.compiler.options import Options
from dlc.core.weights import Array
from dlc.errors import CompileError

_GRAPH_US = 500.0
_MOST_LAUNCHES = 200
_SCHEDULE = "#loop.schedule<"


def build(folder: Path, products: Sequence[Product], algorithms: int, target: str) -> bool:
    """Compile the products into folders by who computes them; return whether all do."""
    made: list[dict[str, Any]] = []
    errors = 0
    for product in products:
        calls = [f'library = "cublaslt", algorithm = {n}, ' for n in range(algorithms)]
        for number, keys in enumerate(["", *calls]):
            name = f"cublaslt-{number - 1}" if keys else "dlc"
            try:
                _compile(folder / name, product, keys, target)
            except CompileError as error:
                errors += 1
                print(f"{product.name} {name}: {error}", flush=True)
            else:
                made.append({"product": product.__dict__, "name": name})
        print(f"{product.name}: compiled", flush=True)
    (folder / "made.json").write_text(json.dumps(made))
    return not errors


def _compile(folder: Path, product: Product, keys: str, target: str) -> None:
    """Write an artifact of a product whose schedule has more keys."""
    folder.mkdir(parents=True, exist_ok=True)
    model, text = folder / f"{product.name}.onnx", folder / f"{product.name}.mlir"
    precision = "fp32" if product.is_exact else product.precision
    weights: dict[str, Array] = {}
    product.export(model)
    try:
        found = emit(model, Options(target, precision), "fused-group", weights=weights)
        text.write_text(found.replace(_SCHEDULE, f"{_SCHEDULE}{keys}"))
        options = Options(target, precision, weights_from=weights, verify=False)
        compile_to(folder / f"{product.name}.so", text, options)
    finally:
        model.unlink()
        text.unlink(missing_ok=True)


def run(folder: Path) -> bool:
    """Check and time what was built; return whether all is right."""
    rows: list[dict[str, Any]] = []
    made = json.loads((folder / "made.json").read_text())
    products = [dict(x) for x in {tuple(each["product"].items()): None for each in made}]
    with open_gpu() as gpu:
        for fields in products:
            names = [each["name"] for each in made if each["product"] == fields]
            rows.append(_timed(gpu, Product(**fields), folder, names))
            gpu.torch.cuda.empty_cache()
    (folder / "times.json").write_text(json.dumps(rows, indent=1))
    for precision in dict.fromkeys(row["precision"] for row in rows):
        ratios = [row["us"]["dlc"] / row["best"] for row in rows if row["precision"] == precision]
        print(f"{precision}: dlc takes {geometric_mean(ratios):.3f} of the best cuBLASLt's time")
    return all(row["right"] for row in rows)


def _timed(gpu: Gpu, product: Product, folder: Path, names: Sequence[str]) -> dict[str, Any]:
    """Return what is written of a product; prints it, too."""
    gpu.torch.backends.cuda.matmul.allow_tf32 = product.precision == "tf32"
    cases = {name: Case(gpu, product, folder / name) for name in names}
    sides = {name: case.ours() for name, case in cases.items()}
    errors = {name: case.error(sides[name]) for name, case in cases.items()}
    notes = {name: state for name, case in cases.items() if (state := case.library_note())}
    sides["PyTorch"] = next(iter(cases.values())).theirs()
    try:
        sides["PyTorch"][0]()
    except RuntimeError:  # not for these sizes
        del sides["PyTorch"]
    captured = {n: gpu.captured_for(each, _GRAPH_US, _MOST_LAUNCHES) for n, each in sides.items()}
    us = gpu.by_turns(captured)
    right = all(error <= product.error_bound() for error in errors.values())
    times = "  ".join(f"{name} {each:.2f}" for name, each in us.items())
    print(f"{product.name:28} {times}{'' if right else ' WRONG'} {notes or ''}", flush=True)
    best = min((us[n] for n in names if n != "dlc" and n not in notes), default=us["dlc"])
    return {**product.__dict__, "us": us, "best": best, "errors": errors, "right": right}


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("command", choices=("build", "run"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--precisions", default="fp16,bf16,tf32,fp32")
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--algorithms", type=int, default=1)
    given = parser.parse_args()
    if given.command == "run":
        return 0 if run(given.folder) else 1
    pairs = ((s, p) for p in given.precisions.split(",") for s in given.shapes.split(","))
    try:
        products = [Product.of(*pair) for pair in pairs]
    except ValueError as error:
        parser.error(str(error))
    given.folder.mkdir(parents=True, exist_ok=True)
    return 0 if build(given.folder, products, given.algorithms, given.target) else 1


if __name__ == "__main__":
    sys.exit(main())
