"""The chip of an analysis."""

from collections.abc import Mapping
from typing import Any


def chip_name(report: Mapping[str, Any]) -> str:
    """Return the target of a report of ``analyze``, and the chip that stands for it where that is
    another name.
    """
    target, chip = report["target"], report["chip"]
    return target if target == chip else f"{target} (rated as {chip})"
