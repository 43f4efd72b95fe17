"""Lets a kernel store results as parts of larger tensors."""

from collections.abc import Mapping

from xdsl.dialects.builtin import FunctionType
from xdsl.rewriter import Rewriter

from dlc.dialects.graph.overlay import Part
from dlc.dialects.loop.kernel import KernelOp
from dlc.dialects.loop.memory import ElementOp, LoadOp, buffer_shape
from dlc.errors import CompileError
from dlc.ir.access import canonical_access
from dlc.ir.parts import WrittenPart, parts_attribute
from dlc.lowering.job import buffer_of


def store_parts(kernel: KernelOp, parts: Mapping[int, Part]) -> None:
    """Give a kernel the buffers of larger tensors in place of its buffers of some numbers; it
    writes parts of them then.

    Raises CompileError where the kernel does more with the buffer than to store and load elements.
    """
    found = [_store_part(kernel, number, part) for number, part in parts.items()]
    kernel.parts = parts_attribute(found)
    kernel.function_type = FunctionType.from_lists(kernel.body.block.arg_types, [])


def _store_part(kernel: KernelOp, number: int, part: Part) -> WrittenPart:
    buffer = kernel.body.block.args[number]
    size = buffer_shape(buffer)[part.axis]
    for use in tuple(buffer.uses):
        op = use.operation
        if not isinstance(op, ElementOp) or (isinstance(op, LoadOp) and op.guard is not None):
            message = f"a kernel with {op.name} cannot store its result in a larger tensor"
            raise CompileError(f"{message}; take the graph.overlay out, or into a group")
        _shift(op, part)
    Rewriter.replace_value_with_new_type(buffer, buffer_of(part.whole))
    return WrittenPart(number, part.axis, part.start, part.start + size)


def _shift(op: ElementOp, part: Part) -> None:
    """Let an op find an element of the part where it is in the whole."""
    found = op.affine_map
    exprs = list(found.results)
    exprs[part.axis] += part.start
    op.map, _ = canonical_access(exprs, list(op.indices))
