"""From the name on an op and the elements of its operands to the row of the instruction."""

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from dlc.arch import instructions
from dlc.arch.instruction import Instruction


def instruction_of(name: str, a: SSAValue, b: SSAValue, c: SSAValue) -> Instruction:
    """Return the instruction of a name for elements of these buffers; raises VerifyException if
    there is none.
    """
    types: list[str] = []
    for buffer in (a, b, c):
        assert isinstance(buffer.type, MemRefType)
        types.append(str(buffer.type.element_type))
    found = instructions.find(name, *types)
    if found is not None:
        return found
    rows = instructions.named(name)
    if not rows:
        raise VerifyException(
            f"there is no instruction {name!r}; there are: {', '.join(instructions.names())}"
        )
    known = ", ".join(row.types_text for row in rows)
    raise VerifyException(f"{name} takes {known}; not {types[0]} by {types[1]} in {types[2]}")
