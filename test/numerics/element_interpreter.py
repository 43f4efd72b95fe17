"""Evaluates what ``element`` writes, so that code generation can be checked without a target.

``element`` is asked once for its code, with dims as indices; the code then runs for every element.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scalar_interpreter import Scalar, run_scalar_op, scalar_dtype
from xdsl.builder import Builder
from xdsl.dialects import scf
from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    result_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.rewriter import InsertPoint

from dlc.dialects.graph.computed import ComputedOp, Index, ReductionOp
from dlc.dialects.graph.structure import Array
from dlc.dialects.loop.scalar import ScalarBuilder
from dlc.ir.tensor import compute_type, element_type, numpy_dtype, shape


@irdl_op_definition
class _ReadOp(IRDLOperation):
    name = "test.read"
    value = result_def()


@irdl_op_definition
class _IntegerOp(IRDLOperation):
    name = "test.integer"
    value = result_def()


@irdl_op_definition
class _ReduceOp(IRDLOperation):
    """Region 0 adds one point to the accumulators, region 1 puts two accumulators together."""

    name = "test.reduce"
    initial = var_operand_def()
    accumulators = var_result_def()
    parts = var_region_def()


@dataclass(frozen=True)
class _Access:
    number: int
    index: tuple[AffineExpr, ...]
    guard: frozenset[int]
    fill: float


_Writer = Callable[[Sequence[SSAValue]], Sequence[SSAValue]]


class _WritingScope:
    """A ``Scope`` that writes reads as operations and keeps their indices beside them."""

    def __init__(self, op: ComputedOp, rank: int):
        self.op = op
        self.block = Block()
        self.b = ScalarBuilder(Builder(InsertPoint.at_end(self.block)))
        self.accesses: dict[Operation, _Access] = {}
        self.expressions: dict[Operation, AffineExpr] = {}
        self.reductions: dict[Operation, tuple[int, tuple[int, ...]]] = {}
        self.symbols: list[SSAValue] = []
        self.dims = rank

    def read(
        self, operand: SSAValue, index: Index, guard: Sequence[int] = (), fill: float = 0.0
    ) -> SSAValue:
        number = next(n for n, x in enumerate(self.op.operands) if x is operand)
        assert len(index) == len(shape(operand)), "an index has one expression for each axis"
        op = _ReadOp.create(result_types=[compute_type(element_type(operand))])
        self.accesses[op] = _Access(number, tuple(index), frozenset(guard), fill)
        return self.b.insert(op)

    def symbol(self, value: SSAValue) -> AffineExpr:
        self.symbols.append(value)
        return AffineExpr.symbol(len(self.symbols) - 1)

    def integer(self, expr: AffineExpr, type: Attribute) -> SSAValue:
        op = _IntegerOp.create(result_types=[i64])
        self.expressions[op] = expr
        return self.b.cast(self.b.insert(op), type)

    def reduce(self, op: ReductionOp, index: Index) -> Sequence[SSAValue]:
        first, sizes = self.dims, op.domain.reduction
        self.dims += len(sizes)
        points = [AffineExpr.dimension(first + n) for n in range(len(sizes))]
        initial = list(op.identity(self.b))
        types = [x.type for x in initial]

        def add_point(arguments: Sequence[SSAValue]) -> Sequence[SSAValue]:
            return op.combine(self.b, arguments, op.contribution(self, index, points))

        def join(arguments: Sequence[SSAValue]) -> Sequence[SSAValue]:
            half = len(types)
            return op.combine(self.b, arguments[:half], arguments[half:])

        parts = [self._region(types, add_point), self._region(types * 2, join)]
        reduce_op = _ReduceOp.create(operands=initial, result_types=types, regions=parts)
        self.reductions[reduce_op] = first, sizes
        self.b.builder.insert(reduce_op)
        return reduce_op.results

    def _region(self, types: Sequence[Attribute], write: _Writer) -> Region:
        block = Block(arg_types=types)
        before = self.b.builder.insertion_point
        self.b.builder.insertion_point = InsertPoint.at_end(block)
        self.b.builder.insert(scf.YieldOp(*write(block.args)))
        self.b.builder.insertion_point = before
        return Region(block)


class _Evaluation:
    """One run of the code, at one index."""

    def __init__(self, scope: _WritingScope, operands: Sequence[Array], index: Sequence[int]):
        self.scope = scope
        self.operands = operands
        self.dims = [*index, *[0] * (scope.dims - len(index))]
        self.values: dict[SSAValue, Scalar] = {}

    def run(self, block: Block) -> list[Scalar]:
        """Run a block and return what its terminator yields."""
        for op in block.ops:
            operands = [self.values[x] for x in op.operands]
            if isinstance(op, scf.YieldOp):
                return operands
            self.values.update(zip(op.results, self._run_op(op, operands), strict=True))
        return []

    def _run_op(self, op: Operation, operands: list[Scalar]) -> list[Scalar]:
        match op:
            case _ReadOp():
                return [self._read(self.scope.accesses[op])]
            case _IntegerOp():
                return [np.int64(self._position(self.scope.expressions[op]))]
            case scf.IfOp():
                return self.run((op.true_region if operands[0] else op.false_region).block)
            case _ReduceOp():
                return self._reduce(op, operands)
            case _:
                return [run_scalar_op(op, operands)]

    def _position(self, expr: AffineExpr) -> int:
        symbols = [int(self.values.get(x, 0)) for x in self.scope.symbols]
        return expr.eval(self.dims, symbols)

    def _read(self, access: _Access) -> Scalar:
        array = self.operands[access.number]
        value = self.scope.op.operands[access.number]
        dtype = scalar_dtype(compute_type(element_type(value)))
        place = tuple(self._position(e) for e in access.index)
        outside = {
            a for a, (i, n) in enumerate(zip(place, array.shape, strict=True)) if not 0 <= i < n
        }
        assert outside <= access.guard, f"reads {place} of a tensor of shape {array.shape}"
        return dtype.type(access.fill) if outside else np.asarray(array[place]).astype(dtype)[()]

    def _reduce(self, op: _ReduceOp, initial: list[Scalar]) -> list[Scalar]:
        """Reduce the even and the odd points apart: any split must give the same."""
        first, sizes = self.scope.reductions[op]
        halves = [list(initial), list(initial)]
        for number, point in enumerate(np.ndindex(*sizes)):
            self.dims[first : first + len(sizes)] = point
            halves[number % 2] = self._run_part(op, 0, halves[number % 2])
        return self._run_part(op, 1, [*halves[1], *halves[0]])

    def _run_part(self, op: _ReduceOp, part: int, arguments: list[Scalar]) -> list[Scalar]:
        block = op.parts[part].block
        self.values.update(zip(block.args, arguments, strict=True))
        return self.run(block)


def run_element(op: ComputedOp, operands: Sequence[Array], result: int = 0) -> Array:
    """Return result number ``result`` of ``op`` as its ``element`` code computes it.

    operands: arrays in the stored dtypes. Fails when the code reads outside an operand without a
    guard, or does anything that a target leaves undefined.
    """
    sizes = shape(op.results[result])
    scope = _WritingScope(op, len(sizes))
    index = [AffineExpr.dimension(n) for n in range(len(sizes))]
    value = op.element(scope, index, result)
    element = element_type(op.results[result])
    assert value.type == compute_type(element), f"gives {value.type}, should be the compute type"
    scope.b.builder.insert(scf.YieldOp(value))
    computed = np.empty(sizes, scalar_dtype(value.type))
    with np.errstate(all="ignore"):
        for place in np.ndindex(*sizes):
            (computed[place],) = _Evaluation(scope, operands, place).run(scope.block)
        stored = computed.astype(numpy_dtype(element))
    if computed.dtype.kind in "ib":
        # A value that stays inside a kernel is not wrapped by a store, so it must fit already.
        assert np.array_equal(stored.astype(np.int64), computed.astype(np.int64)), "does not fit"
    return stored
