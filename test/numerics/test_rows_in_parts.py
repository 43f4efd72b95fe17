"""Rows that are cut in parts: both kernels in the simulator, against numpy."""

import numpy as np
import pytest
from lowered import lowered
from test_rows_and_elements import group

from dlc.errors import CompileError
from dlc.simulator import run_module

ACROSS = [
    'threads = 8, rows = 16, vector = 2, lanes = "across", split = 5',
    'threads = 1, rows = 32, vector = 1, lanes = "across", split = 64',
]
ALONG = [
    "threads = 32, rows = 4, vector = 4, split = 3",
    "threads = 64, rows = 1, vector = 1, split = 40",
    "threads = 8, rows = 8, vector = 2, split = 2",
]
CASES = [*((1, schedule) for schedule in [*ACROSS, *ALONG]), *((2, each) for each in ALONG)]
"""The axis of a row's elements and a schedule; elements of the last axis do not lie apart."""


@pytest.mark.parametrize(("axis", "schedule"), CASES)
@pytest.mark.parametrize("sizes", [(1, 132, 4), (3, 52, 20)])
def test_maximum_of_parts(sizes: tuple[int, int, int], axis: int, schedule: str) -> None:
    if axis == 2:
        sizes = (sizes[0], sizes[2], sizes[1])
    kept = tuple(n for a, n in enumerate(sizes) if a != axis)
    full, result = (f"tensor<{'x'.join(map(str, s))}xf16>" for s in (sizes, kept))
    places = result.replace("f16", "i64")
    body = (
        f"%m = graph.reduce_max %g0 axes [{axis}] : {full} -> {result}\n"
        f"%a = graph.arg_max %g0 axes [{axis}] : {full} -> {places}\n"
        f"%c = graph.cast %a {{to = f16}} : {places} -> {result}\n"
        f"%r = graph.add %m, %c : ({result}, {result}) -> {result}"
    )
    text = group(full, result, f'strategy = "row", target = "gpu", {schedule}', body)
    x = np.random.default_rng(0).standard_normal(sizes).astype(np.float16)
    module = lowered(text, "lower-to-loop,lower-to-gpu{arch=sm_90a}")
    (y,) = run_module(module, [x], block_order=1)
    exact = x.max(axis).astype(np.float32) + x.argmax(axis).astype(np.float32)
    np.testing.assert_array_equal(y, exact.astype(np.float16))


def test_a_reduction_of_what_another_one_gives_has_no_parts() -> None:
    full, row = "tensor<4x64xf32>", "tensor<4x1xf32>"
    body = (
        f"%m = graph.reduce_mean %g0 axes [1] keep_dims : {full} -> {row}\n"
        f"%d = graph.sub %g0, %m : ({full}, {row}) -> {full}\n"
        f"%r = graph.reduce_max %d axes [1] keep_dims : {full} -> {row}"
    )
    keys = 'strategy = "row", target = "gpu", threads = 32, split = 2'
    with pytest.raises(CompileError, match="needs what another one gives"):
        lowered(group(full, row, keys, body), "lower-to-loop")


def test_elements_of_rows_have_no_parts() -> None:
    full = "tensor<4x64xf32>"
    body = f"%r = graph.softmax %g0 axis 1 : {full} -> {full}"
    keys = 'strategy = "row", target = "gpu", threads = 32, split = 2'
    with pytest.raises(CompileError, match="all elements of the rows"):
        lowered(group(full, full, keys, body), "lower-to-loop")
