"""Values of a report as a person reads them."""

from collections.abc import Mapping, Sequence
from typing import Any

Kernel = Mapping[str, Any]
"""A kernel, as a report has it."""


def value(data: Any) -> str:
    """Return the text of a value: of a mapping or a list, of its items."""
    if isinstance(data, Mapping):
        return ", ".join(f"{k} = {_item(v)}" for k, v in data.items())
    if isinstance(data, list):
        return ", ".join(map(_item, data))
    return _item(data)


def _item(data: Any) -> str:
    if isinstance(data, list):
        return f"[{', '.join(map(_item, data))}]"
    return f"{data:.3g}" if isinstance(data, float) else str(data)


def size(count: float) -> str:
    """Return a number of bytes with its unit."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= factor:
            return f"{count / factor:.1f} {unit}"
    return f"{count:.0f} bytes"


def microseconds(us: float) -> str:
    """Return a time with its unit."""
    if 0 < us < 0.001:
        return "<0.001 us"
    return f"{us / 1000:.3g} ms" if us >= 1000 else f"{us:.3g} us"


def changed(other: Kernel, taken: Kernel) -> Mapping[str, Any]:
    """Return the keys of a schedule that differ from those of the one that was taken, ``none`` for
    one that it lacks; all where it is of another strategy.
    """
    old, new = taken["schedule"], other["schedule"]
    if not isinstance(old, Mapping) or old["strategy"] != new["strategy"]:
        return new
    lacking = {key: "none" for key in old if key not in new}
    return lacking | {key: value for key, value in new.items() if old.get(key) != value}


def by_group(kernels: Sequence[Kernel]) -> dict[str, list[Kernel]]:
    """Return the kernels of each group, by its name, in order."""
    found: dict[str, list[Kernel]] = {}
    for kernel in kernels:  # a report of before groups had several kernels names no group
        found.setdefault(kernel.get("group", kernel["name"]), []).append(kernel)
    return found


def library_lines(report: Mapping[str, Any]) -> list[str]:
    """Return a line for each library that kernels of a loaded model call."""
    libraries = report.get("libraries", {}).items()
    used = [f"library {name}: {found['state']}" for name, found in libraries if found["used"]]
    return [*used, *missing_lines(report)]


def missing_lines(report: Mapping[str, Any]) -> list[str]:
    """Return a line for each library that a loaded model did not find."""
    return [
        f"library {name} is not used, generated kernels run: {found['state']}"
        for name, found in report.get("libraries", {}).items()
        if not found["used"]
    ]
