"""Recurrent layers as the standard has them, for the ONNX reference implementation (1.23).

Its own layers ignore lengths, ``clip`` and ``input_forget``, and those of LSTM and GRU whatever
activations are asked for. Here each sequence is run alone, to its own end, in double precision.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from onnx.reference.op_run import OpRun

from dlc.dialects.graph.structure import Array

Function = Callable[[Array], Array]


@dataclass(frozen=True)
class _Activation:
    """A function of a value and the parameters that it has, with their defaults."""

    apply: Callable[..., Array]
    alpha: float | None = None
    beta: float | None = None


_ACTIVATIONS: Mapping[str, _Activation] = {
    "sigmoid": _Activation(lambda x: 1 / (1 + np.exp(-x))),
    "tanh": _Activation(np.tanh),
    "relu": _Activation(lambda x: np.maximum(x, 0)),
    "softsign": _Activation(lambda x: x / (1 + abs(x))),
    "softplus": _Activation(lambda x: np.log1p(np.exp(x))),
    "leakyrelu": _Activation(lambda x, a: np.where(x < 0, a * x, x), 0.01),
    "thresholdedrelu": _Activation(lambda x, a: np.where(x > a, x, 0), 1.0),
    "elu": _Activation(lambda x, a: np.where(x < 0, a * (np.exp(x) - 1), x), 1.0),
    "hardsigmoid": _Activation(lambda x, a, b: np.clip(a * x + b, 0, 1), 0.2, 0.5),
    "affine": _Activation(lambda x, a, b: a * x + b, 1.0, 0.0),
    "scaledtanh": _Activation(lambda x, a, b: a * np.tanh(b * x), 1.0, 1.0),
}


@dataclass(frozen=True)
class _Cell:
    """What one direction computes with. weights: of the input, the state and both biases, split
    by gates; then the peepholes.
    """

    functions: Sequence[Function]
    input: Sequence[Array]
    state: Sequence[Array]
    input_bias: Sequence[Array]
    state_bias: Sequence[Array]
    peepholes: Sequence[Array]

    def sums(self, x: Array, h: Array) -> list[Array]:
        """Return what each gate takes before peepholes and function."""
        parts = zip(self.input, self.state, self.input_bias, self.state_bias, strict=True)
        return [w @ x + b + r @ h + c for w, r, b, c in parts]


class _Layer(OpRun):
    """A recurrent layer: sequences of steps in one or both directions."""

    GATES: ClassVar[int]
    DEFAULTS: ClassVar[Sequence[str]]
    STATES: ClassVar[int] = 1

    @abstractmethod
    def step(
        self, cell: _Cell, x: Array, states: Sequence[Array], given: Mapping[str, Any]
    ) -> list[Array]:
        """Return the states after one step of one sequence. given: the attributes."""

    def _run(self, *operands: Array | None, **given: Any) -> tuple[Array, ...]:
        padded = [*operands, *[None] * (8 - len(operands))]
        x, w, r, b, lengths, h, c, p = padded
        assert x is not None
        assert w is not None
        assert r is not None
        swap = bool(given.get("layout"))
        sequences = np.swapaxes(x, 0, 1) if not swap else x
        count, steps, _ = sequences.shape
        directions, hidden = len(w), r.shape[2]
        initial = [self._state(s, (count, directions, hidden), swap) for s in (h, c)[: self.STATES]]
        ends = [steps] * count if lengths is None else lengths
        y = np.zeros((count, directions, steps, hidden))
        last = [np.array(s, np.float64) for s in initial]
        for d in range(directions):
            cell = self._cell(d, [w, r, b, p], given)
            backward = given["direction"] == "reverse" or d == 1
            for n, end in enumerate(ends):
                states = [s[n, d] for s in last]
                for t in range(int(end))[:: -1 if backward else 1]:
                    states = self.step(cell, sequences[n, t].astype(np.float64), states, given)
                    y[n, d, t] = states[0]
                for whole, state in zip(last, states, strict=True):
                    whole[n, d] = state
        order = (0, 2, 1, 3) if swap else (2, 1, 0, 3)
        found = [y.transpose(order), *(s if swap else np.swapaxes(s, 0, 1) for s in last)]
        return tuple(each.astype(x.dtype) for each in found)

    def _state(self, given: Array | None, sizes: tuple[int, ...], swap: bool) -> Array:
        if given is None:
            return np.zeros(sizes)
        return given if swap else np.swapaxes(given, 0, 1)

    def _cell(self, d: int, weights: Sequence[Array | None], given: Mapping[str, Any]) -> _Cell:
        w, r, b, p = (None if x is None else x[d].astype(np.float64) for x in weights)
        assert w is not None
        assert r is not None
        b = np.zeros(2 * len(w)) if b is None else b
        p = np.zeros(3 * r.shape[1]) if p is None else p
        functions = self._functions(given)[d * len(self.DEFAULTS) :]
        b_w, b_r = np.split(b, 2)
        ws, rs, b_ws, b_rs = (np.split(part, self.GATES) for part in (w, r, b_w, b_r))
        return _Cell(functions, ws, rs, b_ws, b_rs, np.split(p, 3))

    def _functions(self, given: Mapping[str, Any]) -> list[Function]:
        """Return the functions of all directions, each with the next of the parameters it has."""
        names = given.get("activations") or [*self.DEFAULTS, *self.DEFAULTS]
        alphas = list(given.get("activation_alpha") or [])
        betas = list(given.get("activation_beta") or [])
        return [self._function(_ACTIVATIONS[x.lower()], alphas, betas, given) for x in names]

    def _function(
        self,
        activation: _Activation,
        alphas: list[float],
        betas: list[float],
        given: Mapping[str, Any],
    ) -> Function:
        pairs = ((activation.alpha, alphas), (activation.beta, betas))
        parameters = [(own.pop(0) if own else x) for x, own in pairs if x is not None]
        limit = given.get("clip")

        def function(x: Array) -> Array:
            clipped = np.clip(x, -limit, limit) if limit else x
            return activation.apply(clipped, *parameters)

        return function


class RNN(_Layer):
    """``h' = f(W x + R h + b)``."""

    GATES = 1
    DEFAULTS = ("Tanh",)

    def step(
        self, cell: _Cell, x: Array, states: Sequence[Array], given: Mapping[str, Any]
    ) -> list[Array]:
        """Return the state after a step."""
        (total,) = cell.sums(x, states[0])
        return [cell.functions[0](total)]


class GRU(_Layer):
    """``h' = (1 - z) g(..) + z h``, the reset before or after the product of the state."""

    GATES = 3
    DEFAULTS = ("Sigmoid", "Tanh")

    def step(
        self, cell: _Cell, x: Array, states: Sequence[Array], given: Mapping[str, Any]
    ) -> list[Array]:
        """Return the state after a step."""
        f, g = cell.functions[:2]
        (h,) = states
        z, r = (f(total) for total in cell.sums(x, h)[:2])
        recurrent = (
            r * (cell.state[2] @ h + cell.state_bias[2])
            if given.get("linear_before_reset")
            else cell.state[2] @ (r * h) + cell.state_bias[2]
        )
        candidate = g(cell.input[2] @ x + cell.input_bias[2] + recurrent)
        return [(1 - z) * candidate + z * h]


class LSTM(_Layer):
    """Gates in the order input, output, forget, cell; peepholes input, output, forget."""

    GATES = 4
    DEFAULTS = ("Sigmoid", "Tanh", "Tanh")
    STATES = 2

    def step(
        self, cell: _Cell, x: Array, states: Sequence[Array], given: Mapping[str, Any]
    ) -> list[Array]:
        """Return the hidden state and the cell after a step."""
        f, g, h = cell.functions[:3]
        before = states[1]
        i, o, forget, candidate = cell.sums(x, states[0])
        i = f(i + cell.peepholes[0] * before)
        kept = 1 - i if given.get("input_forget") else f(forget + cell.peepholes[2] * before)
        after = kept * before + i * g(candidate)
        return [f(o + cell.peepholes[1] * after) * h(after), after]
