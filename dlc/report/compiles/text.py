"""The report of a compile as text."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dlc.errors import counted, printable
from dlc.report.values import Kernel, by_group, changed, library_lines, size, value


def explain(report: Mapping[str, Any]) -> str:
    """Return the text of a report (docs/artifact.md lists its keys)."""
    return "\n".join(map(printable, _lines(report))) + "\n"


def _lines(report: Mapping[str, Any]) -> Iterator[str]:
    yield (
        f"target {report['target']}, precision {report['precision']}, "
        f"weights {size(report['weights_bytes'])}"
    )
    yield from library_lines(report)
    for variant in report["variants"]:
        yield (
            f"{variant['target']}: {counted(variant['launches'], 'launch')} of "
            f"{counted(len(variant['kernels']), 'kernel')}, "
            f"intermediate values {size(variant['workspace_bytes'])}"
        )
        for name, kernels in by_group(variant["kernels"]).items():
            yield from _group_lines(name, kernels)


def _group_lines(name: str, kernels: Sequence[Kernel]) -> Iterator[str]:
    """Yield what is said of a group, then of its kernels, where it has several or another's."""
    first, *others = kernels
    alone = not others and first["name"] == name
    yield f"{name}{_times(first) if alone else ''}: {' + '.join(first['operations'])}"
    for key in ("nodes", "work", "schedule", "bound", "measured", "boundaries"):
        if first.get(key):
            yield f"  {key}: {value(first[key])}"
    for other in first.get("runners_up", ()):
        times = {key: time for key, time in other.items() if key != "schedule"}
        yield f"  runner-up: {value(changed(other, first))}: {value(times)}"
    for kernel in kernels:
        used = f"resources: {value(kernel['resources'])}" if kernel.get("resources") else ""
        if not alone:
            yield f"  kernel {kernel['name']}{_times(kernel)}{': ' if used else ''}{used}"
        elif used:
            yield f"  {used}"


def _times(kernel: Kernel) -> str:
    return f" x{kernel['launches']}" if kernel["launches"] != 1 else ""
