"""Loops of steps of which one multiplies the states of another one by weights, step by step."""

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.ir import Operation, OpResult, SSAValue

from dlc.analysis.dataflow import origin
from dlc.analysis.evaluation import is_known
from dlc.dialects.graph.contraction import MatmulOp
from dlc.dialects.graph.elementwise import AddOp
from dlc.dialects.graph.step_loop import StepLoopOp
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.tensor import element_count, shape

_RANK = 2
"""Of states, sequences by units, and of what they are multiplied by."""


@dataclass(frozen=True)
class LoopLink:
    """A loop ``second`` whose sliced operand ``number`` is the product of a known factor and the
    states of all steps of ``first``, its state number ``state``; maybe with a known vector added.

    given: these states.
    """

    first: StepLoopOp
    second: StepLoopOp
    number: int
    given: OpResult
    state: int
    product: MatmulOp
    sum: AddOp | None

    @property
    def factor(self) -> SSAValue:
        """What states are multiplied by."""
        return self.product.operands[1]

    @property
    def vector(self) -> SSAValue | None:
        """What is added to the product."""
        if self.sum is None:
            return None
        y = self.product.results[0]
        return self.sum.rhs if self.sum.lhs is y else self.sum.lhs

    @property
    def between(self) -> list[GraphOp]:
        """The ops that compute something between the loops."""
        return [self.product, *([] if self.sum is None else [self.sum])]

    @property
    def is_alone(self) -> bool:
        """Whether nobody else needs the states of all steps or the product, the second loop needs
        nothing else of the first one, and what reads the first one's last states stands behind it.
        """
        first, second = self.first, self.second
        block = second.parent
        if block is None or first.parent is not block:
            return False
        place = block.get_operation_index(second)
        others = (value for value in first.outputs if value is not self.given)
        users = [use.operation for value in others for use in value.uses]
        if any(u.parent is not block or block.get_operation_index(u) <= place for u in users):
            return False
        own = (value for n, value in enumerate(second.sliced) if n != self.number)
        needed = [*second.initial, *own, *second.shared]
        return not any(_needs(v, first) for v in needed) and _ends_in(self.given, second)


def link_of(second: StepLoopOp) -> LoopLink | None:
    """Return how a loop continues another one with steps in the same order, if it does."""
    found = (link for number in range(len(second.sliced)) for link in _links(second, number))
    return next((link for link in found if link.is_alone), None)


def _links(second: StepLoopOp, number: int) -> Iterator[LoopLink]:
    value = _whole(second.sliced[number])
    sum = value.owner if isinstance(value.owner, AddOp) else None
    for y in [value] if sum is None else sum.operands:
        product = y.owner
        if not isinstance(product, MatmulOp) or not is_known(product.operands[1]):
            continue
        given = _whole(product.operands[0])
        first = given.owner
        if not isinstance(first, StepLoopOp) or not isinstance(given, OpResult):
            continue
        states = list(first.yielded[: len(first.initial)])
        state = first.yielded[given.index] if given.index >= len(states) else None
        if state is None or state not in states:
            continue
        own = states.index(state)
        link = LoopLink(first, second, number, given, own, product, sum)
        if _is_by_row(link):
            yield link


def _is_by_row(link: LoopLink) -> bool:
    """Whether each row of the product is that of one state of one sequence."""
    first, second, vector = link.first, link.second, link.vector
    if (first.runs, first.backward) != (second.runs, second.backward):
        return False
    if vector is not None and not is_known(vector):
        return False
    columns = shape(link.product.results[0])[-1:]
    sizes = shape(first.initial[link.state]), shape(link.product.operands[0])[-1:]
    ranks = len(sizes[0]), len(shape(link.factor))
    fits = vector is None or shape(vector) == columns
    return fits and ranks == (_RANK, _RANK) and sizes[0][-1:] == sizes[1]


def _whole(value: SSAValue) -> SSAValue:
    """Return what a value has all elements of, in the same order."""
    found = origin(value)
    return found if element_count(found) == element_count(value) else value


def _needs(value: SSAValue, loop: StepLoopOp) -> bool:
    owner = value.owner
    return isinstance(owner, Operation) and (
        owner is loop or any(_needs(operand, loop) for operand in owner.operands)
    )


def _ends_in(value: SSAValue, loop: StepLoopOp) -> bool:
    """Whether one op reads a value, one what that gives, and so on up to a loop."""
    users = [use.operation for use in value.uses]
    if len(users) != 1:
        return False
    (user,) = users
    return user is loop or (len(user.results) == 1 and _ends_in(user.results[0], loop))
