"""Interpolation at places that another tensor names: every mode with every padding."""

from itertools import product

import numpy as np
import pytest
from samples import Sample, check_code, sample, values, without_sample
from xdsl.dialects.builtin import StringAttr, UnitAttr

from dlc.dialects.graph import grid_sample
from dlc.dialects.graph.grid_sample import GridSampleOp


def grid_samples() -> list[Sample]:
    # values() reaches from -3 to 3, so that places are up to a whole image away from the edge.
    plane = values(2, 2, 4, 5), values(2, 3, 3, 2, seed=1)
    line = values(1, 2, 1), values(1, 5, 1, seed=2)
    box = values(1, 1, 2, 3, 4), values(1, 2, 2, 2, 3, seed=3)
    found: list[Sample] = []
    for mode, padding, corners in product(
        ("nearest", "linear", "cubic"), ("zeros", "border", "reflection"), (None, UnitAttr())
    ):
        for label, (x, grid) in {"plane": plane, "line": line, "box": box}.items():
            if (label, mode) == ("box", "cubic"):
                continue
            name = f"{label}-{mode}-{padding}-{corners is not None}"
            found.append(
                sample(
                    GridSampleOp,
                    name,
                    x,
                    grid,
                    mode=StringAttr(mode),
                    padding=StringAttr(padding),
                    align_corners=corners,
                )
            )
    return found


def indexed_samples() -> list[Sample]:
    """Return samples whose grid has indices instead of coordinates from -1 to 1."""
    x, grid = values(2, 2, 4, 5), 2 * values(2, 3, 3, 2, seed=1)
    return [
        sample(
            GridSampleOp,
            f"indices-{padding}",
            x,
            grid,
            mode=StringAttr("linear"),
            padding=StringAttr(padding),
            unnormalized=UnitAttr(),
        )
        for padding in ("zeros", "border", "reflection")
    ]


SAMPLES = [*grid_samples(), *indexed_samples()]


@pytest.mark.parametrize("this", SAMPLES, ids=str)
def test_code_computes_the_reference(this: Sample) -> None:
    check_code(this)


def test_every_op_has_a_sample() -> None:
    assert not without_sample([grid_sample], SAMPLES)


def test_an_infinite_element_outside_is_not_read() -> None:
    x = np.full((1, 1, 2, 2), np.inf, np.float32)
    grid = np.full((1, 1, 1, 2), -9, np.float32)
    properties = {"mode": StringAttr("linear"), "padding": StringAttr("zeros")}
    check_code(sample(GridSampleOp, "outside", x, grid, results=1, **properties))
