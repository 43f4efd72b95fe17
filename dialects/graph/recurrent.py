"""Recurrent layers: one product for the inputs of all steps, then a loop of a small one a step.

A few steps are written one by one.

A value that a layer does not need is a splat operand: zeros for no bias, initial state or peephole,
the number of steps for sequences of full length. The decomposition leaves the work for them out.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    FloatAttr,
    StringAttr,
    TensorType,
    f64,
    i32,
)
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.irdl import (
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
)

from dlc.dialects.graph.cell_activation import cell_activation
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.direction import Direction, DirectionAttr
from dlc.dialects.graph.source import SplatOp
from dlc.dialects.graph.step_loop import StepLoopOp, YieldOp
from dlc.dialects.graph.step_part import with_room, without_room
from dlc.dialects.graph.structure import (
    VIEW_ALIGNMENT_BYTES,
    Array,
    CompositeOp,
    GraphOp,
    IndexLimits,
    length_limits,
)
from dlc.errors import CompileError
from dlc.ir.tensor import element_type, is_float, shape

LOOPED_STEPS = 16
"""Fewer steps are written one by one: they compile in a second, and the first of them, whose states
are zeros, needs no product."""


@dataclass(frozen=True)
class Step:
    """What one step of one direction is written from.

    projected: the product of the step's input and the weight, with the bias that can be added
    before the recurrence, ``[b, gates * h]``. states: those before the step. shared: what
    ``write_shared`` wrote for all steps.
    """

    direction: int
    projected: SSAValue
    states: Sequence[SSAValue]
    shared: Sequence[SSAValue]


def is_splat(value: SSAValue, number: float) -> bool:
    """Return whether every element of a value is known to be ``number``."""
    return isinstance(value.owner, SplatOp) and value.owner.value.value.data == number


class RecurrentOp(CompositeOp, ABC):
    """``x[t, b, i]`` to the hidden states ``y[t, d, b, h]`` and the last states ``[d, b, h]``.

    ``weight[d, gates * h, i]``, ``recurrence[d, gates * h, h]``, ``bias[d, 2 * gates * h]`` (of the
    weight, then of the recurrence), ``lengths[b]`` in steps (``i32``), ``initial_hidden[d, b, h]``;
    ``d`` counts directions. States of steps behind a sequence's length are 0 in ``y``. The last
    states of a sequence of length 0 are its initial ones; ONNX does not say what they are.
    ``activations`` names the functions of each direction; each has two parameters.
    """

    GATES: ClassVar[int]
    FUNCTIONS: ClassVar[int]

    x = operand_def(TensorType)
    weight = operand_def(TensorType)
    recurrence = operand_def(TensorType)
    bias = operand_def(TensorType)
    lengths = operand_def(TensorType)
    initial_hidden = operand_def(TensorType)
    direction = prop_def(DirectionAttr)
    activations = prop_def(ArrayAttr[StringAttr])
    parameters = prop_def(DenseArrayBase.constr(f64))
    clip = opt_prop_def(FloatAttr.constr(type=f64))
    output = result_def(TensorType)
    last_hidden = result_def(TensorType)

    # Shapes -------------------------------------------------------------------------------------

    @property
    def hidden(self) -> int:
        """The number of hidden units."""
        return shape(self.recurrence)[2]

    @property
    def directions(self) -> int:
        """1, or 2 for a bidirectional layer."""
        return 2 if self.direction.data is Direction.bidirectional else 1

    def expected_shapes(self) -> dict[str, tuple[SSAValue, tuple[int, ...]]]:
        """Return the shape that each operand must have."""
        _, batch, inputs = shape(self.x)
        d, rows = self.directions, self.GATES * self.hidden
        return {
            "weight": (self.weight, (d, rows, inputs)),
            "recurrence": (self.recurrence, (d, rows, self.hidden)),
            "bias": (self.bias, (d, 2 * rows)),
            "lengths": (self.lengths, (batch,)),
            "initial hidden state": (self.initial_hidden, (d, batch, self.hidden)),
        }

    def infer(self) -> Sequence[Attribute]:
        if len(shape(self.x)) != 3 or len(shape(self.recurrence)) != 3:
            raise CompileError("the data and the recurrence need three axes")
        element = element_type(self.x)
        if not is_float(element) or element_type(self.lengths) != i32:
            raise CompileError("works on floats, with lengths of i32")
        for name, (value, expected) in self.expected_shapes().items():
            if shape(value) != expected:
                raise CompileError(
                    f"the {name} has shape {list(shape(value))}, needs {list(expected)}"
                )
        functions = self.FUNCTIONS * self.directions
        if len(self.activations) != functions or len(self.parameters) != 2 * functions:
            raise CompileError(f"needs {functions} activations with two parameters each")
        for activation in self.activations:
            cell_activation(activation.data)
        steps, batch, _ = shape(self.x)
        last = TensorType(element, [self.directions, batch, self.hidden])
        states = TensorType(element, [steps, self.directions, batch, self.hidden])
        return [states, *[last] * (len(self.results) - 1)]

    @property
    def index_limits(self) -> Mapping[int, IndexLimits]:
        return {list(self.operands).index(self.lengths): length_limits(shape(self.x)[0])}

    def steps(self, direction: int) -> list[int]:
        """Return the steps in the order in which a direction sees them."""
        steps = list(range(shape(self.x)[0]))
        return steps[::-1] if self._is_backward(direction) else steps

    def _is_backward(self, direction: int) -> bool:
        return self.direction.data is Direction.reverse or direction == 1

    def flops(self) -> int:
        steps, batch, inputs = shape(self.x)
        rows = self.GATES * self.hidden * self.directions
        return 2 * steps * batch * rows * (inputs + self.hidden)

    # Activations --------------------------------------------------------------------------------

    def _parameters(self, number: int) -> tuple[float, float]:
        alpha, beta = self.parameters.get_values()[2 * number : 2 * number + 2]
        return alpha, beta

    def write_activation(self, g: Composer, direction: int, which: int, x: SSAValue) -> SSAValue:
        """Write activation ``which`` of a direction; the value is clipped first where asked for."""
        number = direction * self.FUNCTIONS + which
        if self.clip is not None:
            x = g.clip(x, -self.clip.value.data, self.clip.value.data)
        activation = cell_activation(self.activations.data[number].data)
        return activation.write(g, x, *self._parameters(number))

    def activate(self, direction: int, which: int, x: Array) -> Array:
        """Return activation ``which`` of a direction in numpy."""
        number = direction * self.FUNCTIONS + which
        if self.clip is not None:
            x = np.clip(x, -self.clip.value.data, self.clip.value.data)
        activation = cell_activation(self.activations.data[number].data)
        return activation.reference(x, *self._parameters(number))

    # Decomposition ------------------------------------------------------------------------------

    def initial_states(self) -> Sequence[SSAValue]:
        """Return the operands that hold the states before the first step."""
        return [self.initial_hidden]

    def write_shared(self, g: Composer, direction: int) -> Sequence[SSAValue]:
        """Write what all steps of a direction use: the recurrence, if nothing else is said."""
        return [self.of_direction(g, self.recurrence, direction)]

    @abstractmethod
    def write_step(self, g: Composer, step: Step) -> Sequence[SSAValue]:
        """Write the states after one step; the first of them is the hidden state."""

    def decompose(self, insert: Callable[[GraphOp], SSAValue]) -> Sequence[SSAValue]:
        g = Composer(insert)
        left = self._write_steps_left(g)
        if self.is_loop:
            loops = (self._write_loop(g, d, left) for d in range(self.directions))
            hidden, *last = zip(*loops, strict=True)
            return [g.concat(hidden, 1), *(g.concat(states, 0) for states in last)]
        runs = [self._write_direction(g, d, left) for d in range(self.directions)]
        rows = [row for step in zip(*(hidden for hidden, _ in runs), strict=True) for row in step]
        sizes = shape(self.output)  # without steps there is nothing to concatenate
        output = g.concat(rows, 0) if rows else g.splat(0, element_type(self.output), sizes)
        results = [g.reshape(output, sizes)]
        for number in range(len(self.results) - 1):
            results.append(g.concat([states[number] for _, states in runs], 0))
        return results

    def _write_steps_left(self, g: Composer) -> SSAValue | None:
        """Write how many steps each sequence has left before each step, ``[t, n]`` with the first
        ``b`` of ``n`` for the batch; ``None`` when all are of full length.

        One table for all steps, whose rows begin at multiples of 16 bytes: so each is a view, and
        no step has its number in its kernel.
        """
        steps, batch, _ = shape(self.x)
        if is_splat(self.lengths, steps):
            return None
        lengths = g.pad(self.lengths, [0], [-batch % (VIEW_ALIGNMENT_BYTES // 4)])
        return g.sub(lengths, g.reshape(g.cast(g.positions(steps), i32), [steps, 1]))

    @property
    def is_loop(self) -> bool:
        """Whether the steps are a loop."""
        return shape(self.x)[0] >= LOOPED_STEPS

    def _write_loop(self, g: Composer, d: int, left: SSAValue | None) -> Sequence[SSAValue]:
        """Write one direction: the hidden states, ``[t, 1, b, h]``, and the last ones, ``[1, b,
        h]``.
        """
        steps, batch, _ = shape(self.x)
        projected = with_room(g, self._write_projection(g, d), [steps])
        sliced = [projected, *([left] if left is not None else [])]
        shared = self.write_shared(g, d)
        initial = [self.of_direction(g, v, d) for v in self.initial_states()]
        parts = [TensorType(element_type(x), shape(x)[1:]) for x in sliced]
        kept = [v.type for v in (*initial, *shared)]
        count = len(initial)
        body = Block(arg_types=[*kept[:count], *parts, *kept[count:]])
        self._write_body(body, d, count, has_lengths=left is not None)
        backward = self._is_backward(d)
        loop = StepLoopOp.of(initial, sliced, shared, body, steps, backward)
        g.insert(loop)
        sizes = [1, batch, self.hidden]
        *last, rows = loop.outputs
        hidden = without_room(g, rows, [batch, self.hidden], [steps])
        return [g.reshape(hidden, [steps, *sizes]), *(g.reshape(state, sizes) for state in last)]

    def _write_body(self, body: Block, d: int, count: int, has_lengths: bool) -> None:
        """Write a step of one direction, which has ``count`` states."""

        def insert(op: GraphOp) -> SSAValue:
            body.add_op(op)
            return op.results[0]

        g = Composer(insert)
        states, (projected, *rest) = list(body.args[:count]), body.args[count:]
        left, shared = (rest[0], rest[1:]) if has_lengths else (None, rest)
        batch = shape(self.x)[1]
        left = g.part(left, 0, 0, batch) if left is not None else None
        at = without_room(g, projected, [batch, self.GATES * self.hidden])
        new = self.write_step(g, Step(d, at, states, shared))
        kept, hidden = self._write_end(g, left, states, new)
        body.add_op(YieldOp(*kept, with_room(g, hidden)))

    def _write_direction(
        self, g: Composer, d: int, left: SSAValue | None
    ) -> tuple[Sequence[SSAValue], Sequence[SSAValue]]:
        """Write one direction: the hidden state of each step and the last states, ``[1, b, h]``."""
        steps, batch, _ = shape(self.x)
        projected = self._write_projection(g, d)
        shared = self.write_shared(g, d)
        states = [self.of_direction(g, v, d) for v in self.initial_states()]
        hidden: dict[int, SSAValue] = {}
        for t in self.steps(d):
            at = g.reshape(g.part(projected, 0, t, t + 1), shape(projected)[1:])
            new = self.write_step(g, Step(d, at, states, shared))
            own = g.window(left, {0: (t, t + 1), 1: (0, batch)}) if left is not None else None
            states, hidden[t] = self._write_end(g, own, states, new)
        sizes = [1, batch, self.hidden]
        rows = [g.reshape(hidden[t], sizes) for t in range(steps)]
        return rows, [g.reshape(state, sizes) for state in states]

    def _write_end(
        self,
        g: Composer,
        left: SSAValue | None,
        old: Sequence[SSAValue],
        new: Sequence[SSAValue],
    ) -> tuple[Sequence[SSAValue], SSAValue]:
        """Write that sequences with no step ``left`` keep their states and have no output."""
        if left is None:
            return new, new[0]
        own = g.reshape(left, [shape(self.x)[1], 1])
        runs = g.below(g.like(0, own), own)
        kept = [g.where(runs, n, o) for n, o in zip(new, old, strict=True)]
        return kept, g.where(runs, new[0], g.like(0, new[0]))

    def of_direction(self, g: Composer, value: SSAValue, d: int) -> SSAValue:
        """Write the part of an operand that belongs to one direction, without that axis."""
        if isinstance(value.owner, SplatOp):
            return g.insert(
                SplatOp(value.owner.value, TensorType(element_type(value), shape(value)[1:]))
            )
        return g.reshape(g.part(value, 0, d, d + 1), shape(value)[1:])

    def _write_projection(self, g: Composer, d: int) -> SSAValue:
        """Write the product of the inputs of all steps with the weight, ``[t, b, gates * h]``."""
        steps, batch, inputs = shape(self.x)
        weight = self.of_direction(g, self.weight, d)
        rows = g.reshape(self.x, [steps * batch, inputs])
        y = g.matmul(rows, weight, transpose_rhs=True)
        if not is_splat(self.bias, 0):
            y = g.add(y, self.write_input_bias(g, self.of_direction(g, self.bias, d)))
        return g.reshape(y, [steps, batch, self.GATES * self.hidden])

    def write_input_bias(self, g: Composer, bias: SSAValue) -> SSAValue:
        """Write what of the bias can be added before the recurrence: here all of it."""
        rows = self.GATES * self.hidden
        return g.add(g.part(bias, 0, 0, rows), g.part(bias, 0, rows, 2 * rows))

    def write_recurrence(
        self, g: Composer, projected: SSAValue, hidden: SSAValue, recurrence: SSAValue
    ) -> SSAValue:
        """Write the projected input plus the product of state and recurrence."""
        if is_splat(hidden, 0):
            return projected
        return g.add(projected, g.matmul(hidden, recurrence, transpose_rhs=True))

    def gate(self, g: Composer, gates: SSAValue, number: int) -> SSAValue:
        """Write one gate's part of ``[b, gates * h]``."""
        return g.part(gates, 1, number * self.hidden, (number + 1) * self.hidden)

    # Reference ----------------------------------------------------------------------------------

    @abstractmethod
    def step(
        self, direction: int, x: Array, states: list[Array], operands: Sequence[Array]
    ) -> list[Array]:
        """Return the states after one step in numpy; ``operands`` are those of one direction."""

    def reference(self, *operands: Array) -> tuple[Array, ...]:
        x, lengths = operands[0], operands[4]
        steps, batch, _ = x.shape
        y = np.zeros((steps, self.directions, batch, self.hidden), x.dtype)
        count = len(self.results) - 1
        last = [np.zeros(y.shape[1:], x.dtype) for _ in range(count)]
        for d in range(self.directions):
            own = [v if v is x or v is lengths else v[d] for v in operands]
            states = own[5 : 5 + count]
            for t in self.steps(d):
                runs = (t < lengths)[:, None]
                new = self.step(d, x[t], states, own)
                states = [np.where(runs, n, o) for n, o in zip(new, states, strict=True)]
                y[t, d] = np.where(runs, new[0], 0)
            for number, state in enumerate(states):
                last[number][d] = state
        return (y, *last)
