"""Running sums and products, and order along an axis."""

from collections.abc import Sequence

from xdsl.ir import SSAValue

from dlc.dialects.graph.properties import flag, integer, normalized_axis
from dlc.dialects.graph.scan import CumProdOp, CumSumOp, ScanOp
from dlc.dialects.graph.sort import TopKOp
from dlc.errors import CompileError
from dlc.frontends.onnx.conversion import Conversion, NodeContext, converts


def _scan(op: type[ScanOp]) -> Conversion:
    def convert(node: NodeContext) -> SSAValue:
        axis = int(node.require_constant(1, "axis").item())
        return node.insert(
            op.make(
                node.operand(0),
                axis=integer(normalized_axis(axis, len(node.shape(0)))),
                exclusive=flag(bool(node.integer("exclusive", 0))),
                reverse=flag(bool(node.integer("reverse", 0))),
            )
        )

    return convert


converts("CumSum", since=11)(_scan(CumSumOp))
converts("CumProd", since=26)(_scan(CumProdOp))


@converts("TopK", since=1)
def _top_k_by_attribute(node: NodeContext) -> Sequence[SSAValue]:
    return _top_k(node, node.integer("k"), largest=True)


@converts("TopK", since=10)
def _top_k_by_input(node: NodeContext) -> Sequence[SSAValue]:
    node.disregard("sorted")  # any order is allowed without it, so also the sorted one
    count = node.require_constant(1, "number of elements")
    if count.size != 1:
        raise CompileError(f"TopK takes one number of elements, got {count.size}")
    return _top_k(node, int(count.item()), largest=bool(node.integer("largest", 1)))


def _top_k(node: NodeContext, count: int, largest: bool) -> Sequence[SSAValue]:
    axis = normalized_axis(node.integer("axis", -1), len(node.shape(0)))
    op = TopKOp.make(
        node.operand(0), results=2, axis=integer(axis), count=integer(count), largest=flag(largest)
    )
    return node.insert_all(op)
