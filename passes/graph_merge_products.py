"""Compute products of one tensor with several weights as one product."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from dlc import arch
from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.analysis.evaluation import is_known
from dlc.core.context import dlc_context
from dlc.core.passes import DlcPass
from dlc.core.rewrite import OpRewrite, apply_patterns
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.computed import ElementwiseOp
from dlc.dialects.graph.contraction import MatmulOp
from dlc.dialects.graph.elementwise import AddOp
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.tensor import element_type, shape
from dlc.plan import Planner


@dataclass(frozen=True)
class GraphMergeProductsPass(DlcPass):
    """Put the constant factors of products that share their lhs beside each other, and the constant
    vectors that are added to them.

    The queries, keys and values of attention are three products of one tensor. As one they are one
    launch, whose tiles fill the chip better.

    Only for a GPU; where all products stand in one block, no op combines elements of two of them,
    and the plan of one kernel takes less time than the plans of several.

    Runs on: ``graph``. Leaves: ``graph``. Order: after ``cse``, which finds that the lhs is one
    value; before ``graph-fold-constants``, which joins the weights.

    ::

        %q = graph.matmul %x, %u : ..768  ->  %w = graph.concat %u, %v axis 1
        %k = graph.matmul %x, %v : ..768      %0 = graph.matmul %x, %w : ..1536
                                              %q = graph.slice %0 ..
                                              %k = graph.slice %0 ..
    """

    name = "graph-merge-products"
    joins_nodes = True

    arch: str = arch.DEFAULT_TARGET

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        chip = arch.by_name(self.arch)
        if isinstance(chip, arch.GpuArch):
            planner = Planner(chip, dlc_context(ctx).measurements)
            apply_patterns(op, [_Merged(planner)], ctx)


@dataclass(frozen=True)
class _Branch:
    """A product, and the sum of it and a constant vector where nobody else reads it."""

    product: MatmulOp
    sum: AddOp | None

    @staticmethod
    def of(product: MatmulOp) -> "_Branch":
        y = product.results[0]
        user = next((use.operation for use in y.uses), None)
        if not isinstance(user, AddOp) or not y.has_one_use():
            return _Branch(product, None)
        vector = user.rhs if user.lhs is y else user.lhs
        fits = is_known(vector) and shape(vector) == shape(y)[-1:]
        return _Branch(product, user if fits else None)

    @property
    def vector(self) -> SSAValue:
        """What is added."""
        assert self.sum is not None
        return next(v for v in self.sum.operands if v is not self.product.results[0])

    @property
    def ops(self) -> list[GraphOp]:
        """The sum, where there is one, and the product: a user before what it uses."""
        return [self.sum, self.product] if self.sum else [self.product]

    @property
    def result(self) -> SSAValue:
        return self.ops[0].results[0]


_Kind = tuple[SSAValue, Block | None, Attribute, frozenset[tuple[str, Attribute]]]


def _kind(op: MatmulOp) -> _Kind:
    """Return what products have in common that may be one."""
    return op.lhs, op.parent_block(), element_type(op.rhs), frozenset(op.properties.items())


@dataclass
class _Merged(OpRewrite[MatmulOp]):
    planner: Planner
    first: dict[_Kind, MatmulOp | None] = field(default_factory=dict[_Kind, MatmulOp | None])
    """Of all products of a kind, so that those of a tensor are looked for once."""

    def rewrite(self, op: MatmulOp, rewriter: PatternRewriter) -> None:
        if (kind := _kind(op)) not in self.first:
            self.first[kind] = next(iter(_beside(op)), None)
        if self.first[kind] is not op:
            return
        products = _beside(op)
        branches = [_Branch.of(product) for product in products]
        if _meet([branch.result for branch in branches]) or not self._pays(products):
            return

        def insert(new: GraphOp) -> SSAValue:
            rewriter.insert(new)
            return new.results[0]

        g = Composer(insert)
        axis = 1 if op.transpose_rhs is None else 0
        weight = g.concat([_copied(p.rhs, insert) for p in products], axis)
        wide = insert(op.with_operands([op.lhs, weight]))
        if have_sums := all(branch.sum for branch in branches):
            wide = g.add(wide, g.concat([_copied(b.vector, insert) for b in branches], 0))
        sizes = [shape(product.results[0])[-1] for product in products]
        stops, last = list(accumulate(sizes)), len(shape(wide)) - 1
        parts = [g.part(wide, last, n - size, n) for n, size in zip(stops, sizes, strict=True)]
        for branch, part in zip(branches, parts, strict=True):
            gone = branch.ops if have_sums else [branch.product]
            rewriter.replace_all_uses_with(gone[0].results[0], part)
            for each in gone:
                rewriter.erase(each)

    def _pays(self, products: Sequence[MatmulOp]) -> bool:
        """Return whether the plan of one product takes less time than those of all."""
        alone = [self._price(_program([product])) for product in products]
        return self._price(_program(products)) < sum(alone)

    def _price(self, program: Dataflow) -> float:
        return self.planner.seconds(Cluster(program, tuple(program.ops)))


def _beside(op: MatmulOp) -> list[MatmulOp]:
    """Return the products that may be one with ``op``, itself among them, in their order."""
    block = op.parent_block()
    found = {use.operation for use in op.lhs.uses if use.index == 0}
    alike = {each for each in found if isinstance(each, MatmulOp) and _is_alike(each, op)}
    if len(alike) < 2 or block is None:
        return []
    return [each for each in block.ops if isinstance(each, MatmulOp) and each in alike]


def _is_alike(product: MatmulOp, op: MatmulOp) -> bool:
    same = all(product.properties.get(key) == op.properties.get(key) for key in _flags(op, product))
    is_matrix = is_known(product.rhs) and len(shape(product.rhs)) == 2
    elements = element_type(product.rhs) == element_type(op.rhs)
    return same and is_matrix and elements and product.rhs is not product.lhs


def _flags(*ops: MatmulOp) -> set[str]:
    return {key for op in ops for key in op.properties}


def _meet(values: Sequence[SSAValue]) -> bool:
    """Return whether an elementwise op computes of two of these values: it could be computed with
    the second one as long as that is a product of its own.
    """
    seen: set[Operation] = set()
    for value in values:
        own = _elementwise_users(value)
        if seen & own:
            return True
        seen |= own
    return False


def _elementwise_users(value: SSAValue) -> set[Operation]:
    """Return the elementwise ops that compute of a value, or of what such ops compute of it."""
    found, todo = set[Operation](), [value]
    while todo:
        users = {use.operation for use in todo.pop().uses} - found
        found |= (new := {user for user in users if isinstance(user, ElementwiseOp)})
        todo += [result for user in new for result in user.results]
    return found


def _copied(value: SSAValue, insert: Callable[[GraphOp], SSAValue]) -> SSAValue:
    """Return a copy of a constant where ops are inserted, and of what it is computed of."""
    owner = value.owner
    assert isinstance(owner, GraphOp)
    copies = {operand: _copied(operand, insert) for operand in owner.operands}
    return insert(owner.clone(copies))


def _program(products: Sequence[MatmulOp]) -> Dataflow:
    """Return a program of a product as wide as some together."""
    first = products[0]
    axis = 1 if first.transpose_rhs is None else 0
    sizes = list(shape(first.rhs))
    sizes[axis] = sum(shape(product.rhs)[axis] for product in products)
    block = Block(arg_types=[first.lhs.type, TensorType(element_type(first.rhs), sizes)])
    wide = first.with_operands(block.args)
    block.add_ops([wide, func.ReturnOp(*wide.results)])
    return Dataflow(block)
