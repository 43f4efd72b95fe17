"""Recurrent cells."""

from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import TensorType, UnitAttr
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def

from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.recurrent import RecurrentOp, Step, is_splat
from dlc.dialects.graph.structure import Array
from dlc.ir.tensor import shape

_FORMAT = (
    "operands `direction` $direction `activations` $activations `parameters` $parameters"
    " (`clip` $clip^)? attr-dict `:` functional-type(operands, results)"
)


@irdl_op_definition
class RnnOp(RecurrentOp):
    """``h' = f(W x + R h + b)``."""

    name = "graph.rnn"
    GATES: ClassVar = 1
    FUNCTIONS: ClassVar = 1
    assembly_format = _FORMAT

    def write_step(self, g: Composer, step: Step) -> Sequence[SSAValue]:
        total = self.write_recurrence(g, step.projected, step.states[0], step.shared[0])
        return [self.write_activation(g, step.direction, 0, total)]

    def step(
        self, direction: int, x: Array, states: list[Array], operands: Sequence[Array]
    ) -> list[Array]:
        _, weight, recurrence, bias, *_ = operands
        total = x @ weight.T + states[0] @ recurrence.T + bias.reshape(2, -1).sum(0)
        return [self.activate(direction, 0, total)]


@irdl_op_definition
class LstmOp(RecurrentOp):
    """Long short-term memory. Gates in the order input, output, forget, cell.

    ``i = f(Wx + Rh + b + pi c)``, ``f = f(.. + pf c)``, ``c' = f c + i g(..)``,
    ``o = f(.. + po c')``, ``h' = o h(c')``. ``peepholes[d, 3 * h]`` are ``pi``, ``po``, ``pf``.
    With ``coupled`` the forget gate is ``1 - i``.
    """

    name = "graph.lstm"
    GATES: ClassVar = 4
    FUNCTIONS: ClassVar = 3
    # A class's own fields come before those of its bases, so all are listed in their order.
    x = operand_def(TensorType)
    weight = operand_def(TensorType)
    recurrence = operand_def(TensorType)
    bias = operand_def(TensorType)
    lengths = operand_def(TensorType)
    initial_hidden = operand_def(TensorType)
    initial_cell = operand_def(TensorType)
    peepholes = operand_def(TensorType)
    output = result_def(TensorType)
    last_hidden = result_def(TensorType)
    last_cell = result_def(TensorType)
    coupled = opt_prop_def(UnitAttr)
    assembly_format = (
        "operands `direction` $direction `activations` $activations `parameters` $parameters"
        " (`clip` $clip^)? (`coupled` $coupled^)? attr-dict"
        " `:` functional-type(operands, results)"
    )

    def expected_shapes(self) -> dict[str, tuple[SSAValue, tuple[int, ...]]]:
        own = shape(self.initial_hidden)
        return {
            **super().expected_shapes(),
            "initial cell": (self.initial_cell, own),
            "peepholes": (self.peepholes, (self.directions, 3 * self.hidden)),
        }

    def initial_states(self) -> Sequence[SSAValue]:
        return [self.initial_hidden, self.initial_cell]

    def write_shared(self, g: Composer, direction: int) -> Sequence[SSAValue]:
        recurrence = super().write_shared(g, direction)
        if is_splat(self.peepholes, 0):
            return recurrence
        own, h = self.of_direction(g, self.peepholes, direction), self.hidden
        return [*recurrence, *(g.part(own, 0, n * h, (n + 1) * h) for n in range(3))]

    def write_step(self, g: Composer, step: Step) -> Sequence[SSAValue]:
        direction, (hidden, cell) = step.direction, step.states
        recurrence, *peepholes = step.shared
        total = self.write_recurrence(g, step.projected, hidden, recurrence)
        gates = [self.gate(g, total, n) for n in range(4)]
        pi, po, pf = peepholes or (None, None, None)
        i = self._write_gate(g, direction, gates[0], pi, cell)
        if self.coupled is None:
            f = self._write_gate(g, direction, gates[2], pf, cell)
        else:
            f = g.sub(g.like(1, i), i)
        candidate = self.write_activation(g, direction, 1, gates[3])
        new_cell = g.add(g.mul(f, cell), g.mul(i, candidate))
        o = self._write_gate(g, direction, gates[1], po, new_cell)
        return [g.mul(o, self.write_activation(g, direction, 2, new_cell)), new_cell]

    def _write_gate(
        self, g: Composer, direction: int, gate: SSAValue, peephole: SSAValue | None, cell: SSAValue
    ) -> SSAValue:
        if peephole is not None:
            gate = g.add(gate, g.mul(peephole, cell))
        return self.write_activation(g, direction, 0, gate)

    def step(
        self, direction: int, x: Array, states: list[Array], operands: Sequence[Array]
    ) -> list[Array]:
        _, weight, recurrence, bias, _, _, _, peepholes = operands
        hidden, cell = states
        total = x @ weight.T + hidden @ recurrence.T + bias.reshape(2, -1).sum(0)
        i, o, f, c = np.split(total, 4, axis=1)
        pi, po, pf = np.split(peepholes, 3)
        i = self.activate(direction, 0, i + pi * cell)
        f = 1 - i if self.coupled is not None else self.activate(direction, 0, f + pf * cell)
        new_cell = f * cell + i * self.activate(direction, 1, c)
        o = self.activate(direction, 0, o + po * new_cell)
        return [o * self.activate(direction, 2, new_cell), new_cell]


@irdl_op_definition
class GruOp(RecurrentOp):
    """Gated recurrent unit. Gates in the order update, reset, hidden.

    ``z = f(..)``, ``r = f(..)``, ``h' = (1 - z) g(Wx + R(r h) + b) + z h``; with ``reset_after``
    the reset is applied to the product: ``g(Wx + r (R h + bR) + bW)``.
    """

    name = "graph.gru"
    GATES: ClassVar = 3
    FUNCTIONS: ClassVar = 2
    reset_after = opt_prop_def(UnitAttr)
    assembly_format = (
        "operands `direction` $direction `activations` $activations `parameters` $parameters"
        " (`clip` $clip^)? (`reset_after` $reset_after^)? attr-dict"
        " `:` functional-type(operands, results)"
    )

    def write_input_bias(self, g: Composer, bias: SSAValue) -> SSAValue:
        if self.reset_after is None:
            return super().write_input_bias(g, bias)
        h = self.hidden
        gates = g.add(g.part(bias, 0, 0, 2 * h), g.part(bias, 0, 3 * h, 5 * h))
        return g.concat([gates, g.part(bias, 0, 2 * h, 3 * h)], 0)

    def write_shared(self, g: Composer, direction: int) -> Sequence[SSAValue]:
        (own,), h = super().write_shared(g, direction), self.hidden
        if self.reset_after is None:
            return [g.part(own, 0, 0, 2 * h), g.part(own, 0, 2 * h, 3 * h)]
        return [own, g.part(self.of_direction(g, self.bias, direction), 0, 5 * h, 6 * h)]

    def write_step(self, g: Composer, step: Step) -> Sequence[SSAValue]:
        direction, (hidden,) = step.direction, step.states
        both, candidate = self._write_sums(g, step)
        z, r = (self.write_activation(g, direction, 0, self.gate(g, both, n)) for n in (0, 1))
        candidate = self.write_activation(g, direction, 1, candidate(r))
        return [g.add(g.mul(g.sub(g.like(1, z), z), candidate), g.mul(z, hidden))]

    def _write_sums(
        self, g: Composer, step: Step
    ) -> tuple[SSAValue, Callable[[SSAValue], SSAValue]]:
        """Write what the functions of the two gates take; return it, and what writes for a reset
        what that of the candidate takes.

        The reset after the product leaves one product of the state for all three.
        """
        projected, (hidden,), (recurrence, other) = step.projected, step.states, step.shared
        count = 2 * self.hidden
        of_gates, of_candidate = g.part(projected, 1, 0, count), self.gate(g, projected, 2)
        if self.reset_after is None:
            both = self.write_recurrence(g, of_gates, hidden, recurrence)
            return both, lambda r: g.add(
                of_candidate, g.matmul(g.mul(r, hidden), other, transpose_rhs=True)
            )
        if is_splat(hidden, 0):
            return of_gates, lambda r: g.add(of_candidate, g.mul(r, other))
        product = g.matmul(hidden, recurrence, transpose_rhs=True)
        both = g.add(of_gates, g.part(product, 1, 0, count))
        last = g.add(self.gate(g, product, 2), other)
        return both, lambda r: g.add(of_candidate, g.mul(r, last))

    def step(
        self, direction: int, x: Array, states: list[Array], operands: Sequence[Array]
    ) -> list[Array]:
        _, weight, recurrence, bias, *_ = operands
        (hidden,) = states
        wz, wr, wh = np.split(x @ weight.T + np.split(bias, 2)[0], 3, axis=1)
        rz, rr, rh = np.split(recurrence, 3)
        bz, br, bh = np.split(np.split(bias, 2)[1], 3)
        z = self.activate(direction, 0, wz + hidden @ rz.T + bz)
        r = self.activate(direction, 0, wr + hidden @ rr.T + br)
        before, after = (1, r) if self.reset_after is not None else (r, 1)
        candidate = self.activate(direction, 1, wh + after * ((before * hidden) @ rh.T + bh))
        return [(1 - z) * candidate + z * hidden]


OPERATIONS = [RnnOp, LstmOp, GruOp]
