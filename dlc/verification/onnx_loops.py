"""Loop and Scan as the standard has them, for the ONNX reference implementation (1.23).

Its own Loop joins what steps give along the first axis that it has, not along a new one, and never
runs where the condition is absent; its own Scan has no other axes and directions than the first.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from onnx.reference.op_run import OpRun

from dlc.dialects.graph.structure import Array


class _Repeated(OpRun):
    """An operator that runs its body again and again."""

    body: Any

    def need_context(self) -> bool:
        """Say that the body may read values of the graph around it."""
        return True

    def step(self, given: Sequence[Array], around: Mapping[str, Any]) -> list[Array]:
        """Return what the body gives. around: what the evaluator says of the graph around it."""
        values = around.get("context") or {}
        inputs = {**values, **dict(zip(self.body.input_names, given, strict=True))}
        return list(self.body.run(None, inputs, attributes=around.get("attributes")))


class Loop(_Repeated):
    """``body(number, condition, *states)`` as long as the condition holds, at most ``count``
    times.
    """

    def _run(
        self, count: Array | None, condition: Array | None, *initial: Array, **around: Any
    ) -> tuple[Array, ...]:
        states, rows, number = list(initial), list[list[Array]](), 0
        going = True if condition is None else bool(np.all(condition))
        while going and (count is None or number < np.max(count)):
            index = np.array(number, np.int64)
            found = self.step([index, np.array(True), *states], around)
            going, states = bool(np.all(found[0])), found[1 : len(states) + 1]
            rows.append(found[len(states) + 1 :])
            number += 1
        if not rows and len(self.body.output_names) > len(states) + 1:
            raise RuntimeError("no iteration says which sizes its outputs have")
        return (*states, *(np.stack(parts) for parts in zip(*rows, strict=True)))


class Scan(_Repeated):
    """``body(*states, *parts)`` for the parts of tensors along an axis, in either direction."""

    num_scan_inputs: int
    scan_input_axes: Sequence[int] | None
    scan_input_directions: Sequence[int] | None
    scan_output_axes: Sequence[int] | None
    scan_output_directions: Sequence[int] | None

    def _run(self, *operands: Array, **around: Any) -> tuple[Array, ...]:
        first = len(operands) - self.num_scan_inputs
        states, rows = list(operands[:first]), list[list[Array]]()
        axes, backward = self.scan_input_axes, self.scan_input_directions
        parts = [
            _turned(np.moveaxis(x, _nth(axes, n), 0), _nth(backward, n))
            for n, x in enumerate(operands[first:])
        ]
        for given in zip(*parts, strict=True):
            found = self.step([*states, *given], around)
            states = found[:first]
            rows.append(found[first:])
        if not rows:
            raise RuntimeError("no step says which sizes its outputs have")
        axes, backward = self.scan_output_axes, self.scan_output_directions
        stacked = (
            _turned(np.stack(x), _nth(backward, n)) for n, x in enumerate(zip(*rows, strict=True))
        )
        return (*states, *(np.moveaxis(x, 0, _nth(axes, n)) for n, x in enumerate(stacked)))


def _nth(given: Sequence[int] | None, number: int) -> int:
    return given[number] if given else 0


def _turned(x: Array, is_turned: int) -> Array:
    return x[::-1] if is_turned else x
