"""Waits for groups of what a thread has under way: copies, stores, products."""

from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation, ParsePropInAttrDict, prop_def, traits_def
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException


class GroupWaitOp(IRDLOperation):
    """Wait until at most ``outstanding`` groups are under way. MOST: groups that it can leave;
    ``None``: any number.
    """

    MOST: ClassVar[int | None] = None
    outstanding = prop_def(IntegerAttr.constr(i64))
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "attr-dict"

    def __init__(self, outstanding: int, **more: Attribute | None):
        super().__init__(properties={"outstanding": IntegerAttr(outstanding, i64), **more})

    def verify_(self) -> None:
        number = self.outstanding.value.data
        if number < 0 or (self.MOST is not None and number > self.MOST):
            range = "at least 0" if self.MOST is None else f"in 0..{self.MOST}"
            raise VerifyException(f"outstanding = {number} should be {range}")
