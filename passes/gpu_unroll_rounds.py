"""Write out the few rounds in which a thread goes through its elements of a row."""

from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from dlc.analysis.index_expression import constant_of
from dlc.analysis.index_range import range_of
from dlc.analysis.unrolled import iterations
from dlc.core.affine import Ranges, simplify
from dlc.core.passes import DlcPass
from dlc.dialects.gpu import KernelOp
from dlc.dialects.gpu.unroll import STRAIGHT, UNROLL
from dlc.dialects.loop import IndexOp, LoadOp, StoreOp
from dlc.dialects.loop.scalar import ScalarBuilder
from dlc.ir.access import canonical_access
from dlc.ir.order import OrderingOp


class GpuUnrollRoundsPass(DlcPass):
    """A loop marked ``straight``, from a thread's number in steps of the number of threads, is
    written out: its rounds, those that not all threads do under a condition.

    Passes over a row that follow each other (softmax has three) then load and compute the same
    values in straight code, and the compiler of the text keeps them in registers in between.

    Indices are written of the thread's number and a constant: a quotient by the length of a line is
    one for all rounds then, and an instruction holds how far the round's place is from it.

    A loop stays that holds another one which is not unrolled, or where threads wait for each other.

    Runs on: ``gpu``. Leaves: ``gpu``. Order: after ``convert-loop-to-gpu``, before
    ``gpu-jam-unrolled`` and ``gpu-vectorize-memory``.

    ::

        scf.for %i = %t to 80 step 32 {  ->  ... %x[%t]
          ... %x[%i]                         ... %x[%t + 32]
        } {straight}                         scf.if %t + 64 < 80 { ... %x[%t + 64] }
    """

    name = "gpu-unroll-rounds"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp):
                for loop in [o for o in kernel.walk() if isinstance(o, scf.ForOp)]:
                    if STRAIGHT.marks(loop) and (rounds := _rounds(loop)):
                        _write_out(loop, rounds)


def _rounds(loop: scf.ForOp) -> Sequence[bool]:
    """Return for each round whether all threads do it; nothing for a loop that stays."""
    start, stop, step = range_of(loop.lb), constant_of(loop.ub), constant_of(loop.step)
    if constant_of(loop.lb) is not None or stop is None or step is None:
        return ()
    if start.low != 0 or start.high is None or start.high >= step:
        return ()
    inner = [op for op in loop.body.walk() if op is not loop]
    if any(isinstance(op, OrderingOp) or _is_rolled(op) for op in inner):
        return ()
    return [first + start.high < stop for first in range(0, stop, step)]


def _is_rolled(op: Operation) -> bool:
    return isinstance(op, scf.ForOp) and not (UNROLL.marks(op) and iterations(op) is not None)


def _write_out(loop: scf.ForOp, rounds: Sequence[bool]) -> None:
    """Replace a loop by its rounds."""
    stop, step = constant_of(loop.ub), constant_of(loop.step)
    assert stop is not None
    assert step is not None
    b = ScalarBuilder(Builder(InsertPoint.before(loop)))
    carried: Sequence[SSAValue] = loop.iter_args
    for number, is_whole in enumerate(rounds):
        expr = AffineExpr.dimension(0) + number * step
        at = b.insert(IndexOp(expr, [loop.lb])) if number else loop.lb
        if is_whole:
            carried = _copy_body(loop, b, at, carried)
            if isinstance(at.owner, IndexOp) and not any(at.uses):
                Rewriter.erase_op(at.owner)
            continue
        taken = Region(Block())
        inside = b.compare("lt", at, b.constant(stop, IndexType()))
        inner = ScalarBuilder(Builder(InsertPoint.at_end(taken.block)))
        inner.builder.insert(scf.YieldOp(*_copy_body(loop, inner, at, carried)))
        rest = Region(Block([scf.YieldOp(*carried)])) if carried else None
        branch = scf.IfOp(inside, [v.type for v in carried], taken, rest)
        b.builder.insert(branch)
        carried = branch.results
    Rewriter.replace_op(loop, [], carried)


def _copy_body(
    loop: scf.ForOp, b: ScalarBuilder, at: SSAValue, carried: Sequence[SSAValue]
) -> list[SSAValue]:
    """Write the body of a round; return what it carries to the next."""
    *body, end = loop.body.block.ops
    values: dict[SSAValue, SSAValue] = dict(zip(loop.body.block.args, (at, *carried), strict=True))
    for op in body:
        copy = op.clone(values)
        b.builder.insert(copy)
        for each in copy.walk():
            if isinstance(each, IndexOp | LoadOp | StoreOp) and isinstance(at.owner, IndexOp):
                _compose(each, at.owner)
    return [values.get(v, v) for v in end.operands]


def _compose(op: IndexOp | LoadOp | StoreOp, at: IndexOp) -> None:
    """Write an index of what ``at`` is computed from."""
    own = list(op.indices)
    if at.value not in own:
        return
    dims = [*at.indices, *own]
    places = [
        at.expr if value is at.value else AffineExpr.dimension(len(at.indices) + i)
        for i, value in enumerate(own)
    ]
    ranges = Ranges([range_of(value) for value in dims])
    old = [op.expr] if isinstance(op, IndexOp) else op.affine_map.results
    new = [simplify(expr.replace_dims_and_symbols(places, ()), ranges) for expr in old]
    op.properties["map"], indices = canonical_access(new, dims)
    op.operands = [*op.operands[: len(op.operands) - len(own)], *indices]
