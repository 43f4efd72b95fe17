"""The report of a compile as text."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dlc.errors import counted, printable

Kernel = Mapping[str, Any]
"""A kernel, as a report has it."""


def explain(report: Mapping[str, Any]) -> str:
    """Return the text of a report (docs/artifact.md lists its keys)."""
    return "\n".join(map(printable, _lines(report))) + "\n"


def _lines(report: Mapping[str, Any]) -> Iterator[str]:
    yield (
        f"target {report['target']}, precision {report['precision']}, "
        f"weights {_size(report['weights_bytes'])}"
    )
    for variant in report["variants"]:
        yield (
            f"{variant['target']}: {counted(variant['launches'], 'launch')} of "
            f"{counted(len(variant['kernels']), 'kernel')}, "
            f"intermediate values {_size(variant['workspace_bytes'])}"
        )
        for name, kernels in _by_group(variant["kernels"]).items():
            yield from _group_lines(name, kernels)


def _by_group(kernels: Sequence[Kernel]) -> dict[str, list[Kernel]]:
    found: dict[str, list[Kernel]] = {}
    for kernel in kernels:  # a report of before groups had several kernels names no group
        found.setdefault(kernel.get("group", kernel["name"]), []).append(kernel)
    return found


def _group_lines(name: str, kernels: Sequence[Kernel]) -> Iterator[str]:
    """Yield what is said of a group, then of its kernels, where it has several or another's."""
    first, *others = kernels
    alone = not others and first["name"] == name
    yield f"{name}{_times(first) if alone else ''}: {' + '.join(first['operations'])}"
    for key in ("nodes", "schedule", "bound", "measured", "boundaries"):
        if first.get(key):
            yield f"  {key}: {_value(first[key])}"
    for other in first.get("runners_up", ()):
        times = {key: value for key, value in other.items() if key != "schedule"}
        yield f"  runner-up: {_value(_changed(other, first))}: {_value(times)}"
    for kernel in kernels:
        used = f"resources: {_value(kernel['resources'])}" if kernel.get("resources") else ""
        if not alone:
            yield f"  kernel {kernel['name']}{_times(kernel)}{': ' if used else ''}{used}"
        elif used:
            yield f"  {used}"


def _changed(other: Kernel, taken: Kernel) -> Mapping[str, Any]:
    """Return the keys of a schedule that differ from those of the one that was taken; all where it
    is of another strategy.
    """
    old, new = taken["schedule"], other["schedule"]
    if not isinstance(old, Mapping) or old["strategy"] != new["strategy"]:
        return new
    return {key: value for key, value in new.items() if key not in old or old[key] != value}


def _times(kernel: Kernel) -> str:
    return f" x{kernel['launches']}" if kernel["launches"] != 1 else ""


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{k} = {_item(v)}" for k, v in value.items())
    if isinstance(value, list):
        return ", ".join(map(_item, value))
    return _item(value)


def _item(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_item, value))}]"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _size(count: int) -> str:
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= factor:
            return f"{count / factor:.1f} {unit}"
    return f"{count} bytes"
