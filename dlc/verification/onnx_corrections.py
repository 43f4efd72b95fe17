"""Operators that the ONNX reference implementation (1.23) gets wrong, as the standard has them.

Written from the operators' specifications, so that their nodes are checked like all others.
"""

from collections.abc import Sequence

import numpy as np
from onnx.reference.op_run import OpRun

from dlc.dialects.graph.structure import Array
from dlc.verification.onnx_loops import Loop, Scan
from dlc.verification.onnx_recurrent import GRU, LSTM, RNN


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
