"""What the model is told of the copies of a factor is what the lowering does."""

import pytest
from xdsl.dialects.builtin import ModuleOp

from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.analysis.factor_copy import copy_bytes
from dlc.core.parser import parse_module
from dlc.dialects import gpu
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.graph.computed import ContractionOp
from dlc.registry import build_passes, new_context
from dlc.strategies.contract.work import work_of


def module(
    size: int, channels: int, kernel: tuple[int, int], padding: tuple[int, int], stride: int
) -> ModuleOp:
    """Return a convolution of square images."""
    rows, columns = ((size + 2 * p - k) // stride + 1 for k, p in zip(kernel, padding, strict=True))
    x, w, y = (
        f"tensor<{s}xf16>"
        for s in (
            f"1x{size}x{size}x{channels}",
            f"64x{kernel[0]}x{kernel[1]}x{channels}",
            f"1x{rows}x{columns}x64",
        )
    )
    return parse_module(
        f"func.func @main(%x: {x}, %w: {w}) -> {y} {{\n"
        f"%y = fused_group.group @g(%x, %w) : ({x}, {w}) -> {y} attributes {{schedule = "
        '#loop.schedule<strategy = "contract", target = "gpu", tile = [64, 64, 32], '
        f'warps = [2, 2], instruction = "mma.m16n8k16">}} {{\n^bb0(%a: {x}, %b: {w}):\n'
        f"%r = graph.conv %a, %b strides [{stride}, {stride}] padding {[*padding] * 2} dilations "
        f"[1, 1] groups 1 layout channels_last weight_layout ohwi : ({x}, {w}) -> {y}\n"
        f"fused_group.yield %r : {y} }}\nfunc.return %y : {y} }}",
        new_context(),
    )


@pytest.mark.parametrize(
    ("size", "channels", "kernel", "padding", "bytes"),
    [(64, 3, 16, 0, 16), (64, 3, 4, 0, 8), (60, 3, 6, 0, 4), (64, 3, 16, 1, 0), (64, 8, 3, 1, 16)],
)
def test_copies_are_as_wide_as_the_model_is_told(
    size: int, channels: int, kernel: int, padding: int, bytes: int
) -> None:
    """Of patches side by side, which may reach into the padding."""
    text = module(size, channels, (kernel, kernel), (padding, padding), kernel)
    group = next(op for op in text.walk() if isinstance(op, GroupOp))
    cluster = Cluster(flow := Dataflow(group.body.block), tuple(flow.ops))
    op = next(op for op in cluster.ops if isinstance(op, ContractionOp))
    assert copy_bytes(cluster, op, 0) == bytes
    for step in build_passes("lower-to-loop,lower-to-gpu{arch=sm_90a}"):
        step.apply(new_context(), text)
    x = next(op for op in text.walk() if isinstance(op, gpu.KernelOp)).body.block.args[0]
    copies = {
        op.bytes.value.data
        for op in text.walk()
        if isinstance(op, gpu.CpAsyncOp) and op.source is x
    }
    assert copies == ({bytes} if bytes else set())


@pytest.mark.parametrize(
    ("size", "channels", "kernel", "padding", "line"),
    [
        (56, 64, (3, 3), (1, 1), 128),
        (14, 128, (3, 3), (1, 1), 128),
        (28, 64, (5, 5), (2, 2), 128),
        (9, 72, (1, 1), (0, 0), 128),  # a matrix: what is behind its end is zero
        (14, 96, (3, 3), (1, 1), 64),
        (14, 160, (1, 7), (0, 3), 64),  # its rows would be those of a matrix without padding
        (14, 80, (7, 1), (3, 0), 32),
        (14, 72, (3, 3), (1, 1), 0),
        (64, 4, (7, 7), (3, 3), 0),
    ],
)
def test_tensor_copies_bring_what_the_model_is_told(
    size: int, channels: int, kernel: tuple[int, int], padding: tuple[int, int], line: int
) -> None:
    _assert_copies(module(size, channels, kernel, padding, 1), line)


@pytest.mark.parametrize(
    ("size", "kernel", "padding", "stride", "line"),
    [
        (40, (8, 8), (0, 0), 8, 128),
        (50, (10, 10), (0, 0), 10, 0),  # a tensor map steps over 8 elements at most
        (56, (56, 56), (28, 28), 1, 128),
        (300, (3, 280), (0, 0), 1, 0),  # a copy names places up to 255 from a pixel
        (140, (3, 3), (129, 129), 1, 0),  # windows begin 128 pixels before an image at most
    ],
)
def test_the_model_knows_what_a_tensor_map_cannot_say(
    size: int, kernel: tuple[int, int], padding: tuple[int, int], stride: int, line: int
) -> None:
    _assert_copies(module(size, 64, kernel, padding, stride), line)


def _assert_copies(text: ModuleOp, line: int) -> None:
    """Assert that the model is told of lines of ``line`` bytes, 0: none, and copies bring them."""
    group = next(op for op in text.walk() if isinstance(op, GroupOp))
    cluster = Cluster(flow := Dataflow(group.body.block), tuple(flow.ops))
    assert work_of(cluster).mapped_line == line
    assert group.schedule is not None
    changes = {"tile": [64, 64, (line or 32) // 2], "stages": 2, "copies": "tensor"}
    group.schedule = group.schedule.replace(**changes)
    for step in build_passes("lower-to-loop,lower-to-gpu{arch=sm_90a}"):
        step.apply(new_context(), text)
    kernel_op = next(op for op in text.walk() if isinstance(op, gpu.KernelOp))
    factors = set(kernel_op.body.block.args[:2])
    copies = {op.source for op in text.walk() if isinstance(op, gpu.TensorCopyOp)}
    assert (copies == factors) == (line > 0)
