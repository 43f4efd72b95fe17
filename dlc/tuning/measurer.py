"""Builds groups with schedules, side by side, and times them on a device, one after the other."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import replace
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
from dlc.tuning.calling import RefusedCallError, UncallableError
from dlc.tuning.device import BrokenBuildError, Builder, Device
from dlc.tuning.library_file import library_version
from dlc.tuning.measurement import Place
from dlc.tuning.program import Program, computed_inputs, weights_of
from dlc.tuning.trial import Discarded, Found, Timed
from dlc.verification.group_inputs import GroupInputs

_AHEAD = 3
"""Groups that are built while another one is timed; the cores should never wait for work."""
_DRAWN = (1 << 20) + 7
"""So many numbers are drawn for a large input, again and again; no size is a multiple."""

Code = TypeVar("Code")
_Built = Future[tuple[Program, Code]]


class DeviceMeasurer(Generic[Code]):
    """Measures on a device; a ``Measurer``."""

    def __init__(
        self,
        device: Device[Code],
        builder: Builder[Code],
        weights: WeightStore,
        values: GroupInputs,
        precision: str,
    ):
        """weights, values: of the model."""
        self.ahead = _AHEAD if device.is_apart else 0
        self._device = device
        self._builder = builder
        self._weights = weights
        self._values = values
        self._precision = precision
        self._versions: dict[str, str] = {}
        self._generator = np.random.default_rng(0)

    def place_of(self, schedule: Schedule) -> Place:
        """Return what the time of a schedule is good for."""
        place, library = self._device.place, schedule.library
        if not library:
            return place
        if library not in self._versions:
            self._versions[library] = library_version(library)
        return replace(place, compiler=f"{place.compiler}, {library} {self._versions[library]}")

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
            built.append(self._builder.submit(group, schedule, weights))
        return self._results(group, built, weights, budget)

    def _results(
        self,
        group: GroupOp,
        built: "Sequence[_Built[Code]]",
        weights: Mapping[str, Array],
        budget: Budget,
    ) -> Iterator[Found]:
        if not self._device.is_apart:  # what is timed has the processor for itself
            wait(built, budget.left())
        inputs = [self._input(value) for value in computed_inputs(group)]
        samples: list[list[Array]] = []
        for future in built:
            if budget.is_spent:
                return
            try:
                program, code = future.result(budget.left())
            except TimeoutError:
                return
            except CompileError as error:
                yield Discarded(str(error), is_wrong=isinstance(error, BrokenBuildError))
                continue
            yield self._time(group, program, code, inputs, weights, samples)

    def _time(
        self,
        group: GroupOp,
        program: Program,
        code: Code,
        inputs: Sequence[Array],
        weights: Mapping[str, Array],
        samples: list[list[Array]],
    ) -> Found:
        """Return the time of a program; samples: of the outputs of those before it."""
        try:
            times, outputs = self._device.run(program, code, inputs, program.arrays(weights))
        except UncallableError as error:
            return Discarded(str(error), is_passing=True)
        except RefusedCallError as error:
            return Discarded(str(error))
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
