"""The times of a whole model, from those of its layers and of its groups."""

from collections.abc import Mapping, Sequence

from dlc.analyze.critical_path import longest_path_s
from dlc.analyze.fused import Fused
from dlc.analyze.layer import Layer


def bounds_us(
    layers: Sequence[Layer],
    alone: Mapping[str, float],
    least: Mapping[str, float],
    whole_s: float,
    fused: Fused,
) -> dict[str, float]:
    """Return bounds of a model's time in microseconds, by the model of the chip.

    alone, least: seconds of each layer by our plan, and the least that any kernel takes. whole_s:
    the least that the hardware takes for all layers together. Layers that run side by side share
    the chip, so nothing takes less than ``whole_s``:
    ``hardware_us <= parallel_us <= sequential_us``.
    """
    needs = {layer.name: layer.needs for layer in layers}
    seconds = {
        "sequential": sum(alone.values()),
        "parallel": longest_path_s(needs, alone),
        "least_sequential": sum(least.values()),
        "least_parallel": longest_path_s(needs, least),
        "fused_sequential": fused.sequential_s,
        "fused_parallel": fused.parallel_s,
        "fused_bound": fused.bound_s,
    }
    found = {f"{name}_us": 1e6 * max(each, whole_s) for name, each in seconds.items()}
    gained_us = found["sequential_us"] - found["fused_sequential_us"]
    return {"hardware_us": 1e6 * whole_s, **found, "fusion_gain_us": gained_us}
