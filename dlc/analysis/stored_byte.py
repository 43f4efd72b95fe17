"""The 8-bit integers of which a tensor of wide integers is made."""

from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from dlc.dialects.graph.cast import CastOp
from dlc.dialects.graph.elementwise import SubOp
from dlc.ir.tensor import element_bytes, element_type, is_integer, shape


def stored_bytes(value: SSAValue) -> SSAValue | None:
    """Return the 8-bit tensor of which ``value`` is the form in ``i32``, less a zero point (the rhs
    of its ``graph.sub``) or not; ``None`` where there is none.
    """
    if isinstance(source := value.owner, SubOp):
        return _widened(source.lhs) if shape(source.lhs) == shape(value) else None
    return _widened(value)


def _widened(wide: SSAValue) -> SSAValue | None:
    if not isinstance(cast := wide.owner, CastOp) or cast.to != i32:
        return None
    element = element_type(cast.x)
    return cast.x if is_integer(element) and element_bytes(element) == 1 else None
