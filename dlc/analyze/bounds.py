"""The bounds of a model's time."""

from collections.abc import Mapping

from dlc.analyze.fused import Fused
from dlc.analyze.rating import Rating
from dlc.analyze.times import Times
from dlc.report.analyses.bounds import ADVISED, BOUNDS, FUSED, FUSED_LEAST, HARDWARE, LAYERS, LEAST


def bounds_us(
    rating: Rating,
    least: Mapping[str, float],
    fused: Fused,
    whole_s: float,
    training_us: Mapping[str, float],
) -> dict[str, float]:
    """Return the times of a whole model by their keys, in microseconds, and what fusion gains.

    least: of each layer, in seconds. fused: of our groups. whole_s: the least that the hardware
    takes. training_us: the times of a step of training.
    """
    layers = rating.layers
    found = {**rating.times(), LEAST: Times.of(layers.needs, least), FUSED: fused.times}
    if rating.has_libraries:
        found[ADVISED] = layers.times(lambda ways: ways.advised)
    us = {HARDWARE.key: 1e6 * whole_s, FUSED_LEAST.key: 1e6 * max(whole_s, fused.bound_s)}
    for pair, times in found.items():
        us |= times.bounds_us(pair, whole_s)
    us |= training_us
    known = {bound.key: us[bound.key] for bound in BOUNDS if bound.key in us}
    return {**known, "fusion_gain_us": us[LAYERS.sequential.key] - us[FUSED.sequential.key]}
