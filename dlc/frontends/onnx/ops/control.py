"""Control flow that is decided when compiling."""

from collections.abc import Sequence

import onnx
from xdsl.ir import SSAValue

from dlc.errors import CompileError
from dlc.frontends.onnx.conversion import NodeContext, converts


@converts("If", since=1)
def _if(node: NodeContext) -> Sequence[SSAValue | None]:
    condition = node.require_constant(0, "condition")
    if condition.size != 1:
        raise CompileError(f"the condition of If has {condition.size} elements, it takes one")
    branch = node.attribute("then_branch" if condition.item() else "else_branch")
    if not isinstance(branch, onnx.GraphProto):
        raise CompileError("If needs both then_branch and else_branch")
    return node.inline(branch)
