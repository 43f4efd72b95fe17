"""Contractions whose slices one thread brings by tensor copies, against float64."""

from collections.abc import Sequence
from math import gcd

import numpy as np
import pytest
from contraction_text import contraction_text
from lowered import lowered
from simulated import Runner
from xdsl.dialects.builtin import ModuleOp

from dlc.backends.cuda.cubins import compile_kernels
from dlc.dialects.gpu import CpAsyncOp, TensorCopyOp
from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError

SCHEDULES = {
    "warps": 'tile = [64, 64, 64], warps = [2, 2], instruction = "mma.m16n8k16", stages = 3',
    "warps, short lines": "tile = [32, 64, 32], warps = [1, 2], "
    'instruction = "mma.m16n8k16", stages = 2, order = "grouped<2>"',
    "warpgroup": 'tile = [64, 64, 64], warps = [4, 1], instruction = "wgmma.m64n64k16", stages = 4',
    "warpgroups": "tile = [128, 128, 32], warps = [8, 1], "
    'instruction = "wgmma.m64n128k16", stages = 3',
    "interleaved": "tile = [64, 64, 64], warps = [4, 1], "
    'instruction = "wgmma.m64n64k16", stages = 3, interleave = 4',
    "in turns": 'tile = [64, 64, 64], warps = [4, 1], instruction = "wgmma.m64n64k16", stages = 3, '
    "producers = 4, producer_registers = 40, turns = 2, blocks = 3",
    "in turns, short lines": "tile = [64, 64, 32], warps = [4, 1], "
    'instruction = "wgmma.m64n64k16", stages = 5, producers = 4, producer_registers = 40, '
    "turns = 2, blocks = 2",
    "exchanged in turns": 'tile = [64, 64, 64], warps = [4, 1], instruction = "wgmma.m64n64k16", '
    "stages = 3, exchange = true, producers = 4, producer_registers = 40, turns = 2, blocks = 2",
    "parts by producers": 'tile = [64, 64, 64], warps = [4, 1], instruction = "wgmma.m64n64k16", '
    "stages = 4, split = 3, producers = 4, producer_registers = 40",
    "parts": "tile = [64, 128, 64], warps = [4, 1], "
    'instruction = "wgmma.m64n128k16", stages = 2, split = 2',
}
UNIT = 2.0**-11


def group(shapes: Sequence[Sequence[int]], op: str, name: str) -> str:
    """Return the group of a schedule on 16-bit tensors."""
    types = [f"tensor<{'x'.join(map(str, shape))}xf16>" for shape in shapes]
    return contraction_text(types, op, f'{SCHEDULES[name]}, copies = "tensor"')


def lowered_group(shapes: Sequence[Sequence[int]], op: str, name: str) -> ModuleOp:
    return lowered(group(shapes, op, name), "lower-to-loop,lower-to-gpu{arch=sm_90a}")


def mapped(module: ModuleOp) -> set[str]:
    """Return the names of the buffers that tensor copies bring; fail where one is copied else."""
    found = {op.source.name_hint for op in module.walk() if isinstance(op, TensorCopyOp)}
    others = {op.source.name_hint for op in module.walk() if isinstance(op, CpAsyncOp)}
    assert not found & others
    return {name for name in found if name is not None}


def check(y: Array, exact: Array, sizes: Array, depth: int) -> None:
    """Assert the bound: the result rounded once, each sum once."""
    bound = UNIT * np.abs(exact) + 2 * depth * 2.0**-24 * sizes + 2.0**-25
    assert (np.abs(y.astype(np.float64) - exact) <= bound).all()


def random(shape: Sequence[int]) -> Array:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float16)


@pytest.mark.parametrize("name", SCHEDULES)
@pytest.mark.parametrize(
    ("transposed", "sizes"),
    [
        (False, (5, 104, 72)),
        (True, (5, 104, 72)),
        (True, (1, 8, 8)),
        (False, (67, 136, 264)),
        (True, (131, 64, 520)),
    ],
    ids=str,
)
def test_product(runner: Runner, name: str, transposed: bool, sizes: tuple[int, int, int]) -> None:
    m, n, k = sizes
    x, w = random((m, k)), random((n, k) if transposed else (k, n))
    op = "graph.matmul %a, %b" + (" transpose_rhs" if transposed else "")
    if name == "interleaved" and transposed and n % 32:
        with pytest.raises(CompileError, match="tensor copies cannot bring the rhs"):
            lowered_group([x.shape, w.shape, (m, n)], op, name)
        return
    module = lowered_group([x.shape, w.shape, (m, n)], op, name)
    assert mapped(module) == ({"a", "b"} if name != "interleaved" or transposed else {"a"})
    (y,) = runner.run(module, x, w)
    left, right = x.astype(np.float64), w.astype(np.float64)
    right = right.T if transposed else right
    check(y, left @ right, np.abs(left) @ np.abs(right), k)


@pytest.mark.parametrize("name", SCHEDULES)
def test_products_of_a_batch(runner: Runner, name: str) -> None:
    """Rows behind the end of one matrix are the first ones of the next; they are zero."""
    x, w = random((3, 37, 72)), random((3, 64, 72))
    op = "graph.matmul %a, %b transpose_rhs"
    module = lowered_group([x.shape, w.shape, (3, 37, 64)], op, name)
    wanted = {"a"} if name == "interleaved" else {"a", "b"}  # else it had 6 axes
    assert mapped(module) == wanted
    (y,) = runner.run(module, x, w)
    left, right = x.astype(np.float64), np.swapaxes(w.astype(np.float64), 1, 2)
    check(y, left @ right, np.abs(left) @ np.abs(right), 72)


WALKING = [
    *((rows, columns, 4, 2) for rows in (64, 128) for columns in (96, 112, 160, 192)),
    *((128, columns, 4, 2) for columns in (32, 48, 80, 112)),
    (64, 112, 4, 2),
    (128, 128, 8, 2),
    (256, 32, 4, 2),
    (256, 64, 4, 2),
    (192, 192, 12, 1),
    (256, 160, 8, 1),
]
"""Rows and columns of a tile, warps, and teams that take turns."""


@pytest.mark.parametrize(("rows", "columns", "warps", "turns"), WALKING)
def test_tiles_as_wide_as_the_result(
    runner: Runner, rows: int, columns: int, warps: int, turns: int
) -> None:
    x, w = random((rows + 3, 136)), random((columns, 136))
    keys = (
        f"tile = [{rows}, {columns}, 64], "
        f'warps = [{warps}, 1], instruction = "wgmma.m64n{columns}k16", stages = 3, '
        f"interleave = {gcd(columns // 8, 4)}, producers = 4, producer_registers = 40, "
        f'turns = {turns}, blocks = 1, copies = "tensor"'
    )
    shapes = x.shape, w.shape, (rows + 3, columns)
    types = [f"tensor<{a}x{b}xf16>" for a, b in shapes]
    text = contraction_text(types, "graph.matmul %a, %b transpose_rhs", keys)
    module = lowered(text, "lower-to-loop,lower-to-gpu{arch=sm_90a}")
    assert mapped(module) == {"a", "b"}
    (compiled,) = compile_kernels(module, "sm_90a")
    assert compiled.resources.spill_bytes == 0
    (y,) = runner.run(module, x, w)
    left, right = x.astype(np.float64), w.astype(np.float64).T
    check(y, left @ right, np.abs(left) @ np.abs(right), 136)


@pytest.mark.parametrize(("channels", "depth"), [(16, 16), (96, 32), (80, 32), (24, 32)])
def test_lines_that_end_where_the_reduction_does_or_nearer_to_it(
    runner: Runner, channels: int, depth: int
) -> None:
    """The widest stores that the columns allow."""
    columns = 3 * channels
    x, w = random((391, channels)), random((columns, channels))
    keys = (
        f"tile = [128, 48, {depth}], "
        'warps = [4, 1], instruction = "wgmma.m64n48k16", stages = 6, interleave = 2, '
        'producers = 4, producer_registers = 40, turns = 2, blocks = 2, copies = "tensor"'
    )
    shapes = x.shape, w.shape, (391, columns)
    types = [f"tensor<{a}x{b}xf16>" for a, b in shapes]
    if columns % 16:
        keys = keys.replace("interleave = 2", "interleave = 1")
    text = contraction_text(types, "graph.matmul %a, %b transpose_rhs", keys)
    module = lowered(text, "lower-to-loop,lower-to-gpu{arch=sm_90a}")
    assert mapped(module) == {"a", "b"}
    (y,) = runner.run(module, x, w)
    left, right = x.astype(np.float64), w.astype(np.float64).T
    check(y, left @ right, np.abs(left) @ np.abs(right), channels)


def test_a_kernel_compiles_without_spills() -> None:
    for name in SCHEDULES:
        module = lowered_group(
            [(300, 520), (160, 520), (300, 160)], "graph.matmul %a, %b transpose_rhs", name
        )
        (compiled,) = compile_kernels(module, "sm_90a")
        assert compiled.resources.spill_bytes == 0


CONVOLUTIONS = {
    "1x1": ((2, 9, 8, 72), 1, 1, {"a", "b"}),
    "every second 1x1": ((2, 8, 16, 64), 1, 2, {"a", "b"}),
    "whole lines": ((2, 16, 16, 64), 3, 1, {"a", "b"}),
    "pixels": ((2, 9, 7, 64), 3, 1, {"a", "b"}),
    "every second pixel": ((3, 11, 10, 64), 3, 2, {"a", "b"}),
    "one image": ((1, 14, 14, 128), 3, 1, {"a", "b"}),
    "one image of whole tiles": ((1, 12, 16, 64), 3, 1, {"a", "b"}),
    "5x5": ((2, 9, 13, 64), 5, 1, {"a", "b"}),
    "every second 1x1 of odd lines": ((2, 7, 9, 64), 1, 2, {"a", "b"}),
    "channels that no slice divides": ((2, 9, 7, 72), 3, 1, {"b"}),
    "channels that a short slice divides": ((2, 9, 7, 96), 3, 1, {"b"}),
}
"""Images, kernel, stride, and what comes by tensor copies where a slice has 64 channels."""


@pytest.mark.parametrize("case", CONVOLUTIONS)
@pytest.mark.parametrize("name", ["warps", "warpgroup", "in turns", "in turns, short lines"])
def test_convolution(runner: Runner, case: str, name: str) -> None:
    shape, kernel, stride, wanted = CONVOLUTIONS[case]
    images, height, width, channels = shape
    features, pad = 40, kernel // 2
    rows, columns = ((n - 1) // stride + 1 for n in (height, width))
    x, w = random(shape), random((features, kernel, kernel, channels))
    op = (
        f"graph.conv %a, %b strides [{stride}, {stride}] padding [{pad}, {pad}, {pad}, {pad}] "
        "dilations [1, 1] layout channels_last weight_layout ohwi"
    )
    module = lowered_group([shape, w.shape, (images, rows, columns, features)], op, name)
    whole_slices = name == "in turns, short lines" and channels % 32 == 0
    assert mapped(module) == ({"a", "b"} if whole_slices else wanted)
    (y,) = runner.run(module, x, w)
    padded = np.pad(x.astype(np.float64), ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    exact, sizes = np.zeros(y.shape), np.zeros(y.shape)
    for i, j in np.ndindex(kernel, kernel):
        part = padded[:, i : i + height : stride, j : j + width : stride]
        tap = w[:, i, j].astype(np.float64).T
        exact += part @ tap
        sizes += np.abs(part) @ np.abs(tap)
    check(y, exact, sizes, kernel * kernel * channels)


@pytest.mark.parametrize("order", ["row", "grouped<4>", "grouped<2>"])
def test_an_image_of_whole_tiles_is_a_column_of_pixels_in_any_order(order: str) -> None:
    """49 rows of tiles: the last group has fewer rows than the others, and no pixel is outside."""
    types = "tensor<1x56x56x64xf16>", "tensor<256x3x3x64xf16>", "tensor<1x56x56x256xf16>"
    keys = f'{SCHEDULES["warpgroup"]}, copies = "tensor", order = "{order}"'
    op = (
        "graph.conv %a, %b strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] "
        "layout channels_last weight_layout ohwi"
    )
    text = contraction_text(types, op, keys)
    assert mapped(lowered(text, "lower-to-loop,lower-to-gpu{arch=sm_90a}")) == {"a", "b"}


OTHERS = {
    "tf32": ("f32", 'tile = [64, 64, 32], warps = [2, 2], instruction = "mma.m16n8k8"'),
    "fp32": ("f32", 'tile = [32, 64, 16], warps = [2, 2], instruction = "fma"'),
    "int8": ("i8", 'tile = [64, 64, 64], warps = [2, 2], instruction = "mma.m16n8k32"'),
    "int8, warpgroup": (
        "i8",
        'tile = [64, 64, 128], warps = [4, 1], instruction = "wgmma.m64n64k32"',
    ),
}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("transposed", [False, True])
def test_other_elements(runner: Runner, name: str, transposed: bool) -> None:
    """Small integers, whose sums are exact."""
    element, schedule = OTHERS[name]
    m, n, k = 67, 80, 272
    dtype = np.float32 if element == "f32" else np.int8
    generator = np.random.default_rng(0)
    x, w = (generator.integers(-4, 5, s).astype(dtype) for s in ((m, k), (n, k)))
    right = w if transposed else w.T.copy()
    sums = "f32" if element == "f32" else "i32"
    types = [f"tensor<{a}x{b}x{element}>" for a, b in (x.shape, right.shape)]
    types.append(f"tensor<{m}x{n}x{sums}>")
    op = "graph.matmul %a, %b" + (" transpose_rhs" if transposed else "")
    op += " precision tf32" if name == "tf32" else ""
    text = contraction_text(types, op, f'{schedule}, stages = 3, copies = "tensor"')
    module = lowered(text, "lower-to-loop,lower-to-gpu{arch=sm_90a}")
    assert mapped(module) == ({"a"} if name == "int8, warpgroup" and not transposed else {"a", "b"})
    (found,) = runner.run(module, x, right)
    np.testing.assert_array_equal(found, x.astype(np.int64) @ w.astype(np.int64).T)


@pytest.mark.parametrize("channels", [32, 64])
def test_convolution_in_tf32(runner: Runner, channels: int) -> None:
    """Small integers, whose sums are exact."""
    generator = np.random.default_rng(0)
    x = generator.integers(-4, 5, (2, 9, 7, channels)).astype(np.float32)
    w = generator.integers(-4, 5, (64, 3, 3, channels)).astype(np.float32)
    types = [f"tensor<{'x'.join(map(str, s))}xf32>" for s in (x.shape, w.shape, (2, 9, 7, 64))]
    keys = (
        "tile = [64, 64, 32], warps = [4, 1], "
        'instruction = "wgmma.m64n64k8", stages = 3, producers = 4, producer_registers = 40, '
        'turns = 2, blocks = 2, copies = "tensor"'
    )
    op = (
        "graph.conv %a, %b strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] "
        "layout channels_last weight_layout ohwi precision tf32"
    )
    text = contraction_text(types, op, keys)
    module = lowered(text, "lower-to-loop,lower-to-gpu{arch=sm_90a}")
    assert mapped(module) == {"a", "b"}
    (y,) = runner.run(module, x, w)
    padded = np.pad(x.astype(np.int64), ((0, 0), (1, 1), (1, 1), (0, 0)))
    taps = np.ndindex(3, 3)
    exact = sum(padded[:, i : i + 9, j : j + 7] @ w[:, i, j].astype(np.int64).T for i, j in taps)
    np.testing.assert_array_equal(y, exact)
