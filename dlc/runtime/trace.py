"""A profile as a Chrome trace, which chrome://tracing and https://ui.perfetto.dev open.

The format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
("Trace Event Format"); times are in microseconds.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dlc.runtime.profile import Profile

_PROCESS, _THREAD = 1, 1
Json = dict[str, Any]


def chrome_trace(
    report: Mapping[str, Any], steps: Sequence[Mapping[str, Any]], found: Profile
) -> str:
    """Return the text of a trace: one event for each step, named after its ONNX nodes.

    report: of the model (``Model.report``); steps: what it does (``Model.steps``), one after the
    other without a gap.
    """
    kernels = {k["name"]: k for variant in report["variants"] for k in variant["kernels"]}
    events = [*_names(report), *_events(steps, found.steps, kernels)]
    facts = {
        "run_us": 1e6 * found.run.median,
        "steps_us": 1e6 * sum(found.steps),
        "line_us": 1e6 * found.line.median,
        "looking_us_per_step": 1e6 * found.looking,
    }
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ns", "otherData": facts}) + "\n"


def _names(report: Mapping[str, Any]) -> Iterator[Json]:
    """Yield the events that name the process and the thread."""
    place = {"pid": _PROCESS, "tid": _THREAD, "ph": "M"}
    title = f"dlc {report['target']} {report['precision']}"
    yield {**place, "name": "process_name", "args": {"name": title}}
    yield {**place, "name": "thread_name", "args": {"name": "a run"}}


def _events(
    steps: Sequence[Mapping[str, Any]],
    seconds: Sequence[float],
    kernels: Mapping[str, Mapping[str, Any]],
) -> Iterator[Json]:
    start = 0.0
    for step, taken in zip(steps, seconds, strict=True):
        yield {
            "name": step_name(step),
            "cat": "kernel" if "kernel" in step else "copy",
            "ph": "X",
            "ts": start,
            "dur": 1e6 * taken,
            "pid": _PROCESS,
            "tid": _THREAD,
            "args": _details(step, kernels),
        }
        start += 1e6 * taken


def step_name(step: Mapping[str, Any]) -> str:
    """Return what a person calls a step: the ONNX nodes, or where there are none the kernel."""
    if "output" in step:
        return f"copy to {step['output']}"
    return " + ".join(step["nodes"]) or step["kernel"]


def _details(step: Mapping[str, Any], kernels: Mapping[str, Mapping[str, Any]]) -> Json:
    """Return what is shown of a step that is clicked on."""
    if "kernel" not in step:
        return dict(step)
    kernel = kernels[step["kernel"]]
    kept = ("operations", "schedule", "bound", "work")
    return {**step, **{key: kernel[key] for key in kept if kernel.get(key)}}
