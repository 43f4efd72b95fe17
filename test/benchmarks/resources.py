"""Compiles the kernels of models for GPUs, without a GPU, and prints what the assembler says.

One line for each model, precision and target: kernels, the most registers of one, the kernels that
were given more than the assembler chose, bytes spilled, CPU seconds. Exit code 1: something spills
or does not compile.

    python test/benchmarks/resources.py models/*.onnx --targets sm_80,sm_90a --precisions fp32,fp16
"""

import argparse
import sys
import time
from pathlib import Path

import onnx

from dlc import registry
from dlc.backends.cuda.cubins import CompiledKernel, compile_kernels
from dlc.compiler.levels import lower
from dlc.compiler.options import PRECISIONS
from dlc.compiler.targets import Target, parse_targets
from dlc.core.weights import WeightStore
from dlc.dialects.gpu import KernelOp
from dlc.errors import CompileError
from dlc.frontends.onnx.importer import import_model

ROW = "{:24} {:6} {:8} {:>7} {:>9} {:>6} {:>7} {:>7}"
HEAD = ("model", "", "target", "kernels", "registers", "raised", "spilled", "CPU s")


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--targets", type=parse_targets, default="sm_80,sm_90a")
    parser.add_argument("--precisions", default="fp32,tf32,fp16", help=", ".join(PRECISIONS))
    parser.add_argument("--jobs", type=int, default=2, help="compilers at a time")
    given = parser.parse_args()
    sys.setrecursionlimit(20_000)  # xDSL recurses per region
    print(ROW.format(*HEAD))
    failed = 0
    for path in given.models:
        for precision in given.precisions.split(","):
            for target in given.targets:
                failed += not row(path, precision, target, given.jobs)
    return 1 if failed else 0


def row(path: Path, precision: str, target: Target, jobs: int) -> bool:
    """Print a line; return whether all kernels compile and none spills."""
    name = path.parent.name if path.stem == "model" else path.stem
    start = time.process_time()
    try:
        compiled, raised = kernels(path, precision, target, jobs)
    except CompileError as error:
        print(f"{name:24} {precision:6} {target.name:8} {error}", flush=True)
        return False
    spilled = sum(kernel.resources.spill_bytes for kernel in compiled)
    registers = max(kernel.resources.registers for kernel in compiled)
    seconds = f"{time.process_time() - start:.1f}"
    figures = (len(compiled), registers, raised, spilled, seconds)
    print(ROW.format(name, precision, target.name, *figures), flush=True)
    return not spilled


def kernels(
    path: Path, precision: str, target: Target, jobs: int
) -> tuple[list[CompiledKernel], int]:
    """Return the kernels of a model, and how many were given more registers."""
    context = registry.new_context(WeightStore())
    module = import_model(path, shapes(path), context, None)
    for _ in lower(context, module, target, precision):
        pass
    compiled = compile_kernels(module, target.name, jobs)
    return compiled, sum(isinstance(op, KernelOp) and bool(op.max_registers) for op in module.ops)


def shapes(path: Path) -> dict[str, list[int]]:
    """Return the inputs' sizes, those that are not fixed as 1."""
    graph = onnx.load(path, load_external_data=False).graph
    weights = {tensor.name for tensor in graph.initializer}
    return {
        value.name: [dim.dim_value or 1 for dim in value.type.tensor_type.shape.dim]
        for value in graph.input
        if value.name not in weights
    }


if __name__ == "__main__":
    sys.exit(main())
