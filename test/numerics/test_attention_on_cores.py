"""Attention lowered for a CPU and printed as C: odd sizes, masks, layouts."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from attention_text import Case
from compiled_c import CompiledKernels
from lowered import lowered

from dlc.dialects.graph.structure import Array
from dlc.dialects.loop import KernelOp

NARROW = "tile = [3, 8], lanes = 4, cores = true"
WIDE = "tile = [6, 16], lanes = 8, cores = false"
STEPS = "tile = [3, 8], lanes = 4, tiles = 2, step = 16"
LONG_STEPS = "tile = [4, 16], lanes = 8, tiles = 3, step = 32, cores = true"

ODD = (1, 7, 197)
"""One, less than a tile and a vector, several of all with a rest."""


def case(schedule: str, *sizes: int, mask: str = "", **properties: object) -> Case:
    """Return attention of f32. sizes: batch, rows, keys, depth, columns."""
    made = Case(schedule, *sizes, mask=mask, element="f32", target="cpu")
    return replace(made, **properties)


MASKS = ("scaled", "added", "scaled, added", "seen", "causal", "causal, later")

CASES = {
    **{
        f"{rows} x {keys}": case(NARROW, 2, rows, keys, 5, 11)
        for rows in ODD
        for keys in (2, *ODD[1:])  # of one key there are no loops
    },
    **{f"one query, {mask}": case(WIDE, 1, 1, 2, 2, 2, mask=mask) for mask in ("", *MASKS)},
    **{
        f"{name}, {mask}": case(schedule, *sizes, mask=mask)
        for mask in MASKS
        for name, schedule, sizes in (
            ("odd", NARROW, (2, 19, 83, 7, 9)),
            ("whole tiles", WIDE, (3, 12, 64, 16, 32)),
            ("steps", STEPS, (2, 19, 83, 7, 9)),
            ("whole steps", LONG_STEPS, (2, 48, 128, 8, 32)),
            ("one step and a key", LONG_STEPS, (2, 40, 33, 8, 8)),
            ("fewer keys than queries", WIDE, (1, 40, 33, 8, 8)),
            ("fewer keys than a tile has", WIDE, (2, 13, 5, 4, 20)),
        )
    },
    "rows that see nothing are zeros": case(NARROW, 2, 21, 50, 8, 8, mask="seen", zero=True),
    "zeros in steps": case(STEPS, 2, 21, 50, 8, 8, mask="seen", zero=True),
    "packed in steps": case(STEPS, 4, 37, 37, 8, 8, mask="causal", packed=True),
    "packed": case(WIDE, 4, 37, 37, 8, 8, packed=True),
    "packed, causal": case(NARROW, 4, 37, 37, 8, 8, mask="causal", packed=True),
    "halves": case(WIDE, 2, 37, 70, 8, 8, mask="added", element="f16"),
    "doubles": case(NARROW, 2, 37, 70, 8, 8, mask="causal", element="f64"),
}


@pytest.fixture(scope="module")
def kernels() -> CompiledKernels:
    found: list[KernelOp] = []
    for number, each in enumerate(CASES.values()):
        text = each.text().replace("@g(", f"@g{number}(")
        found += [op for op in lowered(text, "lower-to-loop").ops if isinstance(op, KernelOp)]
    return CompiledKernels(found)


def error(this: Case, inputs: Mapping[str, Array], wanted: Array) -> Array:
    """Return the most that sums in any order may be off. A score is wrong by its terms' magnitude,
    a weight by twice a score's error, and by those of an exponential and of the total.
    """
    if this.packed:
        q, k, v = np.abs(inputs["qkv"].astype(np.float64)).transpose(1, 2, 0, 3)
    else:
        q, k, v = (np.abs(inputs[name].astype(np.float64)) for name in "qkv")
    unit = np.finfo(np.float64 if this.element == "f64" else np.float32).eps
    score = unit * (this.depth + 4) * ((q @ k.swapaxes(1, 2)).max() + 6)
    rounded = np.finfo(inputs["qkv" if this.packed else "q"].dtype).eps * np.abs(wanted)
    return rounded + v.max() * (4 * score + unit * (2 * this.keys + 16))


@pytest.mark.parametrize("number", range(len(CASES)), ids=list(CASES))
def test_c_computes_attention(number: int, kernels: CompiledKernels) -> None:
    this = list(CASES.values())[number]
    inputs = this.inputs()
    (found,) = kernels.run(f"g{number}", list(inputs.values()))
    wanted = this.wanted(inputs)
    assert (np.isnan(found) == np.isnan(wanted)).all()
    bound = error(this, inputs, np.nan_to_num(wanted))
    assert (np.nan_to_num(np.abs(found - wanted)) <= bound).all()
