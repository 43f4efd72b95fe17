"""Builds groups with schedules, side by side, and times them on a device, one after the other."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Generic, TypeVar

import numpy as np
from xdsl.ir import SSAValue

from dlc.core.weights import WeightStore
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError
from dlc.ir.tensor import element_type, is_float, numpy_dtype, shape
from dlc.strategies import Schedule
from dlc.tuning.agreement import disagreement
from dlc.tuning.budget import Budget
from dlc.tuning.device import Device
from dlc.tuning.program import Program, computed_inputs, lower_alone, weights_of
from dlc.tuning.trial import Discarded, Found, Timed
from dlc.verification.group_inputs import GroupInputs

_AHEAD = 2
"""Groups that are built while another one is timed; the cores should never wait for work."""
_DRAWN = (1 << 20) + 7
"""So many numbers are drawn for a large input, again and again; no size is a multiple."""

Code = TypeVar("Code")
_Built = tuple[Program, "Future[Code]"] | Discarded


class DeviceMeasurer(Generic[Code]):
    """Measures on a device; a ``Measurer``."""

    def __init__(
        self,
        device: Device[Code],
        weights: WeightStore,
        values: GroupInputs,
        pipeline: str,
        precision: str,
        pool: ThreadPoolExecutor,
    ):
        """weights, values: of the model. pipeline: the passes from groups to kernels. pool: of
        compilers.
        """
        self.place = device.place
        self.ahead = _AHEAD if device.is_apart else 0
        self._device = device
        self._weights = weights
        self._values = values
        self._pipeline = pipeline
        self._precision = precision
        self._pool = pool
        self._generator = np.random.default_rng(0)

    def start(
        self, group: GroupOp, schedules: Sequence[Schedule], budget: Budget
    ) -> Iterator[Found]:
        """Begin to build; the iterator times the schedules, in order, as far as the budget goes."""
        symbols = sorted({op.symbol.string_value() for op in weights_of(group)})
        weights = {symbol: self._weights.array(symbol) for symbol in symbols}
        built: list[_Built[Code]] = []
        for schedule in schedules:
            if budget.is_spent:
                break
            built.append(self._build(group, schedule, weights))
        return self._results(group, built, budget)

    def _build(
        self, group: GroupOp, schedule: Schedule, weights: Mapping[str, Array]
    ) -> "_Built[Code]":
        try:
            program = lower_alone(group, schedule, weights, self._pipeline)
        except CompileError as error:
            return Discarded(str(error))
        return program, self._pool.submit(self._device.compile, program)

    def _results(
        self, group: GroupOp, built: "Sequence[_Built[Code]]", budget: Budget
    ) -> Iterator[Found]:
        if not self._device.is_apart:  # what is timed has the processor for itself
            wait([each[1] for each in built if not isinstance(each, Discarded)], budget.left())
        inputs = [self._input(value) for value in computed_inputs(group)]
        samples: list[list[Array]] = []
        for each in built:
            if budget.is_spent:
                return
            if isinstance(each, Discarded):
                yield each
                continue
            program, future = each
            try:
                code = future.result(budget.left())
            except TimeoutError:
                return
            except CompileError as error:
                yield Discarded(str(error))
                continue
            yield self._time(group, program, code, inputs, samples)

    def _time(
        self,
        group: GroupOp,
        program: Program,
        code: Code,
        inputs: Sequence[Array],
        samples: list[list[Array]],
    ) -> Found:
        """Return the time of a program; samples: of the outputs of those before it."""
        try:
            times, outputs = self._device.run(program, code, inputs)
        except CompileError as error:
            return Discarded(f"it does not run: {error}", is_wrong=True)
        samples.append(outputs)
        found = disagreement(group, samples[0], outputs, self._precision)
        if found is not None:
            return Discarded(found, is_wrong=True)
        return Timed(times.median, times.spread * times.median / 2, len(times.seconds))

    def _input(self, value: SSAValue) -> Array:
        """Return an array for an input: random floats; integers that mean something."""
        if not is_float(element_type(value)):
            return self._values[value]
        dtype, sizes = numpy_dtype(element_type(value)), shape(value)
        count = int(np.prod(sizes, dtype=np.int64))
        drawn = self._generator.uniform(-1, 1, min(count, _DRAWN)).astype(dtype)
        return np.resize(drawn, count).reshape(sizes)
