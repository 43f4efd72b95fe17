"""Compares the outputs of a run with those in a file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dlc.core.array_files import Arrays, read_arrays
from dlc.errors import InputError
from dlc.runtime.comparison import Comparison, Tolerance, check_comparable, compare

_UNVERIFIED_BOUND = 1e-5
"""Relative to an output's largest value, where no verification has said what rounding may do."""


def compare_with_file(
    results: Arrays, path: Path, allowed: Tolerance | None, report: Mapping[str, Any]
) -> dict[str, Comparison]:
    """Return how far each output is from the one in an .npz file, by name.

    allowed: ``None``: what the verification of the model allows (``report``, the model's).
    Raises CompileError when the file cannot be read or has no such outputs.
    """
    wanted = read_arrays(path)
    try:
        check_comparable(results, wanted)
    except InputError as error:
        error.place(str(path))
        raise
    bound = _certified_bound(report)
    return {
        name: compare(results[name], array, allowed or _of_largest(array, bound))
        for name, array in wanted.items()
    }


def _certified_bound(report: Mapping[str, Any]) -> float:
    """Return what an output may be off by, relative to its largest value."""
    certificate = report.get("certificate") or {}
    checks = [certificate.get("run"), *certificate.get("emulated", ())]
    bounds = [check["bound"] for check in checks if check and check.get("bound")]
    return max(bounds, default=_UNVERIFIED_BOUND)


def _of_largest(wanted: NDArray[Any], bound: float) -> Tolerance:
    """Return the tolerance of numbers with fractions; all others are to be equal."""
    if wanted.dtype.kind in "biu":
        return Tolerance()
    sizes = np.abs(wanted.astype(np.float64))
    return Tolerance(absolute=bound * float(sizes[np.isfinite(sizes)].max(initial=0.0)))
