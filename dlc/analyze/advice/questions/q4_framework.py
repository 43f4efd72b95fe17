"""Q4: what a framework does that the model does not ask for."""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import prod

from dlc.analyze.advice.facts import Advice, Facts
from dlc.analyze.profiles.kernel_names import kernel_kind
from dlc.analyze.profiles.matched import Matched
from dlc.analyze.profiles.profile import Row, Shape
from dlc.compiler.outcome import Report
from dlc.errors import counted
from dlc.report.values import microseconds

_WORDS = {
    "layout": "changes of layout",
    "cast": "conversions of type",
    "pad": "padding",
    "copy": "copies",
}
_SHOWN = 3
"""Calls on other sizes."""


def ask(facts: Facts) -> Advice | None:
    """Find calls that are of no layer, kernels beside that of a layer, and calls on other sizes."""
    matched = facts.matched
    if matched is None or facts.others_us is None:
        return None
    us: dict[str, list[float]] = {}
    for kind, each_us in _extra(facts, matched):
        us.setdefault(kind, []).append(each_us)
    remarks = [*_unnamed(matched), *_shortened([*_other_sizes(facts, matched)])]
    gain_us = sum(map(sum, us.values()))
    if not gain_us and not remarks:
        return None
    parts = [
        f"{_WORDS[kind]}: {microseconds(sum(each))} in {len(each)}" for kind, each in us.items()
    ]
    several = [*_of_several_kernels(facts, matched)]
    if several:
        parts.append(f"{counted(len(several), 'layer')} of several kernels")
    text = "; ".join([*parts, *remarks])
    layers = dict.fromkeys(several)
    title = "Leave out what the model does not ask for"
    return Advice("Q4", title, text, gain_us, [*layers], facts.command() if gain_us else None)


def _shortened(texts: Sequence[str]) -> Sequence[str]:
    """Return the first of some texts, and how many others there are."""
    if (rest := len(texts) - _SHOWN) <= 0:
        return texts
    *first, last = texts[:_SHOWN]
    return [*first, f"{last} and {counted(rest, 'other')}"]


def _extra(facts: Facts, matched: Matched) -> Iterator[tuple[str, float]]:
    """Yield kind and time of calls that are of no layer, and of kernels that do something else than
    their layer.
    """
    for row in matched.unmatched:
        if row.us and (kind := _kind(row)):
            yield kind, row.us
    for row, places in zip(matched.profile.rows, matched.layers, strict=True):
        types = {facts.layers[place]["op_type"] for place in places}
        for kernel in row.kernels if places else ():
            done = kernel_kind(kernel.name)
            if done.extra and not types & done.operator.types:
                yield done.extra, kernel.us


def _kind(row: Row) -> str:
    """Return what a call does that nobody asked for; empty where its names say nothing of that."""
    kinds = (kernel_kind(name).extra for name in (row.name, *(k.name for k in row.kernels)))
    return next(filter(None, kinds), "")


def _unnamed(matched: Matched) -> Iterator[str]:
    """Yield what calls of no layer take whose names do not say that nobody asked for them."""
    us = [row.us for row in matched.unmatched if row.us and not _kind(row)]
    if us:
        calls = f"{microseconds(sum(us))} in {counted(len(us), 'call')}"
        yield f"not counted: {calls} of no layer that may be the model's work"


def _of_several_kernels(facts: Facts, matched: Matched) -> Iterator[str]:
    for place, layer in enumerate(facts.layers):
        if len([k for row in matched.rows_of(place) for k in row.kernels]) > 1:
            yield layer["name"]


def _other_sizes(facts: Facts, matched: Matched) -> Iterator[str]:
    """Yield what is read that has not the size of what the layer reads."""
    for row, places in zip(matched.profile.rows, matched.layers, strict=True):
        if row.inputs and places and (other := _other_size(row, facts.layers[places[0]])):
            yield other


def _other_size(row: Row, layer: Report) -> str:
    wanted = Counter(map(prod, layer["inputs"]))
    if not wanted - Counter(map(prod, row.inputs)):
        return ""
    seen, given = _text(row.inputs[0]), _text(tuple(layer["inputs"][0]))
    return f"{row.name} reads {seen}, where {layer['name']} reads {given}"


def _text(shape: Shape) -> str:
    return "x".join(map(str, shape)) or "a number"
