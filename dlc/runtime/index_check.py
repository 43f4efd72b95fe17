"""Holds the indices that a model is given against what its report says that they may be."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dlc.errors import InputError
from dlc.runtime.host_arrays import host_array
from dlc.runtime.library import TensorInfo


def check_indices(
    report: Mapping[str, Any], inputs: Sequence[TensorInfo], values: Sequence[Any]
) -> None:
    """Raise InputError for the first element of an input that names no place.

    report: of the model. values: the arrays of ``inputs``, in memory of the host.
    """
    by_name = {info.name: (info, value) for info, value in zip(inputs, values, strict=True)}
    for bound in report.get("indices", ()):
        info, value = by_name[bound["input"]]
        _check(bound, info, host_array(info, value).reshape(-1))


def _check(bound: Mapping[str, Any], info: TensorInfo, flat: Any) -> None:
    for start, end, step in bound["elements"]:
        part = flat[start:end:step]
        wrong = np.flatnonzero((part < bound["least"]) | (part > bound["largest"]))
        if wrong.size:
            number = start + step * int(wrong[0])
            place = [int(n) for n in np.unravel_index(number, info.shape)]
            raise InputError(
                f"element {place} is {flat[number]}; node {bound['node']!r} takes "
                f"{bound['least']} to {bound['largest']}",
                at=f"input {info.name!r}",
            )
