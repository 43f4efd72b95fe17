"""Concatenations that begin alike give the same when they share memory, in main and in kernels."""

import numpy as np
import pytest
from lowered import lowered
from xdsl.dialects.builtin import ModuleOp

from dlc import registry
from dlc.core.parser import parse_module
from dlc.core.weights import WeightStore
from dlc.dialects.graph.overlay import OverlayOp
from dlc.oracle import run_reference
from dlc.simulator import run_module

PASSES = "graph-share-concatenations,fuse{arch=sm_90a},lower-to-loop,lower-to-gpu{arch=sm_90a}"


def dense(rows: int, sizes: list[int]) -> str:
    """Return a block of layers of which each reads what all before it have given."""
    whole, lines = sizes[0], []
    joined, parts = "%x0", ["%x0"]
    arguments = [f"%x: tensor<{rows}x{sizes[0]}xf32>"]
    lines.append(f"%x0 = graph.relu %x : tensor<{rows}x{whole}xf32> -> tensor<{rows}x{whole}xf32>")
    for number, size in enumerate(sizes[1:], 1):
        arguments.append(f"%w{number}: tensor<{whole}x{size}xf32>")
        given, result = f"tensor<{rows}x{whole}xf32>", f"tensor<{rows}x{size}xf32>"
        lines.append(f"%a{number} = graph.relu {joined} : {given} -> {given}")
        lines.append(
            f"%x{number} = graph.matmul %a{number}, %w{number} : "
            f"({given}, tensor<{whole}x{size}xf32>) -> {result}"
        )
        parts.append(f"%x{number}")
        whole, joined = whole + size, f"%c{number}"
        types = ", ".join(f"tensor<{rows}x{n}xf32>" for n in sizes[: number + 1])
        lines.append(
            f"{joined} = graph.concat {', '.join(parts)} {{axis = 1 : i64}} : ({types}) -> "
            f"tensor<{rows}x{whole}xf32>"
        )
    body, type = "\n".join(lines), f"tensor<{rows}x{whole}xf32>"
    head, end = (
        f"func.func @main({', '.join(arguments)}) -> {type}",
        f"func.return {joined} : {type}",
    )
    return f"{head} {{\n{body}\n{end}\n}}"


def feeds(module: ModuleOp, rows: int, sizes: list[int]) -> dict[str, np.ndarray]:
    """Return random integers: sums of them are exact in any order."""
    rng = np.random.default_rng(0)
    shapes = [(rows, sizes[0])]
    shapes += [(sum(sizes[:n]), sizes[n]) for n in range(1, len(sizes))]
    arrays = [rng.integers(-2, 3, shape).astype(np.float32) for shape in shapes]
    return {f"input{number}": array for number, array in enumerate(arrays)}


@pytest.mark.parametrize("rows", [2, 13])
@pytest.mark.parametrize("sizes", [[8, 4, 12], [16, 4, 4, 4, 8], [64, 32, 32, 32], [4, 52, 8]])
def test_the_same_results(rows: int, sizes: list[int]) -> None:
    text, weights = dense(rows, sizes), WeightStore()
    context = registry.new_context(weights)
    module = parse_module(text, context)
    given = feeds(module, rows, sizes)
    (wanted,) = run_reference(module, given, weights).values()
    for step in registry.build_passes("graph-share-concatenations"):
        step.apply(context, module)
    assert sum(isinstance(op, OverlayOp) for op in module.walk()) == len(sizes)
    (shared,) = run_reference(module, given, weights).values()
    np.testing.assert_array_equal(shared, wanted)
    kernels = lowered(text, PASSES)
    assert any(isinstance(op, OverlayOp) for op in kernels.walk())  # what no kernel joins
    (got,) = run_module(kernels, given)
    np.testing.assert_array_equal(got, wanted)
