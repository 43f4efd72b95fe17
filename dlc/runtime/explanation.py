"""The report of a compile as text."""

from collections.abc import Iterator, Mapping
from typing import Any

from dlc.errors import counted, printable


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
        for kernel in variant["kernels"]:
            yield from _kernel_lines(kernel)


def _kernel_lines(kernel: Mapping[str, Any]) -> Iterator[str]:
    times = f" x{kernel['launches']}" if kernel["launches"] != 1 else ""
    yield f"{kernel['name']}{times}: {' + '.join(kernel['operations'])}"
    for key in ("nodes", "schedule", "bound", "boundaries", "resources"):
        if kernel.get(key):
            yield f"  {key}: {_value(kernel[key])}"


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
