"""What a step of a loop computes: in float64, and as the text of ops."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from body_lines import BodyLines

from dlc.dialects.graph.structure import Array


@dataclass(frozen=True)
class CellForm:
    """states: of a step. gates: the columns of a step's part that a unit has. weights: the columns
    of products that a unit has of each. step: from inputs, a step's part and states to the new
    states. write: the same as ops on ``%p`` and ``%h0``, ``%h1``.
    """

    states: int
    gates: int
    weights: Mapping[str, int]
    step: Callable[[Mapping[str, Array], Array, Sequence[Array]], Sequence[Array]]
    write: Callable[[BodyLines], list[str]]
    has_bias: bool = False


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def _rnn(own: Mapping[str, Array], x: Array, states: Sequence[Array]) -> Sequence[Array]:
    return [np.tanh(x + states[0] @ own["w"].T)]


def _write_rnn(lines: BodyLines) -> list[str]:
    return [lines.unary("tanh", lines.binary("add", "%p", lines.product("%h0", "%w", 1)))]


def _stack(own: Mapping[str, Array], x: Array, states: Sequence[Array]) -> Sequence[Array]:
    below = states[0] @ own["u"].T + own["bias"]
    return [*_rnn(own, x, states), np.tanh(below + states[1] @ own["v"].T)]


def _write_stack(lines: BodyLines) -> list[str]:
    below = lines.product("%h0", "%u", 1)
    shifted = lines.binary("add", below, "%bias", right=lines.tensor(lines.units))
    total = lines.binary("add", shifted, lines.product("%h1", "%v", 1))
    return [*_write_rnn(lines), lines.unary("tanh", total)]


def _deep(own: Mapping[str, Array], x: Array, states: Sequence[Array]) -> Sequence[Array]:
    (h,) = states
    a = np.tanh(x + h @ own["w"].T)
    b = np.tanh(a @ own["u"].T + (a * x) @ own["v"].T)
    return [np.tanh(b @ own["w"].T + a * h)]


def _write_deep(lines: BodyLines) -> list[str]:
    a = lines.unary("tanh", lines.binary("add", "%p", lines.product("%h0", "%w", 1)))
    masked = lines.product(lines.binary("mul", a, "%p"), "%v", 1)
    b = lines.unary("tanh", lines.binary("add", lines.product(a, "%u", 1), masked))
    kept = lines.binary("mul", a, "%h0")
    return [lines.unary("tanh", lines.binary("add", lines.product(b, "%w", 1), kept))]


def _lstm(own: Mapping[str, Array], x: Array, states: Sequence[Array]) -> Sequence[Array]:
    h, c = states
    i, o, f, new = np.split(x + h @ own["w"].T, 4, axis=1)
    cell = _sigmoid(f) * c + _sigmoid(i) * np.tanh(new)
    return [_sigmoid(o) * np.tanh(cell), cell]


def _write_lstm(lines: BodyLines) -> list[str]:
    total = lines.binary("add", "%p", lines.product("%h0", "%w", 4), 4)
    i, o, f, c = (lines.part(total, n, 4) for n in range(4))
    kept = lines.binary("mul", lines.unary("sigmoid", f), "%h1")
    new = lines.binary("mul", lines.unary("sigmoid", i), lines.unary("tanh", c))
    cell = lines.binary("add", kept, new)
    out = lines.binary("mul", lines.unary("sigmoid", o), lines.unary("tanh", cell))
    return [out, cell]


def _gates(own: Mapping[str, Array], x: Array, h: Array) -> Sequence[Array]:
    """Return the update gate, the reset gate, and the part for the new state."""
    zx, rx, nx = np.split(x, 3, axis=1)
    zh, rh = np.split(h @ own["w"].T, 2, axis=1)
    return _sigmoid(zx + zh), _sigmoid(rx + rh), nx


def _write_gates(lines: BodyLines) -> list[str]:
    gates = lines.product("%h0", "%w", 2)
    totals = [
        lines.binary("add", lines.part("%p", n, 3), lines.part(gates, n, 2)) for n in range(2)
    ]
    return [*(lines.unary("sigmoid", total) for total in totals), lines.part("%p", 2, 3)]


def _write_new(lines: BodyLines, z: str, total: str) -> list[str]:
    """Write the new state from the update gate and the sums that are not yet in tanh."""
    new = lines.unary("tanh", total)
    gap = lines.binary("mul", z, lines.binary("sub", "%h0", new))
    return [lines.binary("add", new, gap)]


def _gru(own: Mapping[str, Array], x: Array, states: Sequence[Array]) -> Sequence[Array]:
    (h,) = states
    z, r, nx = _gates(own, x, h)
    return [(1 - z) * np.tanh(nx + r * (h @ own["v"].T + own["bias"])) + z * h]


def _write_gru(lines: BodyLines) -> list[str]:
    last = lines.product("%h0", "%v", 1)
    z, r, nx = _write_gates(lines)
    shifted = lines.binary("add", last, "%bias", right=lines.tensor(lines.units))
    return _write_new(lines, z, lines.binary("add", nx, lines.binary("mul", r, shifted)))


def _reset(own: Mapping[str, Array], x: Array, states: Sequence[Array]) -> Sequence[Array]:
    (h,) = states
    z, r, nx = _gates(own, x, h)
    return [(1 - z) * np.tanh(nx + (r * h) @ own["v"].T) + z * h]


def _write_reset(lines: BodyLines) -> list[str]:
    z, r, nx = _write_gates(lines)
    last = lines.product(lines.binary("mul", r, "%h0"), "%v", 1)
    return _write_new(lines, z, lines.binary("add", nx, last))


FORMS = {
    "rnn": CellForm(1, 1, {"w": 1}, _rnn, _write_rnn),
    "lstm": CellForm(2, 4, {"w": 4}, _lstm, _write_lstm),
    "gru": CellForm(1, 3, {"w": 2, "v": 1}, _gru, _write_gru, has_bias=True),
    "reset": CellForm(1, 3, {"w": 2, "v": 1}, _reset, _write_reset),
    "stack": CellForm(2, 1, {"w": 1, "u": 1, "v": 1}, _stack, _write_stack, has_bias=True),
    "deep": CellForm(1, 1, {"w": 1, "u": 1, "v": 1}, _deep, _write_deep),
}
"""A gru has its reset behind the product, "reset" before it: two products in a row. "stack": two
rnn, the second a step behind. "deep": three products in a row, the second one of two factors.
"""
