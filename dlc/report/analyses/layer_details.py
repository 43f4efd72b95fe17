"""What a page says of one layer."""

from collections.abc import Iterator, Mapping
from typing import Any

from dlc.report.analyses.gradients import gradient_facts
from dlc.report.analyses.layer_rows import shapes
from dlc.report.charts.folded import folded
from dlc.report.charts.row import Row
from dlc.report.values import microseconds, size, value


def layer_details(layer: Mapping[str, Any], row: Row) -> str:
    """Return what is said of a layer, folded."""
    title = f"{row.name}: {row.title}, {microseconds(row.us)}"
    return folded(title, row.anchor, _facts(layer))


def _facts(layer: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "reads", ", ".join(layer["needs"])
    yield "shapes", f"{shapes(layer['inputs'])} → {shapes(layer['outputs'])}"
    yield "multiply-adds", f"{layer['macs']:,}" if layer["macs"] else ""
    yield "flops", f"{layer['flops']:,}"
    yield "bytes", f"{size(layer['bytes_read'])} read, {size(layer['bytes_written'])} written"
    yield "weights", f"{layer['weights']:,}" if layer["weights"] else ""
    yield "hardware bound", microseconds(layer["bound_us"])
    yield from _times(layer)
    yield from gradient_facts(layer)


def _times(layer: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    is_measured = "dlc" in layer.get("measured_us", {})
    yield "estimate", microseconds(layer["estimate_us"]) if is_measured else ""
    prices = layer["libraries_us"].items()
    yield "estimates with libraries", ", ".join(f"{k} {microseconds(us)}" for k, us in prices)
    yield "best library call", value(layer.get("library_us") or {})
    yield "measured (us)", value(layer.get("measured_us") or {})
    profiled = layer.get("profile_us")
    yield "profile", "" if profiled is None else microseconds(profiled)
    yield "kernels of the profile", ", ".join(layer.get("profile_kernels") or ())
