"""How long each step of a run takes: each launch of a kernel, and each copy to an output."""

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from dlc.runtime.device_feeds import DeviceFeeds
from dlc.runtime.gpu_clock import gpu_clock
from dlc.runtime.gpu_driver import Driver
from dlc.runtime.host_arrays import host_feeds
from dlc.runtime.model import Model
from dlc.runtime.timing import HostClock, Times, alternate, measure

PROFILE_SECONDS = 0.5
_LEAST_SHARE = 0.1
"""Of what was measured for a step at least this is its own, whatever looking is found to cost."""


@dataclass(frozen=True)
class Profile:
    """steps: the seconds of each step where it begins when the one before it has ended. line: the
    times of all steps made so, without a look at them. run: the times of whole runs, in which
    launches on a GPU overlap and run at the same time. looking: the seconds that the look at one
    step was found to cost; they are no longer in ``steps``.
    """

    steps: Sequence[float]
    line: Times
    run: Times
    looking: float


def profile(model: Model, feeds: Mapping[str, Any], seconds: float = PROFILE_SECONDS) -> Profile:
    """Return the median time of each step over some runs, which take about ``seconds``.

    feeds: host arrays by input name. Each step finds in the caches what a run leaves there. Raises
    InputError, ArtifactError.
    """
    times = _profile_gpu if model.is_cuda else _profile_cpu
    return times(model, feeds, seconds)


def _profile_cpu(model: Model, feeds: Mapping[str, Any], seconds: float) -> Profile:
    arrays = host_feeds(model.inputs, feeds)
    results = [np.empty(info.shape, info.dtype) for info in model.outputs]
    run = model.step_runner([x.ctypes.data for x in arrays], [x.ctypes.data for x in results])
    count = len(model.steps())
    looks: list[list[float]] = []

    def look() -> None:
        marks = [time.perf_counter()]
        for step in range(count):
            run(step, step + 1)
            marks.append(time.perf_counter())
        looks.append([end - start for start, end in pairwise(marks)])

    both = {"run": (lambda: run(0, count), HostClock()), "look": (look, HostClock())}
    times = alternate(both, seconds / 2)["run"]
    return _without_looking(looks, times, times)


def _profile_gpu(model: Model, feeds: Mapping[str, Any], seconds: float) -> Profile:
    driver = Driver()
    count = len(model.steps())
    with gpu_clock(model.device, driver=driver) as clock, ExitStack() as kept:
        memory = kept.enter_context(DeviceFeeds.of(driver, model, feeds))
        run = model.step_runner(memory.inputs, memory.outputs, clock.stream)
        events = [kept.enter_context(driver.event()) for _ in range(count + 1)]

        def steps_between_events() -> None:
            driver.record_in_graph(events[0], clock.stream)
            for step in range(count):
                run(step, step + 1)
                driver.record_in_graph(events[step + 1], clock.stream)

        def whole() -> None:
            model.enqueue(memory.inputs, memory.outputs, clock.stream)

        def one_after_the_other() -> None:
            run(0, count)

        line = kept.enter_context(driver.captured(clock.stream, one_after_the_other))
        replay = kept.enter_context(driver.captured(clock.stream, steps_between_events))
        looks: list[list[float]] = []

        def look() -> None:
            replay()
            driver("cuStreamSynchronize", clock.stream)
            looks.append([driver.elapsed(*pair) for pair in pairwise(events)])

        measure(look, HostClock(), seconds / 2)
        times = alternate({"line": (line, clock), "run": (whole, clock)}, seconds / 4)
        return _without_looking(looks, times["line"], times["run"])


def _without_looking(looks: Sequence[Sequence[float]], line: Times, run: Times) -> Profile:
    """Return the medians of the steps, less what the looks at them make them longer.

    A look costs the same at each: an event that the GPU writes between two launches, a call on the
    CPU.
    """
    medians = np.median(looks[1:], axis=0)
    looking = max(0.0, float(np.median(np.sum(looks[1:], axis=1)) - line.median) / len(medians))
    steps = np.maximum(medians - looking, _LEAST_SHARE * medians)
    return Profile(steps.tolist(), line, run, looking)
