"""Kernels whose blocks wait for each other: what holds at every level that knows of blocks."""

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from dlc.ir.cluster import ClusteredKernel


def filled_numbers(kernel: Operation) -> Sequence[int]:
    """Return the numbers of the buffers that hold only ones when a kernel begins."""
    filled = kernel.properties.get("filled")
    return tuple(map(int, filled.get_values())) if isinstance(filled, DenseArrayBase) else ()


def verify_cooperation(kernel: ClusteredKernel, inputs: Sequence[BlockArgument]) -> None:
    """Raise VerifyException where ``cooperative`` or ``filled`` of a kernel cannot be obeyed."""
    if "cooperative" in kernel.properties and "cluster" in kernel.properties:
        raise VerifyException("a cooperative kernel has no clusters: no lowering needs both")
    filled, count = filled_numbers(kernel), len(kernel.regions[0].block.args)
    if any(not len(inputs) <= number < count for number in filled):
        raise VerifyException(
            f"filled = {list(filled)} should be numbers of outputs or scratch buffers"
        )
    if len(set(filled)) < len(filled):
        raise VerifyException(f"filled = {list(filled)} names a buffer twice")


def verify_grid_barrier(op: Operation, counter: SSAValue, number: int) -> None:
    """Raise VerifyException where the blocks of a launch would not all come to a barrier, or would
    count wrongly: ``number`` is its place among those of ``counter``, from 1 on.
    """
    kernel = ClusteredKernel.around(op)
    if kernel is None:
        return
    if "cooperative" not in kernel.properties:
        raise VerifyException(
            "its kernel is not cooperative: a block may wait for one that has not begun"
        )
    arguments = kernel.regions[0].block.args
    if counter not in [arguments[filled] for filled in filled_numbers(kernel)]:
        raise VerifyException("the counter does not begin at -1; name it in filled")
    _verify_place(op, kernel)
    _verify_number(op, counter, number)


def _verify_place(op: Operation, kernel: Operation) -> None:
    if op.parent_op() is not kernel:
        raise VerifyException(
            "stands in a loop or under a condition; all threads of the launch come to it, once"
        )


def _verify_number(op: Operation, counter: SSAValue, number: int) -> None:
    users = {use.operation for use in counter.uses}
    for other in users:
        if not isinstance(other, type(op)):
            raise VerifyException(f"the counter has other uses: {other.name}")
    block = op.parent
    assert block is not None
    place = [other for other in block.ops if other in users].index(op) + 1
    if number != place:
        raise VerifyException(f"is barrier {place} of its counter, and has the number {number}")
