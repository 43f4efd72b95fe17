"""Move transposes towards the results until they meet their inverse or an op that takes them in."""

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from dlc.analysis.evaluation import KnownValues
from dlc.core.passes import DlcPass
from dlc.core.rewrite import erase_dead_ops
from dlc.dialects.graph.layout import TransposeOp, inverse_permutation, transpose
from dlc.dialects.graph.reshape import ReshapeOp, reshape
from dlc.dialects.graph.step_loop import blocks
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.tensor import shape, tensor_bytes


class GraphSinkTransposesPass(DlcPass):
    """Push each transpose below the ops that read it, merge pairs and drop identities.

    Steps, for each op in program order:

    1. a transpose of a transpose becomes one, and one that moves only axes of size 1 a reshape;
    2. a reshape goes before the part of a transpose that moves whole runs of its axes;
    3. an op that can take the transpose in (``GraphOp.absorbed_transpose``: a matrix product has a
       flag, a reduction other axes) reads the untransposed value; where it can take in only the
       exchange of the last two axes, and that leaves the innermost axis innermost, the rest of the
       transpose stays;
    4. an op that has a form on permuted axes (``GraphOp.permuted``) takes it when the transposed
       operands carry at least half of the bytes it reads, and its results are transposed instead;
       constants on its other operands are permuted at compile time. An op that prefers an order
       stays in that which ``graph-choose-layout`` has chosen.

    Runs on: ``graph``. Leaves: ``graph``. Order: after ``graph-choose-layout``, before
    ``graph-fold-constants``.

    ::

        %0 = graph.transpose %x {permutation = …}  ->  %0 = graph.relu %x
        %1 = graph.relu %0                             %1 = graph.transpose %0 {permutation = …}
    """

    name = "graph-sink-transposes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for block in blocks(op):
            known = KnownValues()
            for candidate in list(block.ops):
                if isinstance(candidate, GraphOp):
                    _visit(candidate, known)
        erase_dead_ops(op)


def _visit(op: GraphOp, known: KnownValues) -> None:
    if isinstance(op, TransposeOp):
        _merge(op)
        return
    if isinstance(op, ReshapeOp):
        _exchange(op)
        return
    op = _absorb(op)
    permutation = _incoming_permutation(op, known)
    if permutation is not None:
        _sink(op, permutation)


def _merge(op: TransposeOp) -> None:
    inner = op.x.owner
    if isinstance(inner, TransposeOp):
        first = inner.axes()
        merged = [first[axis] for axis in op.axes()]
        _replace(op, [op := transpose(inner.x, merged)])
    if op.forwarded() is not None:
        Rewriter.replace_op(op, [], [op.x])
    elif op.is_view:
        _replace(op, [reshape(op.x, shape(op.output))])


def _exchange(op: ReshapeOp) -> None:
    source = op.x.owner
    if isinstance(source, TransposeOp):
        exchange = op.exchanged(source.axes())
        if exchange is not None and list(exchange.outer) != sorted(exchange.outer):
            inner = transpose(source.x, exchange.inner)
            new = reshape(inner.output, exchange.sizes)
            _replace(op, [inner, new, transpose(new.output, exchange.outer)])
            _merge(inner)


def _absorb(op: GraphOp) -> GraphOp:
    for number, operand in enumerate(op.operands):
        source = operand.owner
        if isinstance(source, TransposeOp):
            new = op.absorbed_transpose(number, source.axes(), source.x)
            if new is not None:
                return _absorb(_replace(op, [new]))
            new = _without_exchange(op, number, source)
            if new is not None:
                return _absorb(_replace(op, new))
    return op


def _without_exchange(op: GraphOp, number: int, source: TransposeOp) -> list[Operation] | None:
    """Return what reads operand ``number`` with its last two axes exchanged, where they then end as
    in memory.
    """
    *outer, row, column = axes = list(source.axes())
    last = len(axes) - 1
    if row != last:
        return None
    rest = transpose(source.x, [*outer, column, row])
    new = op.absorbed_transpose(number, [*range(last - 1), last, last - 1], rest.output)
    if new is None:
        rest.erase()
        return None
    return [rest, new]


def _incoming_permutation(op: GraphOp, known: KnownValues) -> Sequence[int] | None:
    """Return the permutation of the transposes that feed ``op`` with most of its bytes, if any."""
    operands = [op.operands[number] for number in op.permuted_operands]
    if not any(isinstance(operand.owner, TransposeOp) for operand in operands):
        return None
    weight: dict[tuple[int, ...], int] = {}
    total = 0
    for operand in operands:
        if operand in known:
            continue
        source = operand.owner
        total += tensor_bytes(operand)
        if isinstance(source, TransposeOp):
            key = source.axes()
            weight[key] = weight.get(key, 0) + tensor_bytes(operand)
    best = max(weight, key=lambda key: weight[key], default=None)
    return best if best is not None and 2 * weight[best] >= total else None


def _sink(op: GraphOp, permutation: Sequence[int]) -> None:
    rank = len(permutation)
    if op.preferred_permutation is not None or any(len(shape(r)) != rank for r in op.results):
        return
    back = inverse_permutation(permutation)
    made: list[Operation] = []
    operands = list(op.operands)
    for number in op.permuted_operands:
        operands[number] = _permuted_operand(operands[number], permutation, back, made)
    new = op.permuted(back, operands)
    if new is None or new.preferred_permutation is not None:
        for unused in (new, *reversed(made)):
            if unused is not None:
                unused.erase()
        return
    results = [transpose(r, permutation) for r in new.results]
    _replace(op, [*made, new, *results], [t.output for t in results])


def _permuted_operand(
    operand: SSAValue, permutation: Sequence[int], back: Sequence[int], made: list[Operation]
) -> SSAValue:
    source = operand.owner
    if isinstance(source, TransposeOp) and source.axes() == tuple(permutation):
        return source.x
    sizes = [1] * (len(permutation) - len(shape(operand))) + list(shape(operand))
    moved = [axis for axis in back if sizes[axis] != 1]
    if moved == sorted(moved):
        made.append(reshape(operand, [sizes[axis] for axis in back]))
        return made[-1].results[0]
    if len(sizes) > len(shape(operand)):
        made.append(reshape(operand, sizes))
        operand = made[-1].results[0]
    made.append(transpose(operand, back))
    return made[-1].results[0]


def _replace(
    op: GraphOp, new: Sequence[Operation], results: Sequence[SSAValue] | None = None
) -> GraphOp:
    for made in new:
        made.location = op.location
    Rewriter.replace_op(op, new, results)
    last = new[-1]
    assert isinstance(last, GraphOp)
    return last
