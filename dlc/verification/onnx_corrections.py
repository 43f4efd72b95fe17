"""Operators that the ONNX reference implementation (1.23) gets wrong, as the standard has them.

Written from the operators' specifications, so that their nodes are checked like all others.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from onnx.reference.op_run import OpRun
from onnx.reference.ops.op_gru import CommonGRU
from onnx.reference.ops.op_lstm import CommonLSTM
from onnx.reference.ops.op_rnn import CommonRNN

from dlc.dialects.graph.structure import Array
from dlc.verification.onnx_loops import Loop, Scan


class LRN(OpRun):
    """``x / (bias + alpha / size * s) ** beta``, s the sum of squares over ``size`` channels around
    each one; op_lrn.py has only as many channels as the batch has entries, and four axes.
    """

    def _run(self, x: Array, alpha: float, beta: float, bias: float, size: int) -> tuple[Array]:
        below = (size - 1) // 2
        room = [(0, 0), (below, size - 1 - below), *[(0, 0)] * (x.ndim - 2)]
        squares = np.pad(np.square(x.astype(np.float64)), room)
        sums = sum(squares[:, i : i + x.shape[1]] for i in range(size))
        return ((x / (bias + alpha / size * sums) ** beta).astype(x.dtype),)


class _Layer(OpRun):
    """A recurrent layer, whose sequences have their own lengths, and whose activations take what is
    between ``-clip`` and ``clip``; the reference ignores both.
    """

    clip: float | None
    layout: int

    def _run(self, *operands: Any, **attributes: Any) -> Any:
        """Run each sequence alone, to its own end: the first step of a reversed one is its last
        element. States behind its end are 0.
        """
        run: Callable[..., Any] = super()._run
        given: list[Any] = [*operands, None, None]
        x, w, r, b, lengths, *rest = given[: max(5, len(operands))]
        if lengths is None:
            return run(*operands, **attributes)
        steps, batch = (1, 0) if self.layout else (0, 1)
        found: list[tuple[Array, ...]] = []
        for number, length in enumerate(lengths):
            own = x.take([number], batch).take(range(length), steps)
            states = [s if s is None else s.take([number], batch) for s in rest[:2]]
            y, *last = run(own, w, r, b, None, *states, *rest[2:], **attributes)
            room = [(0, x.shape[steps] - length if axis == steps else 0) for axis in range(y.ndim)]
            found.append((np.pad(y, room), *last))
        joined = zip(*found, strict=True)
        axes = (0, 0, 0) if self.layout else (2, 1, 1)
        return tuple(np.concatenate(part, axis) for part, axis in zip(joined, axes, strict=False))

    def _clipped(self, x: Array) -> Array:
        return x if not self.clip else np.clip(x, -self.clip, self.clip)


class RNN(_Layer, CommonRNN):
    """op_rnn.py, with lengths and clipped."""

    def choose_act(self, name: str, alpha: float, beta: float) -> Callable[..., Any]:
        """Return an activation."""
        activation: Any = super().choose_act(name, alpha, beta)
        return lambda x: activation(self._clipped(x))


class GRU(_Layer, CommonGRU):
    """op_gru.py, with lengths and clipped."""

    def f(self, x: Array) -> Array:
        """Return the activation of gates."""
        return super().f(self._clipped(x))

    def g(self, x: Array) -> Array:
        """Return the activation of hidden values."""
        return super().g(self._clipped(x))


class LSTM(_Layer, CommonLSTM):
    """op_lstm.py, with lengths and clipped."""

    def f(self, x: Array) -> Array:
        """Return the activation of gates."""
        return super().f(self._clipped(x))

    def g(self, x: Array) -> Array:
        """Return the activation of what enters cells."""
        return super().g(self._clipped(x))

    def h(self, x: Array) -> Array:
        """Return the activation of cells."""
        return super().h(self._clipped(x))


def _of_rows(given: Array | None) -> Array | None:
    """Return numbers for the rows of a factor so that they broadcast against it; the reference
    takes a vector of them along the columns.
    """
    return given if given is None or given.ndim != 1 else given[:, None]


def _centered(x: Array, zero_point: Array | None) -> Array:
    wide = x.astype(np.int32)
    return wide if zero_point is None else wide - zero_point.astype(np.int32)


class MatMulInteger(OpRun):
    """``(a - p) @ (b - q)`` in 32 bits, with one p for all or for each row of a."""

    def _run(
        self, a: Array, b: Array, p: Array | None = None, q: Array | None = None
    ) -> tuple[Array]:
        return (_centered(a, _of_rows(p)) @ _centered(b, q),)


class QLinearMatMul(OpRun):
    """``(a - p) * s @ (b - q) * t`` with scale v and zero point r, s and p as above."""

    def _run(
        self, a: Array, s: Array, p: Array, b: Array, t: Array, q: Array, v: Array, r: Array
    ) -> tuple[Array]:
        rows, limits = np.asarray(_of_rows(s)), np.iinfo(r.dtype)
        sums = _centered(a, _of_rows(p)) @ _centered(b, q)
        y = np.rint(sums * (rows * t / v)) + r
        return (np.clip(y, limits.min, limits.max).astype(r.dtype),)


CORRECTIONS: Sequence[type[OpRun]] = (
    *(GRU, LRN, LSTM, Loop, MatMulInteger),
    *(QLinearMatMul, RNN, Scan),
)
