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


class _Clipped:
    """What goes into an activation is between ``-clip`` and ``clip``, which the recurrent layers of
    the reference ignore.
    """

    clip: float | None

    def _clipped(self, x: Array) -> Array:
        return x if not self.clip else np.clip(x, -self.clip, self.clip)


class RNN(_Clipped, CommonRNN):
    """op_rnn.py, clipped."""

    def choose_act(self, name: str, alpha: float, beta: float) -> Callable[..., Any]:
        """Return an activation."""
        activation: Any = super().choose_act(name, alpha, beta)
        return lambda x: activation(self._clipped(x))


class GRU(_Clipped, CommonGRU):
    """op_gru.py, clipped."""

    def f(self, x: Array) -> Array:
        """Return the activation of gates."""
        return super().f(self._clipped(x))

    def g(self, x: Array) -> Array:
        """Return the activation of hidden values."""
        return super().g(self._clipped(x))


class LSTM(_Clipped, CommonLSTM):
    """op_lstm.py, clipped."""

    def f(self, x: Array) -> Array:
        """Return the activation of gates."""
        return super().f(self._clipped(x))

    def g(self, x: Array) -> Array:
        """Return the activation of what enters cells."""
        return super().g(self._clipped(x))

    def h(self, x: Array) -> Array:
        """Return the activation of cells."""
        return super().h(self._clipped(x))


CORRECTIONS: Sequence[type[OpRun]] = (GRU, LRN, LSTM, RNN)
