"""What ONNX Runtime writes where ``SessionOptions.enable_profiling`` is set.

A list of events. Those of nodes have the category ``Node``, the name ``<node>_kernel_time`` and the
operator in ``args``; ``model_run`` is around those of a run. Builds that watch the GPU list the
kernels of a node behind it, with the category ``Kernel``
(https://onnxruntime.ai/docs/performance/tune-performance/profiling-tools.html).
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dlc.analyze.profiles.events import Event, timed, trace_events
from dlc.analyze.profiles.formats import Format
from dlc.analyze.profiles.operators import of_onnxruntime
from dlc.analyze.profiles.profile import Kernel, Profile, Row, Shape
from dlc.analyze.profiles.runs import median_run

_RUN = "model_run"
_ENDING = "_kernel_time"
_WAITS = ("_fence_before", "_fence_after")
"""Endings of events of older versions that are around a call, and no call."""
_LAUNCHES_ONLY = (
    "the profile has no kernels, so the times of nodes on a GPU are those of their launches on the "
    "CPU; profile with a build of ONNX Runtime that watches the GPU, or with Nsight Compute"
)
_NEVER_RAN = "thread::id of a non-executing thread"
_ON_GPU = ("CUDAExecutionProvider", "TensorrtExecutionProvider", "ROCMExecutionProvider")


def _fits(content: Any) -> bool:
    return any(
        isinstance(entry, Mapping) and entry.get("cat") in ("Session", "Node")
        for entry in (content if isinstance(content, list) else [])
    )


def _read(source: str, content: Any) -> Profile:
    events = [*timed(trace_events(content), ("Node", "Kernel", "Session"))]
    calls = [*_outer(_calls(events))]
    starts = sorted(event.start for event in events if event.name == _RUN)
    runs: list[list[Row]] = [[] for _ in range(max(1, len(starts)))]
    has_kernels = any(kernels for _, kernels in calls)
    for event, kernels in calls:
        runs[max(0, bisect_right(starts, event.start) - 1)].append(
            _row(event, kernels, has_kernels)
        )
    on_gpu = any(event.details.get("provider") in _ON_GPU for event, _ in calls)
    remarks = (_LAUNCHES_ONLY,) if on_gpu and not has_kernels else ()
    return Profile(
        source,
        "onnxruntime",
        median_run(runs),
        named=True,
        remarks=remarks,
        threads=_threads([event for event, _ in calls]),
    )


def _threads(calls: Sequence[Event]) -> int | None:
    """Return how many threads there are, where the profile says it: those that have not run yet
    have one name together, so they cannot be counted.
    """
    pools = filter(None, map(_other_threads, calls))
    return next((1 + len(others) for others in pools if _NEVER_RAN not in others), None)


def _other_threads(call: Event) -> list[Any]:
    """Return the names of the threads beside the main one."""
    match call.details:
        case {"thread_scheduling_stats": {"sub_threads": Mapping() as others}}:
            return [*others]
        case _:
            return []


def _calls(events: Sequence[Event]) -> list[tuple[Event, list[Kernel]]]:
    """Return the calls of nodes, each with the kernels that are listed behind it."""
    found: list[tuple[Event, list[Kernel]]] = []
    for event in events:
        if event.category == "Node" and not event.name.endswith(_WAITS):
            found.append((replace(event, name=event.name.removesuffix(_ENDING)), []))
        elif event.category == "Kernel" and found:
            found[-1][1].append(Kernel(event.name, event.us))
    return sorted(found, key=lambda call: (call[0].start, -call[0].us))


def _outer(
    calls: Sequence[tuple[Event, list[Kernel]]],
) -> Iterator[tuple[Event, list[Kernel]]]:
    """Yield the calls that are in no other: the time of a loop has that of its body in it."""
    last: dict[tuple[str, str], tuple[Event, list[Kernel]]] = {}
    for event, kernels in calls:
        around = last.get(event.track)
        if around and around[0].contains(event):
            around[1].extend(kernels)
        else:
            last[event.track] = (event, kernels)
            yield event, kernels


def _row(event: Event, kernels: Sequence[Kernel], has_kernels: bool) -> Row:
    us = sum(kernel.us for kernel in kernels) if has_kernels else event.us
    operator = of_onnxruntime(str(event.details.get("op_name", "")))
    shapes = (*_shapes(event.details.get("input_type_shape")),)
    return Row(event.name, operator, us, tuple(kernels), inputs=shapes)


def _shapes(data: Any) -> Iterator[Shape]:
    """Yield shapes from a list of mappings, each of a type to a shape."""
    for each in data if isinstance(data, list) else ():
        for sizes in each.values() if isinstance(each, Mapping) else ():
            if isinstance(sizes, list) and all(isinstance(size, int) for size in sizes):
                yield tuple(sizes)


FORMAT = Format("ONNX Runtime", _fits, _read)
