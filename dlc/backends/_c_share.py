"""Loops over cores as C: a function of the iterations, of which each thread calls a share.

The function takes what the loop reads of the code around it by the same names, from a structure.
"""

from collections.abc import Iterator

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from dlc.backends._c_like import CLikePrinter
from dlc.backends._c_scalar import storage_type
from dlc.core.locations import operation_text
from dlc.dialects.loop import AllocOp, ForOp
from dlc.dialects.loop.attributes import LoopMap
from dlc.errors import CompileError
from dlc.ir.space import buffer_type

SPREAD = """
#include <stdint.h>

/* Do the iterations of a loop, a share on each thread (threads.h). */
void dlc_spread(void (*share)(void *captured, int64_t first, int64_t end), void *captured,
                int64_t count);
"""


def is_spread(op: Operation) -> bool:
    """Return whether an operation is a loop over cores."""
    return isinstance(op, ForOp) and op.map.data is LoopMap.CORES


def run_together(op: Operation) -> Iterator[Operation]:
    """Yield the operations in a kernel or a loop that are in the same function of C."""
    for region in op.regions:
        for inner in (each for block in region.blocks for each in block.ops):
            yield inner
            if not is_spread(inner):
                yield from run_together(inner)


class SharePrinter(CLikePrinter):
    """Prints loops over cores. functions: the lines of those that stand before the kernel.
    buffers: how the kernel's parameters are declared.
    """

    def __init__(self) -> None:
        super().__init__()
        self.kernel_name = ""
        self.functions: list[str] = []
        self.buffers: dict[SSAValue, str] = {}

    def begin(self, op: Operation) -> None:
        """Print what stands first in the function of a kernel or of a loop over cores."""

    def _declaration(self, value: SSAValue) -> str:
        """Return how a parameter of a function declares a value."""
        if value in self.buffers:
            return self.buffers[value]
        if isinstance(value.owner, AllocOp):
            element = buffer_type(value).element_type
            return f"{storage_type(element)} *restrict {self.names[value]}"
        return f"const {self.type_of(value)} {self.names[value]}"

    def spread(self, op: ForOp) -> None:
        """Print a loop over cores. Raises CompileError where it carries values or begins late."""
        if op.carried or op.until is not None or (op.range.start, op.range.step) != (0, 1):
            raise CompileError("a loop over cores has iterations from 0 on", at=operation_text(op))
        name, captured = self.fresh(f"{self.kernel_name}_share"), self._captured(op)
        outer, depth = (self.lines, self._depth)
        self.lines, self._depth = [], 0
        self._functions(op, name, captured)
        self.functions += self.lines
        self.lines, self._depth = outer, depth
        values = ", ".join(self.names[value] for value in captured)
        self.line(f"struct {name} {name}_captured = {{{values}}};")
        self.line(f"dlc_spread({name}, &{name}_captured, {len(op.range)});")

    def _functions(self, op: ForOp, name: str, captured: list[SSAValue]) -> None:
        declared = [self._declaration(value) for value in captured]
        with self.braces(f"struct {name}", "};"):
            for each in declared:
                self.line(f"{each};")
        parameters = ", ".join([*declared, "int64_t first", "int64_t end"])
        with self.braces(f"static void {name}_body({parameters})"):
            self.begin(op)
            i = self.names[op.induction] = self.fresh("i")
            type = self.type_of(op.induction)
            if not any(isinstance(inner, ForOp) for inner in op.body.walk()):
                self.line("#pragma omp simd")
            forward = f"for ({type} {i} = first; {i} < end; ++{i})"
            backward = f"for ({type} {i} = end - 1; {i} >= first; --{i})"
            with self.braces(backward if op.backward else forward):
                self.block(op.body.block)
        values = ", ".join([*(f"c->{self.names[v]}" for v in captured), "first", "end"])
        with self.braces(f"static void {name}(void *captured, int64_t first, int64_t end)"):
            self.line(f"const struct {name} *c = captured;")
            self.line(f"{name}_body({values});")

    def _captured(self, op: ForOp) -> list[SSAValue]:
        """Return the values from outside of a loop that it reads, constants left out."""
        inside = set(op.walk())
        found = dict[SSAValue, None]()
        for value in (v for inner in op.body.walk() for v in inner.operands):
            owner = value.owner
            around = owner if isinstance(owner, Operation) else owner.parent_op()
            if around not in inside and not isinstance(owner, arith.ConstantOp):
                found[value] = None
        return list(found)
