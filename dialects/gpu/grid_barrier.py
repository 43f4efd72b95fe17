"""The barrier of all blocks of a launch."""

from collections.abc import Sequence
from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import AffineMapAttr, IntegerAttr, MemRefType, i32, i64
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    prop_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from dlc.arch.scope import Scope
from dlc.dialects.gpu.buffers import Place
from dlc.dialects.gpu.kernel import kernel_of
from dlc.dialects.gpu.sync import MeetingOp
from dlc.ir.access import INDEX, Access, IndexedBuffer, MemoryOp, canonical_access, verify_access
from dlc.ir.cooperation import verify_grid_barrier


@irdl_op_definition
class GridBarrierOp(MeetingOp, MemoryOp):
    """Wait for all threads of the launch, and see what they wrote.

    A block adds 1 to the counter when its threads have met, and waits until all blocks have. The
    counter is -1 when the kernel begins (``filled``) and is not set back: behind the barrier with
    ``number`` it is at least ``number`` times the blocks, less 1. Numbers count from 1, in the
    order in which the blocks come to the barriers. All threads come to each of them once: it
    stands in no loop and under no condition. Nothing else uses the counter.

    ``gpu.grid_barrier %counter[0] {number = 1 : i64} : memref<1xi32>``
    """

    name = "gpu.grid_barrier"
    counter = operand_def(MemRefType)
    indices = var_operand_def(INDEX)
    map = prop_def(AffineMapAttr)
    number = prop_def(IntegerAttr.constr(i64))
    irdl_options = (ParsePropInAttrDict(),)
    custom_directives = (IndexedBuffer,)
    assembly_format = "custom<IndexedBuffer>($counter, $indices, $map) attr-dict `:` type($counter)"
    SCOPE: ClassVar[Scope] = Scope.GRID

    def __init__(self, counter: Place, number: int):
        buffer, exprs, dims = counter
        map, indices = canonical_access(exprs, dims)
        super().__init__(
            operands=[buffer, indices],
            properties={"map": map, "number": IntegerAttr(number, i64)},
        )

    def accesses(self) -> Sequence[Access]:
        place = self.counter, self.map.data, tuple(self.indices)
        return (Access(*place, reads=True, writes=True, atomic=True),)

    @property
    def last_arrival(self) -> int:
        """What the counter is at least when all blocks have come."""
        return self.number.value.data * prod(kernel_of(self).grid_size) - 1

    def verify_(self) -> None:
        if self.counter.type != MemRefType(i32, [1]):
            raise VerifyException(f"the counter is a memref<1xi32>, not {self.counter.type}")
        verify_access(self.accesses()[0], "the counter")
        if self.number.value.data < 1:
            raise VerifyException(f"number = {self.number.value.data} should be at least 1")
        verify_grid_barrier(self, self.counter, self.number.value.data)


OPERATIONS = [GridBarrierOp]
