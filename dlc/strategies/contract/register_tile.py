"""The micro-kernel of products on a CPU: a tile of sums in SIMD registers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.arch import CpuArch
from dlc.dialects.loop.attributes import LoopKind
from dlc.dialects.loop.structure import ForOp, YieldOp
from dlc.dialects.loop.vector import StoreVectorOp
from dlc.ir.tensor import is_float
from dlc.lowering.scope import LoopScope
from dlc.model.violation import Resource, Violation

Values = Sequence[SSAValue]
At = Sequence[AffineExpr]
"""A point of the loops of a reduction."""

_LOAD_CLOCKS = 0.5
_FMA_CLOCKS = 4
"""Latency of a multiply-add: so many independent ones keep a unit busy."""

_STEP_CLOCKS = 1.0
"""What a step costs beside its multiply-adds and loads: the loop and its addresses."""


@dataclass(frozen=True)
class Reduction:
    """What a tile sums up, in loops of ``sizes``.

    lhs: writes the element of a row at a point. rhs: writes the vector of a number at a point.
    until: where it is given, the iterations of the only loop end before it. ask: writes what a
    point asks for ahead of time.
    """

    sizes: Sequence[int]
    lhs: Callable[[int, At], SSAValue]
    rhs: Callable[[int, At], SSAValue]
    until: SSAValue | None = None
    ask: Callable[[At], None] = lambda _: None


@dataclass(frozen=True)
class RegisterTile:
    """rows x columns of the result, in rows * vectors SIMD registers."""

    rows: int
    vectors: int
    lanes: int

    @property
    def columns(self) -> int:
        """The columns of the tile."""
        return self.vectors * self.lanes

    @property
    def registers(self) -> int:
        """The SIMD registers of a tile: the sums, a row of loads and a broadcast."""
        return self.rows * self.vectors + self.vectors + 1

    def violation(self, arch: CpuArch, element_bytes: int) -> Violation | None:
        """Return why a core cannot hold the tile, of elements of so many bytes; ``None`` where it
        can.
        """
        wide = ceil(self.lanes * element_bytes / arch.vector_bytes)
        needed = replace(self, vectors=self.vectors * wide).registers
        if needed <= arch.vector_registers:
            return None
        return Violation(
            Resource.REGISTERS,
            f"the tile needs {needed} SIMD registers, {arch.name} has {arch.vector_registers}",
        )

    def step_clocks(self, arch: CpuArch, streams: bool = False) -> float:
        """Return the clocks of a step of the reduction: the longest of its multiply-adds (as many
        as units, if enough are independent) and its loads. streams: whether no core's cache holds
        the rhs.
        """
        multiply_adds = self.rows * self.vectors
        busy = min(1.0, multiply_adds / (_FMA_CLOCKS * arch.fma_units_per_core))
        issue = multiply_adds / (arch.fma_units_per_core * busy)
        loads = (self.rows + self.vectors) * (
            arch.costs.streamed_load_clocks if streams else _LOAD_CLOCKS
        )
        arriving = arch.costs.streamed_vector_clocks * self.vectors if streams else 0.0
        return max(issue, loads) + arriving + _STEP_CLOCKS

    def sum_up(
        self,
        scope: LoopScope,
        rows: int,
        compute: Attribute,
        reduction: Reduction,
        start: Values = (),
    ) -> Values:
        """Write the sums of the first ``rows`` rows; return them row by row. start: what they are
        added to, zero where it is not given.
        """
        if not start:
            type = VectorType(compute, [self.lanes])
            zero = scope.b.insert(vector.BroadcastOp(scope.b.constant(0, compute), type))
            start = [zero] * (rows * self.vectors)
        return self._reduce(scope, reduction, [], start)

    def store(
        self,
        scope: LoopScope,
        totals: Values,
        buffer: SSAValue,
        row: AffineExpr,
        column: AffineExpr,
    ) -> None:
        """Write the stores of sums to rows of a buffer, from a row and a column on."""
        for number, total in enumerate(totals):
            down, lane = divmod(number, self.vectors)
            flat, dims = scope.resolve([row + down, column + lane * self.lanes])
            scope.b.builder.insert(StoreVectorOp(total, buffer, flat, dims))

    def _reduce(self, scope: LoopScope, reduction: Reduction, outer: At, totals: Values) -> Values:
        """Loop over what is left of the reduction; return the accumulators."""
        if len(outer) == len(reduction.sizes):
            return self._step(scope, reduction, outer, totals)
        size, until = reduction.sizes[len(outer)], reduction.until
        loop = ForOp(0, size, kind=LoopKind.REDUCTION, iter_args=totals, until=until)
        with scope.loop(loop) as dim:
            inner = self._reduce(scope, reduction, [*outer, dim], loop.carried_arguments)
            scope.b.builder.insert(YieldOp(*inner))
        return loop.results

    def _step(self, scope: LoopScope, reduction: Reduction, at: At, totals: Values) -> Values:
        """Write one step of the reduction: a column of the lhs times a row of the rhs."""
        type = totals[0].type
        assert isinstance(type, VectorType)
        reduction.ask(at)
        row_of_rhs = [reduction.rhs(number, at) for number in range(self.vectors)]
        result: list[SSAValue] = []
        for row in range(len(totals) // self.vectors):
            factor = scope.b.insert(vector.BroadcastOp(reduction.lhs(row, at), type))
            for number, column in enumerate(row_of_rhs):
                total = totals[row * self.vectors + number]
                result.append(_multiply_add(scope, factor, column, total))
        return result


def _multiply_add(scope: LoopScope, x: SSAValue, y: SSAValue, total: SSAValue) -> SSAValue:
    assert isinstance(total.type, VectorType)
    if is_float(total.type.element_type):
        return scope.b.insert(vector.FMAOp(x, y, total))
    return scope.b.insert(arith.AddiOp(scope.b.insert(arith.MuliOp(x, y)), total))
