"""Random inputs of a model: normal floats, and integers that may name any place they may."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dlc.runtime.library import TensorInfo
from dlc.runtime.model import Model

Array = NDArray[Any]


def random_feeds(model: Model, seed: int = 0) -> dict[str, Array]:
    """Return an array for each input, by name."""
    random = np.random.default_rng(seed)
    limits = _limits(model.report)
    return {info.name: _array(info, limits.get(info.name, 2), random) for info in model.inputs}


def _limits(report: Mapping[str, Any]) -> dict[str, int]:
    """Return, for each input that names places, below what all its elements are legal."""
    found: dict[str, int] = {}
    for index in report.get("indices", ()):
        name, count = index["input"], max(1, index["largest"] + 1)
        found[name] = min(count, found.get(name, count))
    return found


def _array(info: TensorInfo, below: int, random: np.random.Generator) -> Array:
    if info.dtype.kind in "biu":
        most = 2 if info.dtype.kind == "b" else min(below, np.iinfo(info.dtype).max)
        return random.integers(0, most, info.shape).astype(info.dtype)
    return random.standard_normal(info.shape).astype(info.dtype)
