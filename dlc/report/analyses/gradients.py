"""What is said of the gradients of layers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dlc.errors import counted
from dlc.report.values import microseconds, size, value

_NAMED = 5
"""So many layers without a rule are named."""


def backward_text(layer: Mapping[str, Any]) -> str:
    """Return what the gradients of a layer take together by our kernels; a question mark behind it
    stands for those without a rule.
    """
    us = sum(each["time_us"] for each in layer["backward"])
    return f"{microseconds(us)}{' + ?' if 'without_rule' in layer else ''}"


def without_rule(layers: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line about the layers that have gradients which nobody knows, if there are any."""
    found = [layer for layer in layers if "without_rule" in layer]
    if not found:
        return
    names = [f"{layer['name']} ({', '.join(layer['without_rule'])})" for layer in found[:_NAMED]]
    more = ", ..." if len(found) > _NAMED else ""
    yield (
        f"no rule for gradients of {counted(len(found), 'layer')}, which are not counted: "
        f"{', '.join(names)}{more}"
    )


def gradient_facts(layer: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what a page says of the gradients of a layer."""
    for each in layer.get("backward", ()):
        moved = size(each["bytes_read"] + each["bytes_written"])
        work = f"{each['macs']:,} multiply-adds, " if each["macs"] else ""
        times = f"{microseconds(each['time_us'])}, bound {microseconds(each['bound_us'])}"
        yield f"gradient of {each['of']}", f"{times}; {work}{moved}"
        yield f"gradient of {each['of']}, best library call", value(each.get("library_us") or {})
        measured = value(each.get("measured_us") or {})
        yield f"gradient of {each['of']}, measured (us)", measured
    yield "no rule for gradients of", ", ".join(layer.get("without_rule", ()))
