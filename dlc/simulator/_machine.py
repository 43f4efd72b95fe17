"""Operations as functions of the threads that run them, compiled once per kernel."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from dlc.arch.scope import Scope
from dlc.core.affine import simplify
from dlc.core.locations import operation_text
from dlc.dialects.gpu import KernelOp
from dlc.errors import CompileError
from dlc.ir.access import Access
from dlc.ir.order import OrderingOp
from dlc.simulator._buffer import Buffer, First, RegisterBuffer
from dlc.simulator._copies import Copies
from dlc.simulator._faults import Site
from dlc.simulator._gathering import check_together
from dlc.simulator._global import GlobalBuffer, Grid
from dlc.simulator._products import Products
from dlc.simulator._registers import Registers
from dlc.simulator._remote import RemoteTouches
from dlc.simulator._scalars import scalar_function
from dlc.simulator._shared import SharedMemory
from dlc.simulator._stores import Stores
from dlc.simulator._threads import Active, Batch, Booleans, Value
from dlc.simulator._tokens import Tokens

Step = Callable[[Active], None]
"""Runs one operation in some threads."""
Compiler = Callable[["Machine", Any], Step]
"""Makes the step of an operation."""
Place = Callable[[Active], tuple[Buffer, First]]
"""Gives the buffer and the row-major position of an access."""
Expression = Callable[[Sequence[Value]], Value]


class Wait(ABC):
    """What threads wait for at an operation."""

    @abstractmethod
    def is_over(self, active: Active) -> Booleans:
        """Return for each of these threads whether it may go on."""

    @abstractmethod
    def go_on(self, active: Active) -> None:
        """Let these threads go on; they know what those knew for whom they have waited."""

    @abstractmethod
    def lacks(self, active: Active) -> str:
        """Return what is missing for the first of these threads, for a message."""


class Machine:
    """The values of all threads of a batch, and the compiler of steps that work on them.

    batch, shared, copies, stores, products, tokens, held, grid: those of the batch that runs; the
    steps outlive it. held: how many registers threads have. counters: what the kernel keeps in
    global memory from launch to launch. registers: the buffers that the batch has had in registers,
    by slot. waits: by operation.
    """

    batch: Batch
    shared: SharedMemory
    copies: Copies
    products: Products
    touches: RemoteTouches
    stores: Stores
    tokens: Tokens
    held: Registers
    grid: Grid

    def __init__(
        self, kernel: KernelOp, compilers: Mapping[type[Operation], Compiler], checks: bool
    ):
        self.kernel = kernel
        self.checks = checks
        self._compilers = compilers
        self._slots: dict[SSAValue, int] = {}
        self.values: list[Value] = []
        self.counters: list[GlobalBuffer] = []
        self.registers: dict[int, RegisterBuffer] = {}
        self.waits: dict[Operation, Wait] = {}

    def slot(self, value: SSAValue) -> int:
        """Return the position of a value in ``values``."""
        if value not in self._slots:
            self._slots[value] = len(self.values)
            self.values.append(None)
        return self._slots[value]

    def slots(self, values: Sequence[SSAValue]) -> list[int]:
        """Return the positions of several values."""
        return [self.slot(value) for value in values]

    def block(self, block: Block) -> Step:
        """Compile the operations of a block, to be run in order."""
        steps = [self.step(op) for op in block.ops]

        def run(active: Active) -> None:
            for step in steps:
                step(active)

        return run

    def step(self, op: Operation) -> Step:
        """Compile one operation."""
        compiler = self._compilers.get(type(op))
        if compiler is not None:
            return self._together(op, compiler(self, op))
        if len(op.results) == 1 and not op.regions:
            return self._scalar(op)
        raise CompileError("cannot be simulated; lower it first", at=operation_text(op))

    def _together(self, op: Operation, step: Step) -> Step:
        """Return a step that fails where not all threads of a group come that should."""
        scope = op.together if isinstance(op, OrderingOp) else Scope.THREAD
        if scope is Scope.THREAD:
            return step
        site = Site(op)

        def run(active: Active) -> None:
            check_together(self.batch, site, active, scope)
            step(active)

        return run

    def _scalar(self, op: Operation) -> Step:
        function, values = scalar_function(op), self.values
        operands, result = self.slots(op.operands), self.slot(op.results[0])

        def run(active: Active) -> None:
            values[result] = function(*[values[slot] for slot in operands])

        return run

    def place(self, access: Access, site: Site) -> Place:
        """Compile an access: it fails where an index leaves the buffer."""
        axes = index_expressions(access)
        sizes = access.type.get_shape()
        total = int(np.prod(sizes, dtype=np.int64))
        reaches = access.reach if access.box else (1,) * len(sizes)
        neighbours = 1 if access.box else access.elements
        slots, buffer, values = self.slots(access.operands), self.slot(access.buffer), self.values

        def at(active: Active) -> tuple[Buffer, First]:
            dims = [active.of(values[slot]) for slot in slots]
            first: First = 0
            for axis, expression in enumerate(axes):
                index, size, reach = expression(dims), sizes[axis], reaches[axis]
                outside = (index < 0) | (index + reach > size)
                if _holds_somewhere(outside):
                    what = f"axis {axis} of size {size}" + (f", {reach} of it" * (reach > 1))
                    self._fail_outside(site, active, index, outside, what)
                first = first * size + index
            beyond = first + neighbours > total
            if _holds_somewhere(beyond):
                what = f"the {access.elements} elements from there in a buffer of {total}"
                self._fail_outside(site, active, first, beyond, what)
            return values[buffer], first

        return at

    def _fail_outside(
        self, site: Site, active: Active, index: Value, outside: Value, what: str
    ) -> None:
        thread = int(np.argmax(np.broadcast_to(outside, active.count)))
        at = int(np.broadcast_to(index, active.count)[thread])
        site.fail(self.batch, active.threads[thread], f"is outside: index {at}, {what}")


def _holds_somewhere(condition: Value) -> bool:
    """Return whether a condition holds for some thread; most are the same for all."""
    return condition if isinstance(condition, bool) else bool(condition.any())


def nothing(active: Active) -> None:
    """The step of an operation whose value is known before the launch, or that has none."""


def index_expressions(access: Access) -> list[Expression]:
    """Return the index along each axis as a function of the operands' values."""
    return [expression(simplify(result)) for result in access.map.results]


def expression(expr: AffineExpr) -> Expression:
    """Return an index expression as a function of the dims' values, numbers or arrays."""
    match expr:
        case AffineConstantExpr():
            constant = expr.value
            return lambda dims: constant
        case AffineDimExpr():
            position = expr.position
            return lambda dims: dims[position]
        case AffineBinaryOpExpr():
            return _binary(expr)
        case _:
            raise CompileError(f"index expression {expr} cannot be simulated")


def _binary(expr: AffineBinaryOpExpr) -> Expression:
    left, right = expression(expr.lhs), expression(expr.rhs)
    match expr.kind:
        case AffineBinaryOpKind.Add:
            return lambda dims: left(dims) + right(dims)
        case AffineBinaryOpKind.Mul:
            return lambda dims: left(dims) * right(dims)
        case AffineBinaryOpKind.FloorDiv:
            return lambda dims: left(dims) // right(dims)
        case AffineBinaryOpKind.CeilDiv:
            return lambda dims: -(-left(dims) // right(dims))
        case AffineBinaryOpKind.Mod:
            return lambda dims: left(dims) % right(dims)
