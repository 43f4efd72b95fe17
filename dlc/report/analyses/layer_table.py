"""An analysis of a model's layers as text."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dlc.errors import counted, printable
from dlc.report.analyses.advice_text import advice_lines
from dlc.report.analyses.bounds import shown_bounds
from dlc.report.analyses.chip_name import chip_name
from dlc.report.analyses.profile_text import profile_lines
from dlc.report.values import microseconds, size

LAYERS_SHOWN = 20
PATTERNS_SHOWN = 10
_NAME_LETTERS = 40


def layer_text(report: Mapping[str, Any]) -> str:
    """Return the text of a report of ``analyze``, of all its batch sizes."""
    each = report.get("batches", [report])
    return "\n\n".join("\n".join(map(printable, _lines(one))) for one in each) + "\n"


def _lines(report: Mapping[str, Any]) -> Iterator[str]:
    batch = "" if report["batch"] is None else f", batch {report['batch']}"
    yield f"{report['model']}, {chip_name(report)}, precision {report['precision']}{batch}"
    yield from _layers(report["layers"])
    yield ""
    yield from profile_lines(report)
    yield from _patterns(report["patterns"], report["totals"]["layers"])
    yield ""
    yield _totals(report["totals"])
    yield from _bounds(report["bounds"])
    yield from advice_lines(report)
    yield f"({report['note']})"
    yield from report["remarks"]


def _layers(layers: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    total_us = sum(layer["time_us"] for layer in layers)
    ordered = sorted(layers, key=lambda layer: -layer["time_us"])
    libraries = sorted({name for layer in layers for name in layer["libraries_us"]})
    profile = ["profile"] if any("profile_us" in layer for layer in layers) else []
    others = (*libraries, *profile)
    heads = ("share", "time", "bound", *others, "MACs", "bytes", "operator", "output", "layer")
    rows = [heads, *(_row(each, total_us, others) for each in ordered[:LAYERS_SHOWN])]
    yield from _aligned(rows, len(heads) - 3)
    if rest := ordered[LAYERS_SHOWN:]:
        us = sum(layer["time_us"] for layer in rest)
        yield f"{_share(us, total_us)} {counted(len(rest), 'other layer')} (--json has all)"


def _row(layer: Mapping[str, Any], total_us: float, others: Sequence[str]) -> tuple[str, ...]:
    """Return the cells of a layer. others: who else has times for layers."""
    measured = {"profile": layer["profile_us"]} if "profile_us" in layer else {}
    prices = {**layer["libraries_us"], **measured}
    return (
        _share(layer["time_us"], total_us),
        microseconds(layer["time_us"]),
        microseconds(layer["bound_us"]),
        *(microseconds(prices[name]) if name in prices else "-" for name in others),
        _count(layer["macs"]),
        size(layer["bytes_read"] + layer["bytes_written"]),
        layer["op_type"],
        " ".join("x".join(map(str, sizes)) for sizes in layer["outputs"][:1]),
        _short(layer["name"]),
    )


def _patterns(patterns: Sequence[Mapping[str, Any]], layers: int) -> Iterator[str]:
    again = [each for each in patterns if each["count"] > 1]
    yield f"{counted(layers, 'layer')}, {len(patterns)} different"
    rows = [
        (f"{each['count']}x", microseconds(each["time_us"]), each["op_type"], each["first"])
        for each in again[:PATTERNS_SHOWN]
    ]
    yield from _aligned([("count", "time", "operator", "first layer"), *rows] if rows else [], 2)


def _totals(totals: Mapping[str, Any]) -> str:
    return (
        f"{_count(totals['macs'])} MACs, {_count(totals['flops'])} flops, "
        f"{_count(totals['weights'])} weights; layers move "
        f"{size(totals['bytes_read'] + totals['bytes_written'])}, "
        f"the whole model at least {size(totals['bytes_once'])}"
    )


def _bounds(bounds: Mapping[str, float]) -> Iterator[str]:
    rows = [(microseconds(us), name) for name, us in shown_bounds(bounds)]
    yield from _aligned(rows, 1)


def _aligned(rows: Sequence[tuple[str, ...]], right: int) -> Iterator[str]:
    """Yield rows as lines; the first ``right`` columns stand at the right of their places."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.rjust(width) if number < right else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()


def _share(us: float, total_us: float) -> str:
    return f"{100 * us / total_us if total_us else 0:.1f} %"


def _count(number: float) -> str:
    for unit, factor in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= factor:
            return f"{number / factor:.3g} {unit}"
    return f"{number:.0f}"


def _short(name: str) -> str:
    return name if len(name) <= _NAME_LETTERS else f"…{name[1 - _NAME_LETTERS :]}"
