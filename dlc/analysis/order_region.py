"""Tensors whose axes are in one order: no op between them would change it for nothing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from dlc.analysis.evaluation import KnownValues
from dlc.analysis.form import once_per_form
from dlc.dialects.graph.computed import ReductionOp
from dlc.dialects.graph.layout import TransposeOp, inverse_permutation
from dlc.dialects.graph.reshape import ReshapeOp, reshape
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.tensor import element_type, shape

Order = tuple[int, ...]
"""Axis ``i`` of a tensor in another order is axis ``order[i]`` of its own."""


@dataclass
class Region:
    """Tensors that have their own order of axes, or all the other one.

    order: the other one. moved: tensors that have to be transposed where the region is in the other
    order, for what gives or reads them has its own; unmoved: those that have to be where it is
    not, for they are transposed already. reductions: ops within, whose time depends on the order.
    """

    order: Order
    values: dict[SSAValue, None] = field(default_factory=dict)
    moved: dict[SSAValue, None] = field(default_factory=dict)
    unmoved: dict[SSAValue, None] = field(default_factory=dict)
    reductions: dict[ReductionOp, None] = field(default_factory=dict)


def region_of(value: SSAValue, order: Order, known: KnownValues) -> Region:
    """Return the region that a tensor is in. known: tensors that are constants, of any order."""
    region = Region(order)
    todo = [value]
    while todo:
        value = todo.pop()
        if value in region.values or value in known or len(shape(value)) != len(order):
            continue
        region.values[value] = None
        for op in (value.owner, *(use.operation for use in value.uses)):
            if isinstance(op, GraphOp) and follows(op, order):
                todo += op.results
                todo += [op.operands[number] for number in op.permuted_operands]
                if isinstance(op, ReductionOp):
                    region.reductions[op] = None
        _note_ends(region, value)
    return region


def _note_ends(region: Region, value: SSAValue) -> None:
    """Note whether a tensor has to be transposed for what gives and reads it."""
    back = inverse_permutation(region.order)
    free = [_gives(value, back), *(_reads(use.operation, use.index, back) for use in value.uses)]
    for wants in free:
        if wants is not None:
            (region.moved if wants else region.unmoved)[value] = None


def _gives(value: SSAValue, back: Order) -> bool | None:
    """Return whether what gives a tensor gives it in its own order, or in the other one; ``None``
    where it gives either.
    """
    op = value.owner
    if isinstance(value, BlockArgument) or not isinstance(op, GraphOp):
        return True
    if isinstance(op, TransposeOp):
        return False if op.axes() == back else None
    if op.preferred_permutation is not None or follows(op, inverse_permutation(back)):
        return None
    if isinstance(op, ReshapeOp):
        before = reshape(_like(shape(value), op), shape(op.x))
        return None if _goes_through(before, back) else True
    return True


def _reads(op: Operation, number: int, back: Order) -> bool | None:
    """Return whether an op reads its operand in its own order, or in the other one; ``None`` where
    it reads either.
    """
    if not isinstance(op, GraphOp):
        return True
    if isinstance(op, TransposeOp):
        return False if op.axes() == inverse_permutation(back) else None
    if op.preferred_permutation is not None:
        return None if number in op.permuted_operands else True
    if follows(op, inverse_permutation(back)) or _takes_in(op, number, back):
        return None
    return None if isinstance(op, ReshapeOp) and _goes_through(op, back) else True


def _goes_through(op: ReshapeOp, back: Order) -> bool:
    """Return whether a transposition may as well come after a reshape, as one of its axes."""
    exchange = op.exchanged(back)
    return exchange is not None and list(exchange.inner) == sorted(exchange.inner)


@once_per_form
def follows(op: GraphOp, order: Order) -> bool:
    """Return whether an op with no preference has a form on all tensors in another order."""
    if op.preferred_permutation is not None or not op.operands:
        return False
    if any(len(shape(value)) != len(order) for value in op.results):
        return False
    own = set(op.permuted_operands)
    types = [
        permuted_type(value, order) if number in own else value.type
        for number, value in enumerate(op.operands)
    ]
    new = op.permuted(order, Block(arg_types=types).args)
    return _dropped(new)


@once_per_form
def _takes_in(op: GraphOp, number: int, back: Order) -> bool:
    order = inverse_permutation(back)
    (operand,) = Block(arg_types=[permuted_type(op.operands[number], order)]).args
    return _dropped(op.absorbed_transpose(number, back, operand))


def _dropped(new: Operation | None) -> bool:
    """Return whether there is an op; nobody needs it."""
    if new is not None:
        new.erase()
    return new is not None


def permuted_type(value: SSAValue, order: Sequence[int]) -> TensorType[Attribute]:
    """Return the type of a tensor in another order, with axes of size 1 before its own."""
    sizes = [1] * (len(order) - len(shape(value))) + list(shape(value))
    return TensorType(element_type(value), [sizes[axis] for axis in order])


def _like(sizes: Sequence[int], op: ReshapeOp) -> SSAValue:
    return Block(arg_types=[TensorType(element_type(op.x), sizes)]).args[0]


def regions_of(ops: Sequence[GraphOp], known: KnownValues) -> Iterator[Region]:
    """Yield the regions of what ops with a preference read and give, each once."""
    seen: set[SSAValue] = set()
    for op in ops:
        order = tuple(op.preferred_permutation or ())
        for value in (*(op.operands[number] for number in op.permuted_operands), *op.results):
            if value not in seen and value not in known:
                region = region_of(value, order, known)
                seen.update(region.values)
                yield region
