"""Divide by a product with the reciprocal where the quotient is rounded to 16 bits."""

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from dlc.core.passes import DlcPass
from dlc.dialects.gpu import KernelOp
from dlc.dialects.loop import StoreOp
from dlc.dialects.loop.memory import buffer_element
from dlc.dialects.loop.scalar import NEAR_QUOTIENT, RATIO
from dlc.ir.tensor import element_bytes


class GpuSelectQuotientsPass(DlcPass):
    """A near quotient (``fastmath<afn>``) becomes a ratio (``fastmath<arcp>``) where it is only
    stored as a type that is shorter than it.

    What refines a near quotient, so that it is exact where a float is, is lost when it is rounded
    to half of its bits: an error of two units in the last place of ``f32`` is 2**-12 of one of
    ``f16``. Many elements are divided by one number, whose reciprocal is computed once.

    Stays: a quotient that something else reads, one that is stored in all of its bits, an exact
    one.

    Runs on: ``gpu``. Leaves: ``gpu``. Order: any.

    ::

        %q = arith.divf %x, %y fastmath<afn> : f32            ->   arith.divf %x, %y fastmath<arcp>
        loop.store %q, %z[%i] : f32 -> memref<8xf16>
    """

    name = "gpu-select-quotients"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            for quotient in kernel.walk() if isinstance(kernel, KernelOp) else ():
                if isinstance(quotient, arith.DivfOp) and quotient.fastmath == NEAR_QUOTIENT:
                    bits = element_bytes(quotient.result.type)
                    if all(_rounds(use.operation, bits) for use in quotient.result.uses):
                        quotient.fastmath = RATIO


def _rounds(op: Operation, bytes: int) -> bool:
    """Return whether an operation stores what it reads in fewer bytes than it has."""
    return isinstance(op, StoreOp) and element_bytes(buffer_element(op.buffer)) < bytes
