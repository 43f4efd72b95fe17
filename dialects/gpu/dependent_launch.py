"""Launches that begin while the ones before them still run (PTX ISA, "griddepcontrol")."""

from abc import ABC

from xdsl.irdl import IRDLOperation, irdl_op_definition, traits_def
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from dlc.arch.scope import Scope
from dlc.dialects.gpu.capability import NeedsCapability
from dlc.dialects.gpu.kernel import kernel_around
from dlc.ir.order import OrderingOp, Token, TokenKind


class GriddepcontrolOp(IRDLOperation, OrderingOp, NeedsCapability, ABC):
    """What a thread says about the launches before its own and after it."""

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "attr-dict"

    @property
    def capability(self) -> str:
        return "griddepcontrol"

    def verify_(self) -> None:
        kernel = kernel_around(self)
        if kernel is not None and kernel.constant_inputs is None:
            raise VerifyException(
                "its kernel has no constant_inputs: it begins when the launches before it have "
                "ended"
            )


@irdl_op_definition
class GriddepcontrolWaitOp(GriddepcontrolOp):
    """Wait until the launches before this one have ended, and see all that they wrote (PTX
    ``griddepcontrol.wait``).

    Before it, a thread touches nothing in global memory but the kernel's ``constant_inputs``. Every
    thread waits: so a launch has not ended before those before it have, and who waits for the last
    one has waited for all of them.
    """

    name = "gpu.griddepcontrol_wait"

    @property
    def acquires(self) -> Token:
        return Token(TokenKind.LAUNCHES, Scope.GRID)


@irdl_op_definition
class GriddepcontrolLaunchDependentsOp(GriddepcontrolOp):
    """Let the launch after this one begin once all blocks have come here, or ended (PTX
    ``griddepcontrol.launch_dependents``).

    It makes nothing visible: who reads what this launch writes waits for its end.
    """

    name = "gpu.griddepcontrol_launch_dependents"


OPERATIONS = [GriddepcontrolWaitOp, GriddepcontrolLaunchDependentsOp]
