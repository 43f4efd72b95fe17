"""What runs before, between and after the loops of a block: no kernel has ops of two of these."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from xdsl.ir import Block, Operation

from dlc.dialects.graph.step_loop import StepLoopOp

Stage = AbstractSet[Operation]
"""Ops with no loop between them."""


def stages(block: Block) -> Sequence[Stage]:
    """Return the ops of a block that are no loops, by the number of loops that must run before.

    What only ops of later stages read is in the first of these. A block without loops is one stage.
    """
    number: dict[Operation, int] = {}
    for op in block.ops:
        number[op] = max((_ready(value.owner, number) for value in op.operands), default=0)
    for op in reversed(block.ops):
        readers = [use.operation for result in op.results for use in result.uses]
        if readers and not isinstance(op, StepLoopOp) and block.last_op not in readers:
            number[op] = min(number[reader] for reader in readers)
    computing = [op for op in block.ops if not isinstance(op, StepLoopOp)]
    return [
        {op for op in computing if number[op] == stage}
        for stage in range(max(number.values(), default=0) + 1)
    ]


def _ready(owner: Operation | Block, number: dict[Operation, int]) -> int:
    """Return the stage from which on a result of an op can be read."""
    if isinstance(owner, Block):
        return 0
    return number[owner] + isinstance(owner, StepLoopOp)
