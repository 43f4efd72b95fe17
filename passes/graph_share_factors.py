"""Let matrix products share a factor that is repeated for them."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from math import inf

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import Rewriter

from dlc import arch
from dlc.analysis.attention import attention_of
from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.analysis.excerpt import excerpt
from dlc.core.context import dlc_context
from dlc.core.passes import DlcPass
from dlc.core.rewrite import OpRewrite, apply_patterns
from dlc.dialects.graph.contraction import MatmulOp
from dlc.dialects.graph.layout import BroadcastOp
from dlc.dialects.graph.reshape import ReshapeOp, reshape
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.tensor import shape
from dlc.plan import INDISTINCT, Planner


@dataclass(frozen=True)
class GraphShareFactorsPass(DlcPass):
    """Take a repetition of the rhs along the last batch axis into the product.

    Heads that share keys and values (grouped-query attention) are written by exporters as keys and
    values that are repeated for each head of a group: ``repeat_kv``, or ``Expand`` and ``Reshape``.
    A product that knows of it reads them once for all heads of a group, whose queries are its rows.
    Where the plans take less time with the repetition, it stays: reading keys once saves nothing
    where queries of a head fill blocks alone, and rows of several sequences cannot leave out the
    keys that a causal mask hides, half of all. The products of attention are shared together, by
    the plan of all of it where one kernel can be.

    Runs on: ``graph``. Leaves: ``graph``. Order: after ``graph-sink-transposes``, which moves
    transposes of repeated keys into products.

    ::

        %0 = graph.reshape %k {sizes = [1, 8, 1, 512, 64]}    ->  %s = graph.matmul %q, %k
        %1 = graph.broadcast %0 {sizes = [1, 8, 4, 512, 64]}          transpose_rhs shared 4
        %2 = graph.reshape %1 {sizes = [1, 32, 512, 64]}
        %s = graph.matmul %q, %2 transpose_rhs
    """

    name = "graph-share-factors"

    arch: str = arch.DEFAULT_TARGET

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        planner = Planner(arch.by_name(self.arch), dlc_context(ctx).measurements)
        products = [each for each in op.walk() if isinstance(each, MatmulOp)]
        chosen = {each for some in _together(products) if some.pays(planner) for each in some.own}
        apply_patterns(op, [_Shared(chosen)], ctx)


@dataclass(frozen=True)
class _Products:
    """Products that repeat their rhs, and all ops that are computed with them, in order."""

    own: Sequence[MatmulOp]
    ops: Sequence[GraphOp]

    def pays(self, planner: Planner) -> bool:
        """Return whether it takes no more time to share the factors, as far as plans can tell."""
        repeated, shared = (self._whole(planner, shared) for shared in (False, True))
        if repeated == shared == inf:
            repeated, shared = (self._apart(planner, shared) for shared in (False, True))
        return shared * (1 - INDISTINCT) <= repeated

    def _whole(self, planner: Planner, shared: bool) -> float:
        """Return the seconds of one kernel."""
        return _seconds(planner, self.ops, self.own, shared)

    def _apart(self, planner: Planner, shared: bool) -> float:
        """Return the seconds of a kernel for each product."""
        return sum(_seconds(planner, [op], [op], shared) for op in self.own)


def _seconds(
    planner: Planner, ops: Sequence[GraphOp], own: Sequence[MatmulOp], shared: bool
) -> float:
    """Return what one kernel of some ops takes, and what their products repeat."""
    chains = [op for product in own for op in _chain(product)]
    block, copies = excerpt([*chains, *ops])
    for op in own if shared else ():
        copy = copies[op]
        assert isinstance(copy, MatmulOp)
        single, product = _sharing(copy)
        Rewriter.replace_op(copy, [single, product], product.results)
    flow = Dataflow(block)
    return planner.seconds(Cluster(flow, tuple(flow.ops)))


def _together(products: Sequence[MatmulOp]) -> Iterator[_Products]:
    """Yield the products that repeat a factor; those of one attention together."""
    left = dict.fromkeys(op for op in products if _is_repeating(op))
    for product in list(left):
        found = attention_of(product)
        if found is None:
            continue
        own = [op for op in (found.scores, product) if isinstance(op, MatmulOp) and op in left]
        block = product.parent_block()
        assert block is not None
        members = {found.scores, product, *found.between, *found.steps}
        ops = [op for op in block.ops if isinstance(op, GraphOp) and op in members]
        yield _Products(own, ops)
        for op in own:
            del left[op]
    yield from (_Products([op], [op]) for op in left)


@dataclass(frozen=True)
class _Shared(OpRewrite[MatmulOp]):
    """A rhs that is repeated for neighbours in the batch."""

    chosen: Set[MatmulOp]

    def rewrite(self, op: MatmulOp, rewriter: PatternRewriter) -> None:
        if op in self.chosen:
            single, product = _sharing(op)
            rewriter.replace(op, [single, product], product.results)


def _is_repeating(op: MatmulOp) -> bool:
    """Return whether a product could share its rhs."""
    alike = shape(op.lhs)[-3:-2] == shape(op.rhs)[:-2][-1:]
    return alike and _repeated(op.rhs) is not None


def _sharing(op: MatmulOp) -> tuple[GraphOp, MatmulOp]:
    """Return a product of what the rhs repeats, and that as the product takes it."""
    repeated, batch = _repeated(op.rhs), shape(op.rhs)[:-2]
    assert repeated is not None
    places = shape(repeated)[-4]
    single = reshape(repeated, [*batch[:-1], places, *shape(repeated)[-2:]])
    shared = None if places == 1 else IntegerAttr(batch[-1] // places, i64)
    return single, op.with_operands([op.lhs, single.results[0]], shared=shared)


def _chain(op: MatmulOp) -> list[GraphOp]:
    """Return the ops that repeat the rhs."""
    joined = op.rhs.owner
    assert isinstance(joined, ReshapeOp)
    copies = joined.operands[0].owner
    assert isinstance(copies, BroadcastOp)
    return [copies, joined]


def _repeated(value: SSAValue) -> SSAValue | None:
    """Return the tensor ``[.., n, 1, t, d]`` that a value ``[.., n * g, t, d]`` repeats ``g`` times
    along the axis of size 1; ``None`` where it is no such value.
    """
    joined = value.owner
    if not isinstance(joined, ReshapeOp) or not isinstance(
        copies := joined.operands[0].owner, BroadcastOp
    ):
        return None
    source = copies.operands[0]
    one, many, sizes = shape(source), shape(joined.operands[0]), shape(value)
    if len(many) < 4 or many[-3] == 1:
        return None
    alike = (*many[:-3], 1, *many[-2:]) == one
    return source if alike and sizes == _joined(many) else None


def _joined(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the sizes with the copies beside each other along the axis before them."""
    return (*sizes[:-4], sizes[-4] * sizes[-3], *sizes[-2:])
