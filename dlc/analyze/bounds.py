"""The bounds of a model's time."""

from collections.abc import Mapping

from dlc.analyze.fused import Fused
from dlc.analyze.rating import Rating
from dlc.analyze.times import Times
from dlc.report.analyses.bounds import (
    ADVISED,
    BOUNDS,
    FUSED,
    FUSED_LEAST,
    HARDWARE,
    JOINED,
    LAYERS,
    LEAST,
    LIBRARIES,
)


def bounds_us(
    rating: Rating, least: Mapping[str, float], fused: Fused, whole_s: float, of_libraries: bool
) -> dict[str, float]:
    """Return the times of a whole model by their keys, in microseconds, and what fusion gains.

    least: of each layer, in seconds. fused: of our groups. whole_s: the least that the hardware
    takes. of_libraries: whether libraries were asked.
    """
    layers = rating.layers
    found = {
        LAYERS: layers.times(lambda ways: ways.ours),
        LEAST: Times.of(layers.needs, least),
        FUSED: fused.times,
        LIBRARIES: layers.times(lambda ways: ways.best),
        ADVISED: layers.times(lambda ways: ways.advised),
        JOINED: rating.joined.times(lambda ways: ways.best),
    }
    us = {HARDWARE.key: 1e6 * whole_s, FUSED_LEAST.key: 1e6 * max(whole_s, fused.bound_s)}
    for pair, times in found.items():
        us |= times.bounds_us(pair, whole_s)
    known = {bound.key: us[bound.key] for bound in BOUNDS if of_libraries or not bound.of_libraries}
    return {**known, "fusion_gain_us": us[LAYERS.sequential.key] - us[FUSED.sequential.key]}
