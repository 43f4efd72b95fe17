"""How many registers the threads of a warpgroup have."""

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.irdl import IRDLOperation, ParsePropInAttrDict, irdl_op_definition, prop_def, traits_def
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from dlc.arch.gpu import GpuArch
from dlc.arch.scope import Scope
from dlc.dialects.gpu.capability import NeedsCapability
from dlc.dialects.gpu.kernel import kernel_around
from dlc.ir.order import OrderingOp

FEWEST, MOST, STEP = 24, 256, 8
"""Registers of a thread that can be asked for (PTX ISA, "setmaxnreg")."""

MOST_COMPILED = 248
"""The whole steps below the 255 registers that code can name: a kernel is compiled for no more, so
its threads have no more at launch."""


def registers_at_launch(threads: int) -> int:
    """Return the registers that each thread of a block has at first: an even share of an SM's, for
    a kernel of which one block is to fit.
    """
    return min(GpuArch.registers_per_sm // threads // STEP * STEP, MOST_COMPILED)


def registers_of_roles(multiplying: int, bringing: int, kept: int) -> tuple[int, int]:
    """Return the registers of a thread of each role of a block, where those that bring keep some,
    and what they give back to the block is shared among those that multiply.
    """
    threads = multiplying + bringing
    left = registers_at_launch(threads) * threads - kept * bringing
    return min(left // multiplying // STEP * STEP, MOST_COMPILED), kept


@irdl_op_definition
class SetRegistersOp(IRDLOperation, OrderingOp, NeedsCapability):
    """Let each thread of the warpgroup have ``count`` registers from here on (PTX ``setmaxnreg``).

    Fewer are given back to the block at once; for more, the warpgroup waits until others have given
    them back. The kernel says ``resident_blocks = 1``; its threads have ``registers_at_launch``.

    ``gpu.set_registers {count = 240 : i64}``
    """

    name = "gpu.set_registers"
    count = prop_def(IntegerAttr.constr(i64))
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "attr-dict"

    def __init__(self, count: int):
        super().__init__(properties={"count": IntegerAttr(count, i64)})

    @property
    def together(self) -> Scope:
        return Scope.WARPGROUP

    @property
    def capability(self) -> str:
        return "setmaxnreg"

    def verify_(self) -> None:
        count = self.count.value.data
        if not FEWEST <= count <= MOST or count % STEP:
            raise VerifyException(
                f"count = {count} should be a multiple of {STEP} from {FEWEST} to {MOST}"
            )
        kernel = kernel_around(self)
        if kernel is None:
            return
        if kernel.resident_blocks is None or kernel.resident_blocks.value.data != 1:
            raise VerifyException("a kernel that moves registers says resident_blocks = 1")
        if kernel.threads % Scope.WARPGROUP.threads:
            raise VerifyException(
                f"warpgroups move registers; {kernel.threads} threads are not whole ones"
            )


OPERATIONS = [SetRegistersOp]
