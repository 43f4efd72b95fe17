"""Loops of steps of which one multiplies the states of another one by weights, step by step."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, OpResult, SSAValue, Use

from dlc.analysis.evaluation import is_known
from dlc.dialects.graph.contraction import MatmulOp
from dlc.dialects.graph.elementwise import AddOp
from dlc.dialects.graph.step_loop import StepLoopOp
from dlc.dialects.graph.step_part import is_room, laid_out
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.tensor import element_count, shape

_RANK = 2
"""Of states, sequences by units, and of what they are multiplied by."""


@dataclass(frozen=True)
class LoopLink:
    """A loop ``second`` whose sliced operand ``number`` is the product of a known factor and the
    states of all steps of ``first``, its state number ``state``; maybe with a known vector added.

    given: these states. path: the ops from there to the second loop.
    """

    first: StepLoopOp
    second: StepLoopOp
    number: int
    given: OpResult
    state: int
    product: MatmulOp
    sum: AddOp | None
    path: Sequence[GraphOp]

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
    def other_uses(self) -> list[Use]:
        """The uses of the first loop's results that are not on the path."""
        uses = (use for value in self.first.outputs for use in value.uses)
        return [use for use in uses if use.operation is not self.path[0]]

    @property
    def is_alone(self) -> bool:
        """Whether nobody else needs what is on the path, and the second loop nothing else of the
        first one.
        """
        once = all(len([*op.results[0].uses]) == 1 for op in self.path)
        return once and self.second not in needing(self.other_uses)


def needing(uses: Iterable[Use]) -> set[Operation]:
    """Return the ops of some uses, those that need what these give, and so on."""
    left, found = [use.operation for use in uses], set[Operation]()
    while left:
        if (op := left.pop()) not in found:
            found.add(op)
            left += (use.operation for value in op.results for use in value.uses)
    return found


def link_of(second: StepLoopOp) -> LoopLink | None:
    """Return how a loop continues another one with steps in the same order, if it does."""
    found = (link for number in range(len(second.sliced)) for link in _links(second, number))
    return next((link for link in found if link.is_alone), None)


def _links(second: StepLoopOp, number: int) -> Iterator[LoopLink]:
    value, behind = _whole(second.sliced[number], second.runs)
    sum = value.owner if isinstance(value.owner, AddOp) else None
    for y in [value] if sum is None else sum.operands:
        product = y.owner
        if not isinstance(product, MatmulOp) or not is_known(product.operands[1]):
            continue
        given, before = _whole(product.operands[0], second.runs)
        first = given.owner
        if not isinstance(first, StepLoopOp) or not isinstance(given, OpResult):
            continue
        states = list(first.yielded[: len(first.initial)])
        is_stacked = given.index >= len(states)
        state = laid_out(first.yielded[given.index]) if is_stacked else None
        if state is None or state not in states:
            continue
        computed = [product, *([] if sum is None else [sum])]
        path = [*reversed(before), *computed, *reversed(behind)]
        own = states.index(state)
        link = LoopLink(first, second, number, given, own, product, sum, path)
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


def _whole(value: SSAValue, steps: int) -> tuple[SSAValue, list[GraphOp]]:
    """Return what a value has all elements of, in the same order, but for room behind the parts of
    steps; and the ops between the two, the last one first.
    """
    passed: list[GraphOp] = []
    while isinstance(op := value.owner, GraphOp):
        is_same = op.is_view and element_count(op.operands[0]) == element_count(value)
        if not is_same and not is_room(op, steps):
            break
        passed.append(op)
        value = op.operands[0]
    return value, passed
