"""What it costs that tensors have their axes in one order or in another."""

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Attribute, Block, SSAValue

from dlc import strategies
from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.analysis.evaluation import KnownValues
from dlc.analysis.form import form
from dlc.analysis.order_region import follows, permuted_type
from dlc.analysis.weight_order import Inner, inner_axis
from dlc.dialects.graph.computed import ComputedOp, ContractionOp
from dlc.dialects.graph.layout import inverse_permutation, transpose
from dlc.dialects.graph.source import WeightOp
from dlc.dialects.graph.structure import GraphOp
from dlc.plan.plan import NoPlan, Plan
from dlc.plan.planner import Planner

OWN, OTHER = range(2)
"""Whether a tensor has the order of axes that it has in the model, or the other one."""

Order = Sequence[int]


class OrderPrices:
    """Seconds of the best kernels, by the plans; asked once for all ops of one form.

    inner: the axis of weights that will be consecutive.
    """

    def __init__(self, planner: Planner, inner: Inner, known: KnownValues):
        self._planner = planner
        self._inner: Inner = inner
        self._known = known
        self._found: dict[tuple[object, ...], Plan | NoPlan] = {}
        self._rivals: dict[tuple[object, ...], bool] = {}

    def of_move(self, value: SSAValue, order: Order) -> float:
        """Return what it takes to bring a tensor into another order; 0 where that moves nothing."""
        type = value.type
        return _seconds(self._plan(("move", type, tuple(order)), lambda: _move(type, order)))

    def of_end(self, value: SSAValue, order: Order) -> float:
        """Return what it takes that a tensor in the other order is needed in its own: a kernel
        more, or a transposition in the kernel that gives it.
        """
        alone, op = self.of_move(value, order), value.owner
        if not alone or not isinstance(op, ComputedOp) or len(op.results) > 1:
            return alone
        if op.preferred_permutation is None and not follows(op, tuple(order)):
            return alone
        together, apart = (self._seconds(op, order, OTHER, each) for each in (OWN, OTHER))
        return min(alone, together - apart) if together < float("inf") else alone

    def of_op(self, op: GraphOp, order: Order, read: int, given: int) -> float:
        """Return what an op takes that reads a tensor in its own order or in the other one, and
        gives one; in one kernel, or with a transposition before or after it.
        """
        together = self._seconds(op, order, read, given)
        if read == given:
            return together
        before = self.of_move(op.operands[op.permuted_operands[0]], order)
        after = self.of_move(op.results[0], order)
        return min(
            together,
            before + self._seconds(op, order, given, given),
            self._seconds(op, order, read, read) + after,
        )

    def has_rivals(self, op: GraphOp, order: Order) -> bool:
        """Return whether an op in the other order can be made in another way than in tiles."""
        key = self._form(op, order)
        if key not in self._rivals:
            flow = Dataflow(self._op(op, order, OTHER, OTHER))
            able = strategies.able(Cluster(flow, tuple(flow.ops)), self._planner.chip)
            ways = {strategies.by_name(each.schedule.strategy).has_anchor for each in able}
            self._rivals[key] = False in ways
        return self._rivals[key]

    def _seconds(self, op: GraphOp, order: Order, read: int, given: int) -> float:
        key = *self._form(op, order), read, given
        return _seconds(self._plan(key, lambda: self._op(op, order, read, given)))

    def _form(self, op: GraphOp, order: Order) -> tuple[object, ...]:
        """Return what the price of an op depends on."""
        return form(op), tuple(value in self._known for value in op.operands), tuple(order)

    def _plan(self, key: tuple[object, ...], make: Callable[[], Block]) -> Plan | NoPlan:
        found = self._found.get(key)
        if found is None:
            flow = Dataflow(make())
            found = self._planner.whole(Cluster(flow, tuple(flow.ops))) if flow.ops else _NOTHING
            self._found[key] = found
        return found

    def _op(self, op: GraphOp, order: Order, read: int, given: int) -> Block:
        """Return a program of an op alone. It is in the other order if it reads or gives that."""
        other, own = read or given, set(op.permuted_operands)
        block, operands = Block(), list[SSAValue]()
        for number, value in enumerate(op.operands):
            turned = permuted_type(value, order) if other and number in own else value.type
            if value in self._known:
                operands.append(_inserted(block, _weight(turned)))
            elif number in own and given and not read:
                argument = block.insert_arg(value.type, len(block.args))
                operands.append(_inserted(block, transpose(argument, order)))
            else:
                operands.append(block.insert_arg(turned, len(block.args)))
        new = op.permuted(order, operands) if other else op.with_operands(operands)
        assert new is not None, f"{op.name} has no form in the order that it prefers"
        block.add_op(new := self._with_ordered_weight(new, block))
        result = new.results[0]
        if read and not given:
            result = _inserted(block, transpose(result, inverse_permutation(order)))
        block.add_op(ReturnOp(result))
        return block

    def _with_ordered_weight(self, op: GraphOp, block: Block) -> GraphOp:
        """Return an op whose weight has the order that it will have."""
        if not isinstance(op, ContractionOp) or not isinstance(op.operands[1].owner, WeightOp):
            return op
        order = op.weight_order(inner_axis(op, self._inner))
        if order is None:
            return op
        x, weight, *rest = op.operands
        ordered = _inserted(block, _weight(permuted_type(weight, order.permutation)))
        new = op.with_operands([x, ordered, *rest], **order.properties)
        op.erase()
        return new


def _move(type: Attribute, order: Order) -> Block:
    block = Block(arg_types=[type])
    block.add_op(ReturnOp(_inserted(block, transpose(block.args[0], order))))
    return block


def _inserted(block: Block, op: GraphOp) -> SSAValue:
    block.add_op(op)
    return op.results[0]


def _weight(type: Attribute) -> WeightOp:
    assert isinstance(type, TensorType)
    return WeightOp("weight", type)


def _seconds(plan: Plan | NoPlan) -> float:
    if plan is _NOTHING:
        return 0.0
    return plan.s if isinstance(plan, Plan) else float("inf")


_NOTHING = NoPlan("nothing is computed")
