"""How many elements of a staged tile one asynchronous copy can bring.

That is a question about the region of a ``loop.stage``: whether it is a load and nothing else, and
whether neighbours in the tile are neighbours in memory, aligned, and there or not there together.
"""

from dataclasses import dataclass
from math import gcd

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Block, BlockArgument, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.traits import Pure

from dlc.analysis.index_expression import constant_of
from dlc.analysis.index_range import range_of
from dlc.core.affine import Interval, Ranges, divisor_of, extent, linear_index, simplify, stride
from dlc.dialects.loop import IndexOp, LoadOp, StageOp
from dlc.ir.space import Space, buffer_type, space_of
from dlc.ir.tensor import element_bytes

COPY_BYTES = (16, 8, 4)
"""What one asynchronous copy moves, widest first (PTX ISA, "cp.async")."""


@dataclass(frozen=True)
class StagedLoad:
    """The only load of a region, and the condition without which the element is zero."""

    load: LoadOp
    condition: SSAValue | None


def staged_load(op: StageOp) -> StagedLoad | None:
    """Return the load that a stage copies, ``None`` when it computes something."""
    last = op.element.block.last_op
    assert last is not None
    value, condition = last.operands[0], None
    if isinstance(branch := value.owner, scf.IfOp):
        taken, other = (r.block.last_op for r in (branch.true_region, branch.false_region))
        assert taken is not None
        assert other is not None
        if not _is_zero(other.operands[branch.results.index(value)]):
            return None
        value, condition = taken.operands[branch.results.index(value)], branch.cond
    load = value.owner
    if not isinstance(load, LoadOp) or not _is_copy(op, load):
        return None
    rest = [o for o in op.element.walk() if o is not load and not isinstance(o, scf.IfOp)]
    return StagedLoad(load, condition) if all(o.has_trait(Pure) for o in rest) else None


def _is_copy(op: StageOp, load: LoadOp) -> bool:
    same = buffer_type(load.buffer).element_type == buffer_type(op.tile).element_type
    zero = load.fill is None or load.fill.value.data == 0
    return same and zero and space_of(load.buffer) is Space.GLOBAL


def _is_zero(value: SSAValue) -> bool:
    owner = value.owner
    if not isinstance(owner, arith.ConstantOp):
        return False
    return isinstance(owner.value, FloatAttr | IntegerAttr) and owner.value.value.data == 0


def copy_elements(op: StageOp, chunk: int) -> int:
    """Return how many of ``chunk`` neighbours in a line one copy brings; 0 when none can."""
    staged = staged_load(op)
    if staged is None:
        return 0
    element = element_bytes(buffer_type(op.tile).element_type)
    counts = [n // element for n in COPY_BYTES if n >= element and n % element == 0]
    fitting = (n for n in counts if gcd(chunk, op.sizes[1]) % n == 0)
    return next((n for n in fitting if n == 1 or _Neighbours(op, n).are_together(staged)), 0)


class _Neighbours:
    """Index values of a region as expressions of the line, the run of ``count`` elements, the
    place in the run, and the values from outside.
    """

    def __init__(self, op: StageOp, count: int):
        self.op, self.count = op, count
        line, place = op.element.block.args
        dims = [AffineExpr.dimension(i) for i in range(3)]
        self.exprs: dict[SSAValue, AffineExpr] = {line: dims[0], place: dims[1] * count + dims[2]}
        self.dims: list[Interval] = [*map(extent, (op.sizes[0], op.sizes[1] // count, count))]

    def are_together(self, staged: StagedLoad) -> bool:
        """Return whether each run is one aligned piece of memory, all of it there or none."""
        (access,) = staged.load.accesses()
        index = [self._composed(e, access.operands) for e in access.map.results]
        position = linear_index(index, access.type.get_shape())
        guards = [index[axis] for axis in staged.load.guard_axes]
        return (
            self._is_aligned_run(position)
            and all(self._is_fixed(e) for e in guards)
            and (staged.condition is None or self._is_decided_once(staged.condition))
        )

    def _composed(self, expr: AffineExpr, values: tuple[SSAValue, ...]) -> AffineExpr:
        found = expr.replace_dims_and_symbols([self._expr(v) for v in values], ())
        return simplify(found, Ranges(self.dims))

    def _expr(self, value: SSAValue) -> AffineExpr:
        if value not in self.exprs:
            self.exprs[value] = self._new_expr(value)
        return self.exprs[value]

    def _new_expr(self, value: SSAValue) -> AffineExpr:
        owner = value.owner
        if isinstance(owner, IndexOp) and self._is_inside(value):
            return self._composed(owner.expr, tuple(owner.indices))
        number = constant_of(value)
        if number is not None:
            return AffineExpr.constant(number)
        self.dims.append(range_of(value))
        return AffineExpr.dimension(len(self.dims) - 1)

    def _is_inside(self, value: SSAValue) -> bool:
        block = value.owner if isinstance(value, BlockArgument) else value.owner.parent_block()
        return isinstance(block, Block) and self.op.is_ancestor(block)

    def _is_fixed(self, expr: AffineExpr) -> bool:
        return stride(expr, 2, Ranges(self.dims)) == 0

    def _is_aligned_run(self, expr: AffineExpr) -> bool:
        dims = [AffineExpr.dimension(i) for i in range(len(self.dims))]
        dims[2] = AffineExpr.constant(0)
        ranges = Ranges(self.dims)
        start = simplify(expr.replace_dims_and_symbols(dims, ()), ranges)
        return stride(expr, 2, ranges) == 1 and divisor_of(start, (), ranges) % self.count == 0

    def _is_decided_once(self, condition: SSAValue) -> bool:
        """Return whether a condition is the same for all elements of a run."""
        if not self._is_inside(condition):
            return True
        match condition.owner:
            case arith.AndIOp() as both:
                return all(map(self._is_decided_once, both.operands))
            case arith.CmpiOp(lhs=left, rhs=right):
                expr = self._composed(AffineExpr.dimension(0), (left,))
                limit = constant_of(right)
                return limit is not None and (self._is_fixed(expr) or self._is_cut(expr, limit))
            case _:
                return False

    def _is_cut(self, expr: AffineExpr, limit: int) -> bool:
        """Return whether a limit falls between runs: below it and from it on are the two sides."""
        return limit % self.count == 0 and self._is_aligned_run(expr)
