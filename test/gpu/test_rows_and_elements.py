"""Kernels of the strategies ``map`` and ``row`` on the GPU, against the formula in float64."""

from collections.abc import Callable
from math import erfc, exp, pi, sqrt

import numpy as np
import pytest
from lowered import lowered
from simulated import Runner

Tile = tuple[int, int]
SIZES = (2, 7, 128, 1009, 4100)
HALF_EPS = 2.0**-11
"""The rounding of a result to f16; what is before it is in f32, whose error is far below."""


def group(types: str, result: str, schedule: str, body: str) -> str:
    """Return a module of one group on the arguments ``types``."""
    names = [f"%x{i}" for i, _ in enumerate(types.split(", "))]
    outer = ", ".join(f"{n}: {t}" for n, t in zip(names, types.split(", "), strict=True))
    inner = outer.replace("%x", "%g")
    return (
        f"func.func @main({outer}) -> {result} {{\n"
        f"%y = fused_group.group @g({', '.join(names)}) : ({types}) -> {result} "
        f"attributes {{schedule = #loop.schedule<{schedule}>}} {{\n"
        f"^bb0({inner}):\n{body}\nfused_group.yield %r : {result} }}\n"
        f"func.return %y : {result} }}"
    )


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "schedule", ["threads = 96", "threads = 128, vector = 4", "threads = 64, vector = 8"]
)
def test_add_with_broadcast(runner: Runner, size: int, schedule: str) -> None:
    full, row = f"tensor<3x{size}xf16>", f"tensor<{size}xf16>"
    body = f"%r = graph.add %g0, %g1 : ({full}, {row}) -> {full}"
    text = group(f"{full}, {row}", full, f'strategy = "map", target = "gpu", {schedule}', body)
    rng = np.random.default_rng(size)
    x, b = (rng.standard_normal(s).astype(np.float16) for s in ((3, size), (size,)))
    (y,) = runner.run(lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"), x, b)
    np.testing.assert_array_equal(y, (x.astype(np.float32) + b).astype(np.float16))


@pytest.mark.parametrize("size", [*SIZES, 33, 197, 200])
@pytest.mark.parametrize(
    "schedule",
    [
        "threads = 32, rows = 4, vector = 4",
        "threads = 128, vector = 8",
        "threads = 64",
        "threads = 96",
        "threads = 96, vector = 2",
        "threads = 1024",
        "threads = 32, vector = 8, cluster = 2",
        "threads = 64, vector = 4, cluster = 8",
    ],
)
def test_softmax(runner: Runner, size: int, schedule: str) -> None:
    full = f"tensor<5x{size}xf16>"
    body = f"%r = graph.softmax %g0 axis 1 : {full} -> {full}"
    text = group(full, full, f'strategy = "row", target = "gpu", {schedule}', body)
    x = (8 * np.random.default_rng(size).standard_normal((5, size))).astype(np.float16)
    (y,) = runner.run(lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"), x)
    exact = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    exact /= exact.sum(1, keepdims=True)
    smallest = float(np.finfo(np.float16).smallest_subnormal)
    bound = 2 * HALF_EPS * exact + smallest
    assert (np.abs(y - exact) <= bound).all()


ONCE = [
    "threads = 4, rows = 16, vector = 4",
    "threads = 8, rows = 4, vector = 4",
    "threads = 32, rows = 4, vector = 8",
    "threads = 96, vector = 4",
    "threads = 64, vector = 8, cluster = 2",
    "threads = 32, vector = 2, cluster = 4",
    "threads = 16, rows = 8, packed = true",
    "threads = 64, rows = 16, packed = true",
    "threads = 16, rows = 8, packed = true, turns = 2",
    "threads = 32, rows = 16, packed = true, turns = 16",
]
"""Of rows that may be gone through once."""
KEPT = [
    *ONCE,
    "threads = 64, vector = 4, held = true",
    "threads = 32, vector = 8, cluster = 2, held = true",
]


@pytest.mark.parametrize("sizes", [(3, 5), (5, 197), (2, 523), (3, 7, 11), (4, 2, 8, 13)])
@pytest.mark.parametrize("schedule", KEPT)
def test_layer_norm_of_rows_that_are_kept(
    runner: Runner, sizes: tuple[int, ...], schedule: str
) -> None:
    """Rows of one axis and of several, a factor that is read twice, a summand for what is last."""
    rows, axes = sizes[0], list(range(1, len(sizes)))
    full, last = f"tensor<{'x'.join(map(str, sizes))}xf16>", f"tensor<{sizes[-1]}xf16>"
    one = f"tensor<{'x'.join(map(str, (rows, *(1 for _ in axes))))}xf16>"
    body = f"""
      %z = graph.mul %g0, %g2 : ({full}, {last}) -> {full}
      %a = graph.add %z, %g1 : ({full}, {full}) -> {full}
      %m = graph.reduce_mean %a axes {axes} keep_dims : {full} -> {one}
      %d = graph.sub %a, %m : ({full}, {one}) -> {full}
      %s = graph.mul %d, %d : ({full}, {full}) -> {full}
      %v = graph.reduce_sum %s axes {axes} keep_dims : {full} -> {one}
      %q = graph.sqrt %v : {one} -> {one}
      %n = graph.div %d, %q : ({full}, {one}) -> {full}
      %w = graph.mul %n, %g2 : ({full}, {last}) -> {full}
      %r = graph.add %w, %g3 : ({full}, {full}) -> {full}"""
    keys = f'strategy = "row", target = "gpu", {schedule}'
    text = group(f"{full}, {full}, {last}, {full}", full, keys, body)
    rng = np.random.default_rng(rows)
    given = [rng.standard_normal(n).astype(np.float16) for n in (sizes, sizes, sizes[-1:], sizes)]
    (y,) = runner.run(lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"), *given)
    x, r, w, b = (v.astype(np.float64) for v in given)
    a = x * w + r
    d = a - a.mean(tuple(axes), keepdims=True)
    scaled = d / np.sqrt((d * d).sum(tuple(axes), keepdims=True)) * w
    assert (np.abs(y - (scaled + b)) <= 2 * HALF_EPS * (np.abs(scaled) + np.abs(scaled + b))).all()


@pytest.mark.parametrize("length", [5, 333, 1031])
@pytest.mark.parametrize("schedule", [*ONCE, "threads = 32, vector = 2"])
@pytest.mark.parametrize("op", ["arg_max", "reduce_sum"])
def test_reduction_by_lines(runner: Runner, op: str, schedule: str, length: int) -> None:
    """Rows that are gone through once, in a loop where they have many rounds."""
    result = "i64" if op == "arg_max" else "f32"
    given, body = f"tensor<5x{length}xf32>", f"%r = graph.{op} %g0 axes [1] : "
    body += f"{given} -> tensor<5x{result}>"
    keys = f'strategy = "row", target = "gpu", {schedule}'
    text = group(given, f"tensor<5x{result}>", keys, body)
    x = np.random.default_rng(0).integers(-9, 9, (5, length)).astype(np.float32)
    x[4] = -np.inf
    (y,) = runner.run(lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"), x)
    np.testing.assert_array_equal(y, x.argmax(1) if op == "arg_max" else x.sum(1))


@pytest.mark.parametrize("schedule", [*ONCE, "threads = 32, vector = 2"])
def test_the_last_of_equal_ones_in_rows_of_many_rounds(runner: Runner, schedule: str) -> None:
    given, result = "tensor<5x1031xf32>", "tensor<5xi64>"
    body = f"%r = graph.arg_max %g0 axes [1] select_last : {given} -> {result}"
    text = group(given, result, f'strategy = "row", target = "gpu", {schedule}', body)
    x = np.random.default_rng(0).integers(-3, 4, (5, 1031)).astype(np.float32)
    x[4] = -np.inf
    (y,) = runner.run(lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"), x)
    np.testing.assert_array_equal(y, 1030 - x[:, ::-1].argmax(1))


@pytest.mark.parametrize("channels", [64, 20, 7])
@pytest.mark.parametrize("stride", [1, 2])
def test_depthwise_convolution(runner: Runner, channels: int, stride: int) -> None:
    """Windows over vectors with padding; 20 channels take half a vector, 7 none."""
    size = 13
    out = (size - 1) // stride + 1
    x_type, w_type = f"tensor<1x{size}x{size}x{channels}xf16>", f"tensor<3x3x1x{channels}xf16>"
    y_type = f"tensor<1x{out}x{out}x{channels}xf16>"
    body = (
        f"%r = graph.conv %g0, %g1 strides [{stride}, {stride}] padding [1, 1, 1, 1] "
        f"dilations [1, 1] groups {channels} layout channels_last weight_layout hwio : "
        f"({x_type}, {w_type}) -> {y_type}"
    )
    text = group(
        f"{x_type}, {w_type}",
        y_type,
        'strategy = "map", target = "gpu", threads = 96, vector = 8',
        body,
    )
    rng = np.random.default_rng(channels)
    x = rng.standard_normal((1, size, size, channels)).astype(np.float16)
    w = rng.standard_normal((3, 3, 1, channels)).astype(np.float16)
    (y,) = runner.run(lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"), x, w)
    padded = np.pad(x.astype(np.float64), ((0, 0), (1, 1), (1, 1), (0, 0)))
    windows = [
        padded[:, i : i + size : stride, j : j + size : stride] * w[i, j, 0].astype(np.float64)
        for i in range(3)
        for j in range(3)
    ]
    exact, sizes = sum(windows), sum(map(np.abs, windows))
    f32_eps = 2.0**-24
    bound = HALF_EPS * np.abs(exact) + 9 * f32_eps * sizes + np.finfo(np.float16).smallest_subnormal
    assert (np.abs(y - exact) <= bound).all()


@pytest.mark.parametrize("element", ["f16", "f32", "i8"])
@pytest.mark.parametrize(
    ("sizes", "order", "threads", "vector", "tile"),
    [
        ((64, 96), (1, 0), 128, 4, (32, 64)),
        ((64, 96), (1, 0), 128, 8, (32, 64)),
        ((72, 40), (1, 0), 64, 8, (32, 32)),
        ((67, 101), (1, 0), 64, 1, (32, 32)),
        ((1, 130, 70), (0, 2, 1), 96, 2, (32, 32)),
        ((2, 3, 77, 4), (0, 2, 3, 1), 64, 1, (128, 3)),
        ((2, 3, 8, 16), (0, 2, 3, 1), 64, 4, (64, 3)),
        ((2, 40, 3), (0, 2, 1), 32, 4, (3, 128)),
        ((2, 40, 3), (0, 2, 1), 32, 4, (3, 32)),
        ((1, 1, 2, 1), (3, 2, 1, 0), 32, 1, None),
        ((3, 32, 5, 8), (0, 2, 3, 1), 64, 4, (8, 32)),
        ((3, 31, 5, 8), (0, 2, 3, 1), 64, 4, (16, 31)),
    ],
)
def test_transpose_through_shared_memory(
    runner: Runner,
    element: str,
    sizes: tuple[int, ...],
    order: tuple[int, ...],
    threads: int,
    vector: int,
    tile: Tile | None,
) -> None:
    text = _transpose(element, sizes, order, _keys(threads, vector, tile))
    dtype = {"f16": np.float16, "f32": np.float32, "i8": np.int8}[element]
    x = (100 * np.random.default_rng(0).standard_normal(sizes)).astype(dtype)
    (y,) = runner.run(lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"), x)
    np.testing.assert_array_equal(y, x.transpose(order))


@pytest.mark.parametrize("element", ["f16", "f32", "i8"])
@pytest.mark.parametrize(
    ("sizes", "order", "tile"),
    [
        ((133, 37), (1, 0), (16, 32)),
        ((131, 64), (1, 0), (32, 32)),
        ((2, 129, 20), (0, 2, 1), (16, 32)),
        ((5, 150, 3, 33), (0, 3, 2, 1), (32, 32)),
        ((257, 16), (1, 0), (16, 64)),
        ((263, 141), (1, 0), (64, 64)),
        ((2, 135, 70), (0, 2, 1), (64, 32)),
    ],
)
def test_odd_transpose_in_whole_sectors(
    runner: Runner, element: str, sizes: tuple[int, ...], order: tuple[int, ...], tile: Tile
) -> None:
    """Tiles begin before their left end, each line at a sector of the result; lines of the input
    that begin anywhere come by whole vectors.
    """
    dtype = {"f16": np.float16, "f32": np.float32, "i8": np.int8}[element]
    vector = 4 // dtype().itemsize
    text = _transpose(element, sizes, order, _keys(64, vector, tile))
    x = (100 * np.random.default_rng(0).standard_normal(sizes)).astype(dtype)
    (y,) = runner.run(lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"), x)
    np.testing.assert_array_equal(y, x.transpose(order))


@pytest.mark.parametrize("element", ["f16", "f32", "i8"])
@pytest.mark.parametrize(
    ("sizes", "order", "vector"),
    [
        ((2, 3, 2, 5, 8, 3), (0, 5, 1, 3, 2, 4), 8),
        ((2, 3, 2, 5, 8, 3), (0, 5, 1, 3, 2, 4), 4),
        ((3, 35, 2), (0, 2, 1), 1),
        ((2, 6, 7, 3), (0, 3, 1, 2), 2),
        ((1, 16, 8), (0, 2, 1), 8),
    ],
)
def test_transpose_in_registers(
    runner: Runner, element: str, sizes: tuple[int, ...], order: tuple[int, ...], vector: int
) -> None:
    """A thread has all places of the last axis of its input."""
    keys = f"{_keys(64, vector, None)}, columns = {sizes[-1]}"
    text = _transpose(element, sizes, order, keys)
    dtype = {"f16": np.float16, "f32": np.float32, "i8": np.int8}[element]
    x = (100 * np.random.default_rng(0).standard_normal(sizes)).astype(dtype)
    (y,) = runner.run(lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"), x)
    np.testing.assert_array_equal(y, x.transpose(order))


def _keys(threads: int, vector: int, tile: Tile | None) -> str:
    keys = f'strategy = "map", target = "gpu", threads = {threads}, vector = {vector}'
    return keys if tile is None else f"{keys}, tile = {list(tile)}"


def _transpose(element: str, sizes: tuple[int, ...], order: tuple[int, ...], schedule: str) -> str:
    given, result = (
        f"tensor<{'x'.join(map(str, s))}x{element}>" for s in (sizes, [sizes[a] for a in order])
    )
    axes = ", ".join(map(str, order))
    body = f"%r = graph.transpose %g0 {{permutation = array<i64: {axes}>}} : {given} -> {result}"
    return group(given, result, schedule, body)


@pytest.mark.parametrize("element", ["f16", "f32"])
@pytest.mark.parametrize("vector", [2, 4, 8])
@pytest.mark.parametrize("sizes", [(2, 3, 4, 9), (3, 2, 5, 12), (1, 1, 1, 5), (5, 1, 3, 6)])
def test_lines_that_end_among_neighbours(
    runner: Runner, sizes: tuple[int, ...], vector: int, element: str
) -> None:
    """Padded by one on both sides of the last two axes, and joined with a part of another size:
    neighbours lie in two lines, and a line has some of both parts.
    """
    padded = (*sizes[:2], sizes[2] + 2, sizes[3] + 2)
    other, whole = (*padded[:3], 3), (*padded[:3], padded[3] + 3)
    given, longer, part, result = (
        f"tensor<{'x'.join(map(str, s))}x{element}>" for s in (sizes, padded, other, whole)
    )
    body = (
        f"%p = graph.pad %g0 {{low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, "
        f'mode = "constant", value = 0.5 : {element}}} : {given} -> {longer}\n'
        f"%r = graph.concat %p, %g1 {{axis = 3 : i64}} : ({longer}, {part}) -> {result}"
    )
    text = group(f"{given}, {part}", result, _keys(64, vector, None), body)
    rng = np.random.default_rng(0)
    dtype = np.float16 if element == "f16" else np.float32
    x, y = (rng.standard_normal(s).astype(dtype) for s in (sizes, other))
    (z,) = runner.run(lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"), x, y)
    ends = ((0, 0), (0, 0), (1, 1), (1, 1))
    wanted = np.concatenate([np.pad(x, ends, constant_values=0.5), y], 3)
    np.testing.assert_array_equal(z, wanted)


@pytest.mark.parametrize("element", ["f16", "f32", "i8"])
@pytest.mark.parametrize(
    ("width", "start", "stop"), [(192, 33, 161), (72, 5, 37), (70, 33, 65), (24, 15, 23), (9, 1, 9)]
)
def test_slices_behind_a_multiple(
    runner: Runner, width: int, start: int, stop: int, element: str
) -> None:
    """What is loaded around a slice stays in its line."""
    given, result = f"tensor<37x{width}x{element}>", f"tensor<37x{stop - start}x{element}>"
    body = (
        f"%r = graph.slice %g0 {{starts = array<i64: 0, {start}>, stops = array<i64: 37, {stop}>, "
        f"steps = array<i64: 1, 1>}} : {given} -> {result}"
    )
    text = group(given, result, _keys(64, 8, None), body)
    dtype = {"f16": np.float16, "f32": np.float32, "i8": np.int8}[element]
    x = (100 * np.random.default_rng(0).standard_normal((37, width))).astype(dtype)
    (y,) = runner.run(lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"), x)
    np.testing.assert_array_equal(y, x[:, start:stop])


@pytest.mark.parametrize("vector", [1, 4, 8])
@pytest.mark.parametrize("width", [100, 33, 8, 3])
def test_gathered_rows(runner: Runner, width: int, vector: int) -> None:
    """Places count from the end where they are negative; beyond the ends they are the nearest."""
    table, places, result = f"tensor<19x{width}xf16>", "tensor<37xi64>", f"tensor<37x{width}xf16>"
    body = f"%r = graph.gather %g0, %g1 {{axis = 0 : i64}} : ({table}, {places}) -> {result}"
    text = group(f"{table}, {places}", result, _keys(64, vector, None), body)
    rng = np.random.default_rng(0)
    x, at = rng.standard_normal((19, width)).astype(np.float16), rng.integers(-22, 22, 37)
    (y,) = runner.run(lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"), x, at)
    np.testing.assert_array_equal(y, x[np.clip(np.where(at < 0, at + 19, at), 0, 18)])


@pytest.mark.parametrize(("vector", "columns"), [(1, 1), (4, 1), (8, 1), (4, 2), (8, 2), (2, 5)])
@pytest.mark.parametrize(
    ("sizes", "times"), [((3, 5, 4), (2, 2)), ((2, 7, 3), (3, 4)), ((2, 1, 8), (2, 1))]
)
def test_resampled_images(
    runner: Runner, sizes: tuple[int, int, int], times: tuple[int, int], vector: int, columns: int
) -> None:
    """Two neighbours along each axis, near the ends the outermost ones."""
    result = (sizes[0], sizes[1] * times[0], sizes[2] * times[1])
    x_type, y_type = (f"tensor<{'x'.join(map(str, s))}xf16>" for s in (sizes, result))
    rows = [f"tensor<{n}x2xf16>" for n in times]
    lines = [n for count in times for n in (2, -count, 2 * count)]
    body = (
        f"%r = graph.resample %g0 weights %g1, %g2 {{axes = array<i64: 1, 2>, "
        f"sizes = array<i64: {result[1]}, {result[2]}>, "
        f"lines = array<i64: {', '.join(map(str, lines))}>}} "
        f": {x_type}, {rows[0]}, {rows[1]} -> {y_type}"
    )
    keys = f"{_keys(64, vector, None)}, columns = {columns}"
    text = group(", ".join([x_type, *rows]), y_type, keys, body)
    rng = np.random.default_rng(0)
    shapes = (sizes, (times[0], 2), (times[1], 2))
    x, down, across = (rng.uniform(0.5, 1, s).astype(np.float16) for s in shapes)
    (y,) = runner.run(
        lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"), x, down, across
    )
    exact = x.astype(np.float64)
    for axis, count, table in ((1, times[0], down), (2, times[1], across)):
        at = np.arange(sizes[axis] * count)
        places = ((2 * at - count) // (2 * count))[:, np.newaxis] + np.arange(2)
        parts = np.take(exact, np.clip(places, 0, sizes[axis] - 1), axis)
        spread = [1] * axis + [len(at), 2] + [1] * (2 - axis)
        exact = (parts * table[at % count].reshape(spread)).sum(axis + 1)
    assert (np.abs(y - exact) <= HALF_EPS * (1 + 2.0**-9) * np.abs(exact)).all()


ACROSS = [
    "threads = 1, rows = 64, vector = 2",
    "threads = 4, rows = 16, vector = 2",
    "threads = 8, rows = 128, vector = 4",
    "threads = 16, rows = 4, vector = 1",
    "threads = 3, rows = 32, vector = 1",
    "threads = 64, rows = 4, vector = 4",
]


@pytest.mark.parametrize("schedule", ACROSS)
@pytest.mark.parametrize("sizes", [(2, 49, 20), (1, 2, 4), (3, 131, 132), (1, 40, 1028)])
def test_mean_across_rows(runner: Runner, sizes: tuple[int, int, int], schedule: str) -> None:
    n, length, channels = sizes
    full, result = f"tensor<{n}x{length}x{channels}xf16>", f"tensor<{n}x{channels}xf16>"
    body = f"%r = graph.reduce_mean %g0 axes [1] : {full} -> {result}"
    keys = f'strategy = "row", target = "gpu", {schedule}, lanes = "across"'
    x = np.random.default_rng(0).standard_normal(sizes).astype(np.float16)
    text = group(full, result, keys, body)
    (y,) = runner.run(lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"), x)
    exact = x.astype(np.float64).mean(1)
    assert (np.abs(y - exact) <= HALF_EPS * np.abs(exact) + 1e-6).all()


@pytest.mark.parametrize("schedule", ACROSS)
@pytest.mark.parametrize("sizes", [(2, 49, 20), (3, 131, 132)])
def test_softmax_across_rows(runner: Runner, sizes: tuple[int, int, int], schedule: str) -> None:
    full = f"tensor<{'x'.join(map(str, sizes))}xf32>"
    body = f"%r = graph.softmax %g0 axis 1 : {full} -> {full}"
    keys = f'strategy = "row", target = "gpu", {schedule}, lanes = "across"'
    x = (8 * np.random.default_rng(0).standard_normal(sizes)).astype(np.float32)
    text = group(full, full, keys, body)
    (y,) = runner.run(lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"), x)
    exact = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    exact /= exact.sum(1, keepdims=True)
    np.testing.assert_allclose(y, exact, rtol=1e-4)


@pytest.mark.parametrize(
    "schedule",
    ["threads = 4, rows = 8", "threads = 8, rows = 16, vector = 2", "threads = 64, rows = 4"],
)
@pytest.mark.parametrize("sizes", [(5, 64), (33, 34), (1, 2), (19, 200)])
def test_softmax_of_several_rows_in_a_block(
    runner: Runner, sizes: tuple[int, int], schedule: str
) -> None:
    full = f"tensor<{sizes[0]}x{sizes[1]}xf32>"
    body = f"%r = graph.softmax %g0 axis 1 : {full} -> {full}"
    x = (8 * np.random.default_rng(0).standard_normal(sizes)).astype(np.float32)
    text = group(full, full, f'strategy = "row", target = "gpu", {schedule}', body)
    (y,) = runner.run(lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"), x)
    exact = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    exact /= exact.sum(1, keepdims=True)
    np.testing.assert_allclose(y, exact, rtol=1e-4)


@pytest.mark.parametrize(
    "schedule",
    [
        "threads = 64, held = true",
        "threads = 32, rows = 2, vector = 4, held = true",
        "threads = 8, rows = 8, held = true",
        "threads = 96, vector = 8, cluster = 2, held = true",
        "threads = 32, rows = 16, packed = true",
        "threads = 64, rows = 8, packed = true",
        "threads = 64, rows = 16, packed = true, turns = 4",
        "threads = 64, rows = 8, packed = true, turns = 8",
    ],
)
@pytest.mark.parametrize("sizes", [(3, 2), (5, 197), (4, 2052), (7, 64), (16, 41)])
def test_softmax_of_rows_in_shared_memory(
    runner: Runner, sizes: tuple[int, int], schedule: str
) -> None:
    full, row = f"tensor<{sizes[0]}x{sizes[1]}xf16>", f"tensor<{sizes[1]}xf16>"
    body = (
        f"%s = graph.add %g0, %g1 : ({full}, {row}) -> {full}\n"
        f"%t = graph.softmax %s axis 1 : {full} -> {full}\n"
        f"%r = graph.mul %t, %g0 : ({full}, {full}) -> {full}"
    )
    keys = f'strategy = "row", target = "gpu", {schedule}'
    text = group(f"{full}, {row}", full, keys, body)
    rng = np.random.default_rng(0)
    x, b = (rng.standard_normal(s).astype(np.float16) for s in (sizes, sizes[1:]))
    (y,) = runner.run(lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"), x, b)
    total = x.astype(np.float64) + b
    exact = np.exp(total - total.max(1, keepdims=True))
    exact = exact / exact.sum(1, keepdims=True)
    assert (np.abs(y - exact * x) <= 8 * HALF_EPS * np.abs(exact * x) + 1e-6).all()


def test_logistic_function_of_every_half(runner: Runner) -> None:
    """The hardware's power of two and reciprocal leave half a unit and little more."""
    type = "tensor<65536xf16>"
    body = f"%r = graph.sigmoid %g0 : {type} -> {type}"
    text = group(type, type, 'strategy = "map", target = "gpu", threads = 256, vector = 8', body)
    x = np.arange(65536, dtype=np.uint16).view(np.float16)
    (y,) = runner.run(lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"), x)
    with np.errstate(over="ignore", invalid="ignore"):
        exact = 1 / (1 + np.exp(-x.astype(np.float64)))
    told = ~np.isnan(x)
    smallest = float(np.finfo(np.float16).smallest_subnormal)
    bound = (HALF_EPS + 2.0**-19) * exact + smallest / 2 * (1 + 2.0**-8)
    assert (np.abs(y.astype(np.float64) - exact) <= bound)[told].all()
    assert np.isnan(y[~told]).all()


def _gelu(v: float) -> float:
    return v * erfc(-v / sqrt(2)) / 2


def _tanh_gelu(v: float) -> float:
    """``1 + tanh(z)`` as a quotient, whose digits do not cancel."""
    return v / (1 + exp(min(700, -2 * sqrt(2 / pi) * (v + 0.044715 * v**3))))


@pytest.mark.parametrize(("op", "formula"), [("gelu", _gelu), ("gelu tanh", _tanh_gelu)])
def test_gelu_of_every_half(runner: Runner, op: str, formula: Callable[[float], float]) -> None:
    """The fit leaves a tenth of a unit; what is not finite is what the formula gives."""
    type = "tensor<65536xf16>"
    name, _, tanh = op.partition(" ")
    body = f"%r = graph.{name} %g0 {'{tanh}' if tanh else ''} : {type} -> {type}"
    text = group(type, type, 'strategy = "map", target = "gpu", threads = 256, vector = 8', body)
    x = np.arange(65536, dtype=np.uint16).view(np.float16)
    (y,) = runner.run(lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"), x)
    told = np.isfinite(x)
    exact = np.array([formula(v) for v in x[told].astype(np.float64)])
    smallest = float(np.finfo(np.float16).smallest_subnormal)
    bound = 1.2 * (HALF_EPS * np.abs(exact) + smallest / 2)
    assert (np.abs(y[told].astype(np.float64) - exact) <= bound).all()
    assert y[x == np.inf] == np.inf
    assert np.isnan(y[np.isnan(x) | (x == -np.inf)]).all()
