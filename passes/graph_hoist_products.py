"""Compute products that need no state of a loop for all of its steps at once, before it."""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dlc.core.passes import DlcPass
from dlc.core.rewrite import erase_dead_ops
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.computed import ContractionOp
from dlc.dialects.graph.reshape import reshape
from dlc.dialects.graph.step_loop import StepLoopOp, step_loops
from dlc.dialects.graph.step_part import with_room, without_room
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.tensor import element_type, shape


class GraphHoistProductsPass(DlcPass):
    """One product of the inputs of all steps takes less time than a small one in each step, and
    what is left of a step is what one kernel can do for all steps.

    A ``Scan`` or ``Loop`` of ONNX multiplies each step's input by a weight in its body; so does a
    scripted loop of PyTorch, which looks the input up by the number of the step. What is computed
    of such products alone goes with them. What depends on a state stays, and so does a product
    that needs an op which has no form for all steps (``GraphOp.over_steps``).

    Runs on: ``graph``. Leaves: ``graph``. Order: before ``graph-sink-constants``, while weights are
    operands of loops.

    ::

        graph.step_loop carry(%h) slice(%x) read(%w) {      %p = graph.matmul %x, %w
        ^bb0(%s, %part, %m):                            ->  graph.step_loop carry(%h) slice(%p) {
          %0 = graph.matmul %part, %m                       ^bb0(%s, %part):
          %1 = graph.add %0, %s                               %1 = graph.add %part, %s
    """

    name = "graph-hoist-products"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in step_loops(op):
            _hoist(loop)
        erase_dead_ops(op)


def _hoist(loop: StepLoopOp) -> None:
    outside = _Outside(loop)
    found = [(x, outside.of(x)) for x in _last_of_products(loop)]
    hoisted = {x: stacked for x, stacked in found if stacked is not None}
    if not hoisted:
        return
    body, sliced, shared = loop.body.block, list(loop.sliced), list(loop.shared)
    first = body.first_op
    assert first is not None
    inside = _composer(first, loop)
    for value, stacked in hoisted.items():
        rows = with_room(outside.g, stacked, [loop.runs])
        part = TensorType(element_type(rows), shape(rows)[1:])
        argument = body.insert_arg(part, len(loop.initial) + len(sliced))
        sliced.append(rows)
        value.replace_all_uses_with(without_room(inside, argument, shape(value)))
    erase_dead_ops(loop)
    for kept in (shared, sliced):
        start = len(loop.initial) + (len(sliced) if kept is shared else 0)
        for number in reversed(range(len(kept))):
            if not body.args[start + number].uses:
                body.erase_arg(body.args[start + number])
                del kept[number]
    backward = loop.backward is not None
    block = loop.body.detach_block(0)
    new = StepLoopOp.of(loop.initial, sliced, shared, block, loop.runs, backward)
    new.location = loop.location
    Rewriter.replace_op(loop, new)


def _last_of_products(loop: StepLoopOp) -> list[SSAValue]:
    """Return the values of a body that are products or computed of some, but of no state, and that
    an op reads which depends on one. What a step only gives away stays: it would be copied. So do
    pieces of products, each of which would be a tensor of its own.
    """
    body = loop.body.block
    free = set[SSAValue](body.args[len(loop.initial) :])
    products: dict[SSAValue, None] = {}
    for op in body.ops:
        if not isinstance(op, GraphOp) or not free.issuperset(op.operands):
            continue
        free.update(op.results)
        is_computed = not op.moves_data and any(x in products for x in op.operands)
        if isinstance(op, ContractionOp) or is_computed:
            products.update(dict.fromkeys(op.results))
    inner = {op for op in body.ops if all(x in products for x in op.results)}  # and the yield
    return [x for x in products if any(use.operation not in inner for use in x.uses)]


class _Outside:
    """Values of a loop's body before the loop: of all steps, or as they are in each."""

    def __init__(self, loop: StepLoopOp):
        self.g = _composer(loop, loop)
        inputs = loop.body.block.args[len(loop.initial) :]
        self._stacked: dict[SSAValue, SSAValue] = {}
        self._stacked.update(zip(inputs, loop.sliced, strict=False))
        self._same: dict[SSAValue, SSAValue] = {}
        self._same.update(zip(inputs[len(loop.sliced) :], loop.shared, strict=True))

    def of(self, value: SSAValue) -> SSAValue | None:
        """Return what all steps have for a value of the body, along a new first axis; ``None``
        where an op has no form for all steps.
        """
        return self._stacked.get(value) if self._write(value) else None

    def _write(self, value: SSAValue) -> bool:
        """Write a value before the loop; return whether that can be done."""
        if value in self._stacked or value in self._same:
            return True
        op = value.owner
        if not isinstance(op, GraphOp) or len(op.results) > 1 or op.regions:
            return False
        if not all(map(self._write, op.operands)):
            return False
        stacked = [x in self._stacked for x in op.operands]
        operands = [self._stacked.get(x) or self._same[x] for x in op.operands]
        if any(stacked):
            if op.row_rank is not None:
                rank = len(shape(value))
                pairs = zip(operands, stacked, strict=True)
                operands = [self._aligned(x, rank) if over else x for x, over in pairs]
            new, values = op.over_steps(operands, stacked), self._stacked
        else:
            new, values = op.with_operands(operands) if operands else op.clone(), self._same
        if new is None:
            return False
        new.location = op.location
        values[value] = self.g.insert(new)
        if any(stacked):
            values[value] = self._steps_first(values[value], op.axis_of_steps(stacked))
        return True

    def _steps_first(self, x: SSAValue, axis: int) -> SSAValue:
        """Return a value whose steps are along ``axis`` with them in front."""
        others = [each for each in range(len(shape(x))) if each != axis]
        return self.g.transpose(x, [axis, *others])

    def _aligned(self, x: SSAValue, rank: int) -> SSAValue:
        """Return the parts of all steps with as many axes as others that they broadcast to."""
        steps, *sizes = shape(x)
        missing = rank - len(sizes)
        return x if not missing else self.g.insert(reshape(x, [steps, *[1] * missing, *sizes]))


def _composer(before: Operation, loop: StepLoopOp) -> Composer:
    """Return what inserts ops before one, with the loop's location."""

    def insert(op: GraphOp) -> SSAValue:
        op.location = loop.location
        Rewriter.insert_op(op, InsertPoint.before(before))
        return op.results[0]

    return Composer(insert)
