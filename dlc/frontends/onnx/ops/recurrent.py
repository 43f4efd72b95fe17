"""Recurrent layers.

``clip`` bounds the input of each activation, as the standard says. For ``LSTM`` that is also the
cell before its last activation (``h``); ONNX Runtime clips the gates alone, so its results differ
where a cell is beyond the bound.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, StringAttr, i32
from xdsl.ir import Attribute, SSAValue

from dlc.dialects.graph.cell_activation import cell_activation
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.direction import Direction, DirectionAttr
from dlc.dialects.graph.properties import flag, number, numbers
from dlc.dialects.graph.recurrent import RecurrentOp
from dlc.dialects.graph.recurrent_cell import GruOp, LstmOp, RnnOp
from dlc.errors import CompileError, OpenSizeError
from dlc.frontends.onnx.conversion import NodeContext, converts
from dlc.frontends.onnx.unrolling import remark_unrolling
from dlc.ir.tensor import DYNAMIC, element_type, shape, shape_text

_OPS_PER_STEP = 2
"""Of a recurrent layer when it is decomposed: a product and a sum."""
_OPS_PER_GATE = 4
"""And for each gate a slice, an activation, and arithmetic to mix it into the state."""


class _Layer:
    """The operands and properties that all recurrent operators have, in the order of the ops."""

    def __init__(self, node: NodeContext, op: type[RecurrentOp], defaults: Sequence[str]):
        self.node = node
        self.op = op
        self.g = Composer(node.insert)
        self.batch_first = bool(node.integer("layout", 0))
        self.directions, rows, inputs = node.shape(1)
        del rows, inputs
        self.hidden = node.shape(2)[2]
        if node.integer("hidden_size", self.hidden) != self.hidden:
            given = node.integer("hidden_size", self.hidden)
            found = shape_text(node.shape(2))
            raise CompileError(
                f"the input R is [{found}], and hidden_size is {given}, "
                "which its last size should be"
            )
        self.defaults = list(defaults) * self.directions

    def batch_second(self, x: SSAValue) -> SSAValue:
        """Return a value with its first two axes swapped if the batch comes first."""
        return self.g.transpose(x, [1, 0, 2]) if self.batch_first else x

    def absent_as_zeros(self, i: int, sizes: Sequence[int]) -> SSAValue:
        """Return input ``i``, zeros of that shape where it is absent."""
        value = self.node.optional(i)
        if value is not None:
            return value
        return self.g.splat(0, element_type(self.node.operand(0)), sizes)

    def operands(self) -> list[SSAValue]:
        """Return the operands of every recurrent op."""
        node, x = self.node, self.batch_second(self.node.operand(0))
        steps, batch, _ = shape(x)
        if DYNAMIC in (steps, batch):
            raise OpenSizeError(node.op_type)
        known = node.constant(4)
        if known is not None and ((known < 0) | (known > steps)).any():
            raise CompileError(
                f"the lengths {known.tolist()} of sequences of {steps} steps are not all between 0"
                f" and {steps}"
            )
        rows = self.op.GATES * self.hidden
        lengths = node.optional(4)
        return [
            x,
            node.operand(1),
            node.operand(2),
            self.absent_as_zeros(3, [self.directions, 2 * rows]),
            self.g.splat(steps, i32, [batch]) if lengths is None else self.g.cast(lengths, i32),
            self.state(5),
        ]

    def state(self, i: int) -> SSAValue:
        """Return input ``i``, an initial state; zeros where it is absent."""
        if self.node.optional(i) is not None:
            return self.batch_second(self.node.operand(i))
        batch = self.node.shape(0)[0 if self.batch_first else 1]
        return self.absent_as_zeros(i, [self.directions, batch, self.hidden])

    def properties(self) -> dict[str, Attribute | None]:
        """Return the properties of every recurrent op."""
        node = self.node
        names = node.strings("activations", self.defaults)
        clip = node.number("clip", 0.0)
        return {
            "direction": DirectionAttr(_direction(node.string("direction", "forward"))),
            "activations": ArrayAttr(map(StringAttr, names)),
            "parameters": numbers(self._parameters(names)),
            "clip": number(clip) if clip else None,
        }

    def _parameters(self, names: Sequence[str]) -> list[float]:
        """Return alpha and beta of each activation; ONNX lists them for those that use them."""
        alphas = self.node.numbers("activation_alpha", [])
        betas = self.node.numbers("activation_beta", [])
        values: list[float] = []
        for name in names:
            found = cell_activation(name)
            values += [_parameter(found.alpha, alphas), _parameter(found.beta, betas)]
        return values

    def results(self, op: RecurrentOp) -> list[SSAValue]:
        """Insert the op and return its results as the operator has them."""
        if not op.is_loop:
            steps = self.node.shape(0)[1 if self.batch_first else 0]
            ops = _OPS_PER_STEP + _OPS_PER_GATE * self.op.GATES
            remark_unrolling(self.node, steps, steps * self.directions * ops)
        sequence, *last = self.node.insert_all(op)
        if not self.batch_first:
            return [sequence, *last]
        return [self.g.transpose(sequence, [2, 0, 1, 3]), *map(self.batch_second, last)]


def _parameter(default: float | None, given: list[float]) -> float:
    """Return a parameter of a function, the next one given if it has this parameter at all."""
    if default is None:
        return 0.0
    return given.pop(0) if given else default


def _direction(name: str) -> Direction:
    if name not in list(Direction):
        raise CompileError(f"direction {name!r} is none of {', '.join(Direction)}")
    return Direction(name)


@converts("RNN", since=1)
def _rnn(node: NodeContext) -> Sequence[SSAValue]:
    layer = _Layer(node, RnnOp, ["tanh"])
    return layer.results(RnnOp.make(*layer.operands(), results=2, **layer.properties()))


@converts("GRU", since=1)
def _gru(node: NodeContext) -> Sequence[SSAValue]:
    layer = _Layer(node, GruOp, ["sigmoid", "tanh"])
    reset_after = flag(bool(node.integer("linear_before_reset", 0)))
    properties = {**layer.properties(), "reset_after": reset_after}
    return layer.results(GruOp.make(*layer.operands(), results=2, **properties))


@converts("LSTM", since=1)
def _lstm(node: NodeContext) -> Sequence[SSAValue]:
    layer = _Layer(node, LstmOp, ["sigmoid", "tanh", "tanh"])
    peepholes = layer.absent_as_zeros(7, [layer.directions, 3 * layer.hidden])
    operands = [*layer.operands(), layer.state(6), peepholes]
    coupled = flag(bool(node.integer("input_forget", 0)))
    properties = {**layer.properties(), "coupled": coupled}
    return layer.results(LstmOp.make(*operands, results=3, **properties))
