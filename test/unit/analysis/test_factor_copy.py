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


def module(size: int, channels: int, kernel: int, padding: int) -> ModuleOp:
    """Return a convolution of patches side by side, which may reach into the padding."""
    out = (size + 2 * padding - kernel) // kernel + 1
    x, w, y = (
        f"tensor<{s}xf16>"
        for s in (
            f"1x{size}x{size}x{channels}",
            f"64x{kernel}x{kernel}x{channels}",
            f"1x{out}x{out}x64",
        )
    )
    return parse_module(
        f"func.func @main(%x: {x}, %w: {w}) -> {y} {{\n"
        f"%y = fused_group.group @g(%x, %w) : ({x}, {w}) -> {y} attributes {{schedule = "
        '#loop.schedule<strategy = "contract", target = "gpu", tile = [64, 64, 32], '
        f'warps = [2, 2], instruction = "mma.m16n8k16">}} {{\n^bb0(%a: {x}, %b: {w}):\n'
        f"%r = graph.conv %a, %b strides [{kernel}, {kernel}] padding {[padding] * 4} dilations "
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
    text = module(size, channels, kernel, padding)
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
