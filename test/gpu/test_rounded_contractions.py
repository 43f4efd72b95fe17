"""Contractions in tf32 whose factors tensor copies round on their way, against float64."""

from collections.abc import Sequence

import numpy as np
import pytest
from contraction_text import contraction_text
from lowered import lowered
from simulated import Runner
from tensor_copies import rounded
from test_tensor_contractions import mapped
from xdsl.dialects.builtin import ModuleOp

from dlc.backends.cuda.cubins import compile_kernels
from dlc.dialects.gpu import CvtTf32Op
from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError
from dlc.simulator import run_module

SCHEDULES = {
    "warpgroup": 'tile = [64, 64, 32], warps = [4, 1], instruction = "wgmma.m64n64k8", stages = 4',
    "warpgroups, short lines": "tile = [128, 128, 16], warps = [8, 1], "
    'instruction = "wgmma.m64n128k8", stages = 3',
    "interleaved": "tile = [64, 64, 32], warps = [4, 1], "
    'instruction = "wgmma.m64n64k8", stages = 3, interleave = 2',
    "in turns": 'tile = [64, 64, 32], warps = [4, 1], instruction = "wgmma.m64n64k8", stages = 3, '
    "interleave = 2, producers = 4, producer_registers = 40, turns = 2, blocks = 3",
    "together": 'tile = [128, 64, 32], warps = [8, 1], instruction = "wgmma.m64n64k8", stages = 2, '
    "producers = 4, producer_registers = 40, blocks = 2",
    "parts": "tile = [64, 128, 32], warps = [4, 1], "
    'instruction = "wgmma.m64n128k8", stages = 2, split = 2',
}
BITS = 13
"""That tf32 has not."""


def random(shape: Sequence[int]) -> Array:
    """Return numbers that have all bits; none is between two that it may be rounded to."""
    x = np.random.default_rng(sum(shape)).standard_normal(shape, np.float32)
    return (x.view(np.uint32) | 1).view(np.float32)


def product(sizes: tuple[int, int, int], name: str, op: str = "") -> ModuleOp:
    """Return the lowered product of two factors whose rows are along the reduction."""
    m, n, k = sizes
    types = [f"tensor<{rows}x{columns}xf32>" for rows, columns in ((m, k), (n, k), (m, n))]
    keys = f'{SCHEDULES[name]}, copies = "tensor"'
    op = op or "graph.matmul %a, %b transpose_rhs precision tf32"
    return lowered(contraction_text(types, op, keys), "lower-to-loop,lower-to-gpu{arch=sm_90a}")


def is_right(y: Array, x: Array, w: Array) -> bool:
    """Return whether ``y`` is the product of rounded factors, but for the rounding of sums. The
    hardware may cut these off where it adds.
    """
    left, right = (rounded(factor, BITS).astype(np.float64) for factor in (x, w))
    bound = 2 * x.shape[-1] * 2.0**-23 * (np.abs(left) @ np.abs(right).T)
    return bool((np.abs(y - left @ right.T) <= bound).all())


@pytest.mark.parametrize("name", SCHEDULES)
@pytest.mark.parametrize(
    "sizes", [(1, 16, 4), (5, 112, 36), (67, 144, 132), (131, 48, 260)], ids=str
)
def test_product(runner: Runner, name: str, sizes: tuple[int, int, int]) -> None:
    m, n, k = sizes
    module = product(sizes, name)
    assert mapped(module) == {"a", "b"}
    assert not any(isinstance(op, CvtTf32Op) for op in module.walk())
    x, w = random((m, k)), random((n, k))
    (y,) = runner.run(module, x, w)
    assert is_right(y, x, w)


@pytest.mark.parametrize("name", ["warpgroup", "in turns"])
def test_what_is_no_box_is_rounded_by_threads(runner: Runner, name: str) -> None:
    """Rows whose distance is no multiple of 16 bytes; a prime of columns."""
    x, w = random((67, 66)), random((53, 66))
    module = product((67, 53, 66), name)
    assert mapped(module) == set()
    (y,) = runner.run(module, x, w)
    assert is_right(y, x, w)


def test_an_order_of_columns_that_is_no_box_is_refused() -> None:
    with pytest.raises(CompileError, match="tensor copies cannot bring the rhs in this order"):
        product((67, 53, 68), "in turns")


@pytest.mark.parametrize("name", SCHEDULES)
def test_copies_that_do_not_round_are_found(name: str) -> None:
    """The product cuts the bits off then, and that is not within the rounding of sums."""
    text = str(product((67, 144, 132), name))
    assert ", rounded_bits = 13" in text
    x, w = random((67, 132)), random((144, 132))
    for times in (1, -1):
        wrong = lowered(text.replace(", rounded_bits = 13", "", times), "gpu-check-limits")
        (y,) = run_module(wrong, [x, w])
        assert not is_right(y, x, w)


@pytest.mark.parametrize("name", SCHEDULES)
def test_a_kernel_compiles_without_spills(name: str) -> None:
    (compiled,) = compile_kernels(product((300, 144, 520), name), "sm_90a")
    assert compiled.resources.spill_bytes == 0


@pytest.mark.parametrize("name", ["warpgroup", "in turns"])
@pytest.mark.parametrize(
    ("shape", "kernel", "stride"),
    [
        ((2, 9, 7, 32), 3, 1),
        ((3, 11, 10, 32), 3, 2),
        ((2, 9, 8, 36), 1, 1),
    ],
    ids=str,
)
def test_convolution(
    runner: Runner, name: str, shape: tuple[int, ...], kernel: int, stride: int
) -> None:
    images, height, width, channels = shape
    features, pad = 48, kernel // 2
    rows, columns = ((n - 1) // stride + 1 for n in (height, width))
    op = (
        f"graph.conv %a, %b strides [{stride}, {stride}] padding [{pad}, {pad}, {pad}, {pad}] "
        "dilations [1, 1] layout channels_last weight_layout ohwi precision tf32"
    )
    x, w = random(shape), random((features, kernel, kernel, channels))
    result = (images, rows, columns, features)
    types = [f"tensor<{'x'.join(map(str, each))}xf32>" for each in (shape, w.shape, result)]
    keys = f'{SCHEDULES[name]}, copies = "tensor"'
    module = lowered(contraction_text(types, op, keys), "lower-to-loop,lower-to-gpu{arch=sm_90a}")
    assert mapped(module) == {"a", "b"}
    (y,) = runner.run(module, x, w)
    padded = np.pad(x, ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    taps = [
        padded[:, i : i + height : stride, j : j + width : stride].reshape(-1, channels)
        for i, j in np.ndindex(kernel, kernel)
    ]
    assert is_right(y.reshape(-1, features), np.hstack(taps), w.reshape(features, -1))
