"""The trace that ``dlc-run --profile`` writes (``dlc/runtime/trace.py``)."""

from collections.abc import Mapping
from typing import Any

from dlc.analyze.profiles.events import Event, timed, trace_events
from dlc.analyze.profiles.formats import Format
from dlc.analyze.profiles.profile import Kernel, Operator, Profile, Row
from dlc.errors import CompileError


def _fits(content: Any) -> bool:
    facts = content.get("otherData") if isinstance(content, Mapping) else None
    return isinstance(facts, Mapping) and {"run_us", "steps_us"} <= facts.keys()


def _read(source: str, content: Any) -> Profile:
    events = timed(trace_events(content), ("kernel", "copy"))
    return Profile(source, "dlc-run", [_row(event) for event in events], named=True)


def _row(event: Event) -> Row:
    nodes = event.details.get("nodes", [])
    if not isinstance(nodes, list) or not all(isinstance(node, str) for node in nodes):
        raise CompileError(f"event {event.name}: nodes is no list of names")
    kernel = event.details.get("kernel")
    kernels = (Kernel(str(kernel), event.us),) if kernel else ()
    return Row(event.name, Operator(), event.us, kernels, tuple(nodes))


FORMAT = Format("dlc-run --profile", _fits, _read)
