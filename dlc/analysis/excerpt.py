"""Some ops of a graph as a program of their own."""

from collections.abc import Mapping, Sequence

from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block, SSAValue

from dlc.dialects.graph.structure import GraphOp


def excerpt(ops: Sequence[GraphOp]) -> tuple[Block, Mapping[GraphOp, GraphOp]]:
    """Return a program that gives what the last one of some ops gives, and the copy of each in it.

    ops: in their order. What they read of others is an argument of the program, and copied where it
    is computed of constants alone.
    """
    closed, block = _Closed(), Block()
    values, copies = dict[SSAValue, SSAValue](), dict[GraphOp, GraphOp]()

    def copy(op: GraphOp) -> None:
        for value in op.operands:
            bring(value)
        block.add_op(new := op.clone(values))
        values.update(zip(op.results, new.results, strict=True))
        copies[op] = new

    def bring(value: SSAValue) -> None:
        if value in values:
            return
        if isinstance(value.owner, GraphOp) and closed(value.owner):
            copy(value.owner)
        else:
            values[value] = block.insert_arg(value.type, len(block.args))

    for op in ops:
        if op not in copies:
            copy(op)
    block.add_op(ReturnOp(*copies[ops[-1]].results))
    return block, copies


class _Closed:
    """Answers whether an op depends on constants alone, such as positions along an axis."""

    def __init__(self) -> None:
        self._found: dict[GraphOp, bool] = {}

    def __call__(self, op: GraphOp) -> bool:
        if op not in self._found:
            owners = [value.owner for value in op.operands]
            self._found[op] = all(isinstance(each, GraphOp) and self(each) for each in owners)
        return self._found[op]
