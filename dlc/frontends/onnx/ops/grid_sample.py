"""Elements interpolated at places that another input names."""

from xdsl.dialects.builtin import StringAttr, UnitAttr
from xdsl.ir import SSAValue

from dlc.dialects.graph.grid_sample import GridSampleOp
from dlc.frontends.onnx.conversion import NodeContext, converts

_MODES = {"bilinear": "linear", "bicubic": "cubic"}
"""The names before opset 20."""


@converts("GridSample", since=16)
def _grid_sample(node: NodeContext) -> SSAValue:
    mode = node.string("mode", "linear")
    op = GridSampleOp.make(
        node.operand(0),
        node.operand(1),
        mode=StringAttr(_MODES.get(mode, mode)),
        padding=StringAttr(node.string("padding_mode", "zeros")),
        align_corners=UnitAttr() if node.integer("align_corners", 0) else None,
    )
    return node.insert(op)
