"""In whose buffer each tensor of a function of launches is."""

from xdsl.ir import Block, SSAValue

from dlc.analysis.dataflow import origin
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.tensor import element_bytes, element_type

Place = tuple[SSAValue, int]
"""A tensor with a buffer of its own, and bytes from its begin."""


class Buffers:
    """Views are in the buffers of their operands, operands of concatenations in those of the
    results.
    """

    def __init__(self, block: Block):
        self._within: dict[SSAValue, Place] = {}
        for op in block.ops:
            if isinstance(op, GraphOp):
                self._visit(op)

    def place(self, value: SSAValue) -> Place:
        """Return where ``value`` begins."""
        offset = 0
        while value in self._within:
            value, shift = self._within[value]
            offset += shift
        return value, offset

    def _visit(self, op: GraphOp) -> None:
        if op.view_offset is not None:
            self._within[op.results[0]] = op.operands[0], op.view_offset * _width(op)
        for operand, first in zip(op.operands, op.operand_offsets or (), strict=False):
            self._within[origin(operand)] = op.results[0], first * _width(op)


def _width(op: GraphOp) -> int:
    return element_bytes(element_type(op.results[0]))
