"""A run of a model, step by step, as the charts of a page show it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Step:
    """A launch. number: its place in the run. title: the ONNX nodes that it computes. us: what it
    takes, as far as that is known. bound_us: what it takes at least; 0: nobody knows. flops, bytes:
    of its group, 0 where the group has other launches. reads: the steps whose results it reads.
    after: the steps that have ended when it begins.
    """

    number: int
    group: str
    title: str
    strategy: str
    us: float
    bound_us: float
    flops: float
    bytes: float
    reads: Sequence[int]
    after: Sequence[int]

    @property
    def tip(self) -> str:
        """What is said of it where a pointer rests on it."""
        return f"{self.group} {self.title}: {self.us:.3g} us ({self.strategy})"


def steps_of(variant: Mapping[str, Any], seconds: Sequence[float] | None = None) -> list[Step]:
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
            Step(
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
            )
        )
    return found


def _microseconds(step: Mapping[str, Any], kernel: Mapping[str, Any], alone: bool) -> float:
    """Return what a step takes. alone: no other launch computes a part of its group."""
    if alone and kernel["measured"]:
        return kernel["measured"]["time_us"]
    return step.get("estimate_us") or kernel["bound"].get("estimate_us", 0.0)
