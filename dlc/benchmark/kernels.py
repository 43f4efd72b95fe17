"""The kernels of a run: how long each took, and how near that is to what the chip allows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from dlc import arch
from dlc.arch import GpuArch
from dlc.runtime.profile import Profile

_FEW = 0.5
"""Below this share of the SMs or cores with work, that they are few is said."""
_LAUNCHES = 2
"""A bound of less than so many launches of nothing is one of the launch."""


@dataclass(frozen=True)
class KernelRow:
    """A kernel, or copies to outputs; kernels that do a group together, as ``g2_1 + g2_2``, are one
    row, since bound and work are those of the group. us, bound_us, estimate_us: of all launches in
    a run, in microseconds. nodes: the ONNX nodes. flops, bytes: of all launches. limit: what the
    bound is of. ``None``: not known.
    """

    kernel: str
    nodes: Sequence[str]
    launches: int
    us: float
    bound_us: float | None
    estimate_us: float | None
    flops: int | None
    bytes: int | None
    limit: str | None

    @property
    def share(self) -> float | None:
        """The bound as a share of the time: 1 is as fast as the chip can be."""
        return None if self.bound_us is None else self.bound_us / self.us


def kernel_rows(
    variant: Mapping[str, Any], steps: Sequence[Mapping[str, Any]], found: Profile
) -> list[KernelRow]:
    """Return a row for each kernel, or kernels of one group, the longest first.

    variant: of the report, the one that ran. steps: what a run does (``Model.steps``).
    """
    times: dict[tuple[str, ...], list[float]] = {}
    timed = zip(steps, found.steps, strict=True)
    for _, run in groupby(timed, lambda pair: pair[0].get("group")):
        together = list(run)
        names = tuple(step["kernel"] for step, _ in together if "kernel" in step)
        times.setdefault(names, []).append(1e6 * sum(seconds for _, seconds in together))
    kernels = {kernel["name"]: kernel for kernel in variant["kernels"]}
    outputs = [step["output"] for step in steps if "output" in step]
    rows = [
        _row(names, kernels[names[0]], us, variant["target"]) if names else _copies(outputs, us)
        for names, us in times.items()
    ]
    return sorted(rows, key=lambda row: -row.us)


def _row(
    names: Sequence[str], kernel: Mapping[str, Any], us: Sequence[float], target: str
) -> KernelRow:
    """Return the row of runs of a group by the kernels of these names. kernel: any of them."""
    bound, work, count = kernel["bound"], kernel.get("work") or {}, len(us)

    def all_of(value: Any) -> Any:
        return None if value is None else value * count

    return KernelRow(
        " + ".join(names),
        kernel["nodes"],
        count * len(names),
        sum(us),
        all_of(bound.get("time_us")),
        all_of(bound.get("estimate_us")),
        all_of(work.get("flops")),
        all_of(work.get("bytes")),
        limit_of(bound, target),
    )


def _copies(outputs: Sequence[str], us: Sequence[float]) -> KernelRow:
    return KernelRow("copy", outputs, len(outputs), sum(us), None, None, None, None, None)


def limit_of(bound: Mapping[str, float], target: str) -> str | None:
    """Return what a kernel is limited by, as its bound has it: ``launch``, ``memory``, ``shared
    memory`` or ``arithmetic``, and whether few SMs or cores have work.
    """
    if not bound:
        return None
    chip = arch.by_name(target)
    is_gpu = isinstance(chip, GpuArch)
    if is_gpu and bound["time_us"] < _LAUNCHES * chip.launch_floor_us:
        return "launch"
    least = min(bound["global"], bound["shared"])
    limit = "arithmetic" if least >= 1 else "shared memory"
    limit = "memory" if bound["global"] == least < 1 else limit
    workers = "SMs" if is_gpu else "cores"
    return f"{limit}, few {workers}" if bound["waves"] < _FEW else limit
