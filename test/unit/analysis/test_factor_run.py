"""How many neighbours of a computed factor a thread computes together."""

import pytest

from dlc import registry
from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.analysis.factor_run import computed_run
from dlc.core.parser import parse_module
from dlc.dialects.graph.computed import ContractionOp


def run_of(x: str, ops: str, lhs: str, k: int, element: str = "f16") -> int:
    """Return the run of a product of ``%v``, of the type ``lhs``, which ``ops`` compute of %x."""
    module = parse_module(
        f"func.func @main(%x: tensor<{x}>, %s: tensor<{k}x{element}>, %w: tensor<8x{k}x{element}>)"
        f" -> tensor<32x8x{element}> {{\n{ops}\n"
        f"%y = graph.matmul %v, %w transpose_rhs : ({lhs}, tensor<8x{k}x{element}>) -> "
        f"tensor<32x8x{element}>\nfunc.return %y : tensor<32x8x{element}> }}",
        registry.new_context(),
    )
    (main,) = module.ops
    flow = Dataflow(main.regions[0].block)
    (product,) = (op for op in flow.ops if isinstance(op, ContractionOp))
    return computed_run(Cluster(flow, tuple(flow.ops)), product)


def scaled(k: int, element: str = "f16") -> str:
    lhs, scale = f"tensor<32x{k}x{element}>", f"tensor<{k}x{element}>"
    return f"%v = graph.mul %x, %s : ({lhs}, {scale}) -> {lhs}"


@pytest.mark.parametrize(
    ("k", "element", "run"),
    [(64, "f16", 8), (72, "f16", 8), (68, "f16", 1), (63, "f16", 1), (68, "f32", 4)],
)
def test_scaled_rows(k: int, element: str, run: int) -> None:
    x = f"32x{k}x{element}"
    assert run_of(x, scaled(k, element), f"tensor<{x}>", k, element) == run


def test_transposed_rows_are_apart() -> None:
    ops = (
        "%t = graph.transpose %x {permutation = array<i64: 1, 0>} : "
        "tensor<64x32xf16> -> tensor<32x64xf16>\n"
        "%v = graph.relu %t : tensor<32x64xf16> -> tensor<32x64xf16>"
    )
    assert run_of("64x32xf16", ops, "tensor<32x64xf16>", 64) == 1


def test_one_element_for_a_whole_row_is_together() -> None:
    ops = "%v = graph.mul %x, %s : (tensor<32x1xf16>, tensor<64xf16>) -> tensor<32x64xf16>"
    assert run_of("32x1xf16", ops, "tensor<32x64xf16>", 64) == 8
