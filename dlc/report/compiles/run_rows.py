"""A run of a model, launch by launch, as rows of charts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from dlc.report.charts.row import Row


def launches_of(variant: Mapping[str, Any], seconds: Sequence[float] | None = None) -> list[Row]:
    """Return the launches of a run of a variant.

    seconds: what each step was measured to take; without them what tuning measured of its kernel,
    or else the estimate.
    """
    kernels = {kernel["name"]: kernel for kernel in variant["kernels"]}
    launches = [step for step in variant["steps"] if "kernel" in step]
    count = Counter((step["group"]) for step in launches)
    found = []
    for number, step in enumerate(launches):
        kernel = kernels[step["kernel"]]
        alone = count[step["group"]] == 1
        us = _microseconds(step, kernel, alone) if seconds is None else 1e6 * seconds[number]
        bound, work = (kernel["bound"], kernel["work"]) if alone else ({}, {})
        found.append(
            Row(
                number,
                step["group"],
                ", ".join(step["nodes"]),
                kernel["schedule"].get("strategy", "unknown"),
                us,
                bound.get("time_us", 0.0),
                work.get("flops", 0.0),
                work.get("bytes", 0.0),
                step.get("reads", ()),
                step.get("after", ()),
                f"{variant['target']}-{step['group']}",
            )
        )
    return found


def _microseconds(step: Mapping[str, Any], kernel: Mapping[str, Any], alone: bool) -> float:
    """Return what a step takes. alone: no other launch computes a part of its group."""
    if alone and kernel["measured"]:
        return kernel["measured"]["time_us"]
    return step.get("estimate_us") or kernel["bound"].get("estimate_us", 0.0)
