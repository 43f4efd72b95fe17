"""What a report says of a layer, or of a gradient of one: its work, its bound, its times."""

from dlc.analyze.hardware import least_s
from dlc.analyze.layer import Layer
from dlc.analyze.ways import Ways
from dlc.arch import Arch
from dlc.compiler.outcome import Report


def bound_s(layer: Layer, ways: Ways, chip: Arch) -> float:
    """Return the least seconds of a layer; 0 of one that needs no kernel, such as a view."""
    return least_s(layer.work, chip) if ways.ours else 0.0


def numbers(layer: Layer, ways: Ways, chip: Arch, has_libraries: bool) -> Report:
    """Return what docs/analyze.md lists for a layer, from ``macs`` on."""
    work = layer.work
    return {
        "macs": work.macs,
        "flops": work.flops,
        "bytes_read": work.bytes_read,
        "bytes_written": work.bytes_written,
        "weights": layer.weights,
        "pattern": layer.key,
        "bound_us": 1e6 * bound_s(layer, ways, chip),
        **_times_us(ways, has_libraries),
    }


def _times_us(ways: Ways, has_libraries: bool) -> Report:
    """Return what a layer takes, in microseconds."""
    found: Report = {
        "time_us": 1e6 * ways.ours,
        "estimate_us": 1e6 * ways.estimate,
        "libraries_us": {name: 1e6 * s for name, s in ways.by_library.items()},
    }
    if has_libraries:
        found["library_us"] = {
            "us": 1e6 * ways.best,
            "by": ",".join(ways.callers) or "dlc",
            "measured": ways.is_best_measured,
            **({"layout": "as in the file"} if ways.has_other_layout else {}),
            **({"products": "alone"} if ways.is_apart else {}),
        }
    if measured := _measured_us(ways):
        found["measured_us"] = measured
    return found


def _measured_us(ways: Ways) -> Report:
    """Return what was measured: of our kernels, of each algorithm of each library."""
    ours = {"dlc": 1e6 * ways.ours} if ways.is_measured and ways.ours else {}
    return {**ours, **{name: [1e6 * s for s in each] for name, each in ways.algorithms.items()}}
