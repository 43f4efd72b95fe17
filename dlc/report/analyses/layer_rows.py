"""The layers of an analysis as rows of charts."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dlc.report.charts.row import Row

LIBRARY, PROFILE = "libraries", "profile"
"""Whose the other times are."""


def layer_rows(report: Mapping[str, Any], anchors: str) -> list[Row]:
    """Return the layers of a report of one batch size. anchors: begins the anchor of each."""
    layers = report["layers"]
    places = {layer["name"]: place for place, layer in enumerate(layers)}
    critical = {*report["critical_path"]}
    found = []
    for place, layer in enumerate(layers):
        reads = [at for name in layer["needs"] if (at := places[name]) < place]
        found.append(
            Row(
                place,
                layer["name"],
                f"{layer['op_type']} {shapes(layer['outputs'][:1])}",
                layer["op_type"],
                layer["time_us"],
                layer["bound_us"],
                layer["flops"],
                layer["bytes_read"] + layer["bytes_written"],
                reads,
                reads,
                f"{anchors}-{place}",
                _other_us(layer),
                layer["name"] in critical,
            )
        )
    return found


def at_best_known(row: Row) -> Row:
    """Return a row with the time that is nearest to a measurement: of a profile, of a library, or
    of our kernels.
    """
    us = row.other_us.get(PROFILE) or row.other_us.get(LIBRARY) or row.us
    return replace(row, us=us)


def shapes(each: list[list[int]]) -> str:
    """Return shapes as a person reads them."""
    return ", ".join("x".join(map(str, sizes)) or "scalar" for sizes in each)


def _other_us(layer: Mapping[str, Any]) -> dict[str, float]:
    """Return the other times of a layer, as far as the report has them."""
    found: dict[str, float] = {}
    if library := layer.get("library_us"):
        found[LIBRARY] = library["us"]
    if (us := layer.get("profile_us")) is not None:
        found[PROFILE] = us
    return found
