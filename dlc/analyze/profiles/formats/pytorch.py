"""What ``torch.profiler``'s ``export_chrome_trace`` writes.

Events of operators have the category ``cpu_op`` and lie inside of each other. A kernel has the
number (``correlation``) of the call of CUDA that launched it, which lies inside of an operator.
``ProfilerStep#N`` is around those of a step, where the profiler was told of steps.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dlc.analyze.profiles.events import Event, timed, trace_events
from dlc.analyze.profiles.formats import Format
from dlc.analyze.profiles.operators import of_aten, of_kernel
from dlc.analyze.profiles.profile import Kernel, Profile, Row, Shape
from dlc.analyze.profiles.runs import median_run

_STEP = "ProfilerStep#"
_LAUNCHES = ("cuda_runtime", "cuda_driver")
_GRAPH = "GraphLaunch"
_ON_GPU = ("kernel", "gpu_memcpy", "gpu_memset")


def _fits(content: Any) -> bool:
    return any(
        isinstance(entry, Mapping) and entry.get("cat") in ("cpu_op", *_ON_GPU)
        for entry in (trace_events(content) if isinstance(content, Mapping) else [])
    )


@dataclass
class _Call:
    """An operator, the one around it, and the kernels that count as its own."""

    event: Event
    outer: "_Call | None"
    inner: "list[_Call]" = field(default_factory=list)
    kernels: list[Kernel] = field(default_factory=list)

    @property
    def known(self) -> bool:
        return bool(of_aten(self.event.name).types)

    def around(self) -> "Iterator[_Call]":
        """Yield this one and those around it, from the inside."""
        call: _Call | None = self
        while call:
            yield call
            call = call.outer

    @property
    def counted(self) -> "_Call":
        """The outermost known one around it: what is inside of that is part of it."""
        return [self, *(x for x in self.around() if x.known)][-1]


def _read(source: str, content: Any) -> Profile:
    entries = trace_events(content)
    calls = _nested([*timed(entries, ("cpu_op",))])
    kernels = [*timed(entries, _ON_GPU)]
    found = _on_gpu(calls, entries, kernels) if kernels else [*_on_cpu(calls)]
    found.sort(key=lambda each: each[0])
    steps = [e for e in timed(entries, ("user_annotation",)) if e.name.startswith(_STEP)]
    runs = [
        [row for start, row in found if step.start <= start < step.end]
        for step in sorted(steps, key=lambda step: step.start)
    ]
    rows = median_run(runs or [[row for _, row in found]])
    return Profile(source, "pytorch", rows, capability=_capability(content), of_one_run=bool(steps))


def _capability(content: Any) -> tuple[int, int] | None:
    """Return the compute capability of the only GPU, if the trace says it."""
    match content:
        case {"deviceProperties": [{"computeMajor": int(major), "computeMinor": int(minor)}]}:
            return major, minor
        case _:
            return None


def _nested(events: Sequence[Event]) -> list[_Call]:
    """Return the operators in the order of their start, each knowing what it lies in."""
    found: list[_Call] = []
    last: dict[tuple[str, str], _Call] = {}
    for event in sorted(events, key=lambda event: (event.start, -event.us)):
        outer = last.get(event.track)
        while outer and not outer.event.contains(event):
            outer = outer.outer
        call = last[event.track] = _Call(event, outer)
        found.append(call)
        if outer:
            outer.inner.append(call)
    return found


def _on_cpu(calls: Sequence[_Call]) -> Iterator[tuple[float, Row]]:
    """Yield operators by their time on the CPU, the outermost that are known. What lies around
    known ones and is not known itself has the rest of its time.
    """
    has_known = {id(x) for call in calls if call.known for x in call.around()}
    for call in calls:
        if any(x.known or id(x) not in has_known for x in call.around() if x is not call):
            continue
        inside = () if call.known or id(call) not in has_known else call.inner
        us = max(0.0, call.event.us - sum(x.event.us for x in inside))
        yield call.event.start, _row(call.event, us)


def _on_gpu(
    calls: Sequence[_Call], entries: Sequence[Any], kernels: Sequence[Event]
) -> list[tuple[float, Row]]:
    """Return operators by the time of their kernels, and kernels that no operator launched: those
    of a graph are launched together.
    """
    launches = {_number(e, "correlation"): e for e in timed(entries, _LAUNCHES)}
    launchers = _Launchers(calls)
    alone: list[tuple[float, Row]] = []
    for event in sorted(kernels, key=lambda event: event.start):
        kernel = Kernel(event.name, event.us)
        launch = launches.get(_number(event, "correlation"))
        if call := launchers.of(event, launch):
            call.counted.kernels.append(kernel)
        else:
            row = Row(kernel.name, of_kernel(kernel.name), kernel.us, (kernel,))
            alone.append(((launch or event).start, row))
    return [*_with_kernels(calls), *alone]


def _number(event: Event, key: str) -> str:
    """Return what other events know an event by, what none of them says where it has nothing."""
    return str(event.details[key]) if key in event.details else f"no {key} {id(event)}"


def _with_kernels(calls: Sequence[_Call]) -> Iterator[tuple[float, Row]]:
    """Yield the outermost known operators, and others that launched kernels outside of these."""
    for call in calls:
        if call.kernels or (call.known and call.counted is call):
            us = sum(kernel.us for kernel in call.kernels)
            yield call.event.start, _row(call.event, us, call.kernels)


@dataclass
class _Launchers:
    """Finds the innermost operator that launched a kernel."""

    calls: Sequence[_Call]
    tracks: dict[tuple[str, str], list[_Call]] = field(default_factory=dict)
    by_number: dict[str, _Call] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for call in self.calls:
            self.tracks.setdefault(call.event.track, []).append(call)
            self.by_number[_number(call.event, "External id")] = call

    def of(self, kernel: Event, launch: Event | None) -> _Call | None:
        if launch and _GRAPH in launch.name:
            return None
        around = self._around(launch) if launch else None
        return around or self.by_number.get(_number(kernel, "External id"))

    def _around(self, launch: Event) -> _Call | None:
        calls = self.tracks.get(launch.track, [])
        place = bisect_right(calls, launch.start, key=lambda call: call.event.start)
        around = calls[place - 1].around() if place else iter(())
        return next((x for x in around if x.event.start <= launch.start < x.event.end), None)


def _row(event: Event, us: float, kernels: Sequence[Kernel] = ()) -> Row:
    """Return the row of a call; of one that is not known its longest kernel says what it is."""
    shapes = (*_shapes(event.details.get("Input Dims")),)
    operator = of_aten(event.name)
    if not operator.types and kernels:
        operator = of_kernel(max(kernels, key=lambda kernel: kernel.us).name)
    return Row(event.name, operator, us, tuple(kernels), inputs=shapes)


def _shapes(data: Any) -> Iterator[Shape]:
    for sizes in data if isinstance(data, list) else ():
        if isinstance(sizes, list) and sizes and all(isinstance(size, int) for size in sizes):
            yield tuple(sizes)


FORMAT = Format("torch.profiler", _fits, _read)
