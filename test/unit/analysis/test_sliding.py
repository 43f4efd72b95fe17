"""What windows of neighbouring results share, and in which order a thread wants their weights."""

import pytest
from xdsl.dialects.func import FuncOp

from dlc import arch, registry, strategies
from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.analysis.factor_copy import run_bytes
from dlc.analysis.sliding import sliding
from dlc.analysis.weight_order import lane_order
from dlc.core.parser import parse_module
from dlc.dialects.graph.computed import ContractionOp, ReductionOp


def cluster_of(body: str, x: str, w: str, y: str, before: str = "") -> Cluster:
    """Return the cluster of one op on an image, or on what ``before`` makes of it, and a weight."""
    types = [f"tensor<{sizes}xf16>" for sizes in (x, w, y)]
    first = f"%x = graph.{before} %given : {types[0]} -> {types[0]}\n" if before else ""
    text = (
        f"func.func @main(%{'given' if before else 'x'}: {types[0]}, %w: {types[1]}) -> "
        f"{types[2]} {{\n{first}"
        f"%y = {body} : ({types[0]}, {types[1]}) -> {types[2]}\nfunc.return %y : {types[2]} }}"
    )
    module = parse_module(text, registry.new_context())
    (main,) = (op for op in module.walk() if isinstance(op, FuncOp))
    flow = Dataflow(main.body.block)
    return Cluster(flow, tuple(flow.ops))


def conv(
    channels: int,
    groups: int,
    layout: str,
    stride: int = 1,
    dilation: int = 1,
    taps: int = 3,
    before: str = "",
) -> Cluster:
    """Return the cluster of a convolution of 8 x 8 places."""
    pad, each = taps // 2 * dilation, channels // groups
    made, t = (8 - 1) // stride + 1, f"{taps}x{taps}"
    weight = {"hwio": f"{t}x{each}x{channels}", "ohwi": f"{channels}x{t}x{each}"}[layout]
    body = (
        f"graph.conv %x, %w strides [{stride}, {stride}] padding {[pad] * 4} "
        f"dilations [{dilation}, {dilation}] groups {groups} layout channels_last "
        f"weight_layout {layout}"
    )
    return cluster_of(body, f"1x8x8x{channels}", weight, f"1x{made}x{made}x{channels}", before)


def the_op(cluster: Cluster) -> ReductionOp:
    """Return the last op."""
    op = cluster.ops[-1]
    assert isinstance(op, ReductionOp)
    return op


@pytest.mark.parametrize(("stride", "places"), [(1, 6), (2, 9)])
def test_the_line_of_four_windows(stride: int, places: int) -> None:
    slide = sliding(the_op(conv(8, 8, "hwio", stride)))
    assert slide is not None
    assert (slide.axis, slide.taps, slide.step, slide.operand) == (2, 3, stride, 0)
    assert slide.places(4) == places
    assert not slide.is_shared


def test_windows_that_share_nothing() -> None:
    assert sliding(the_op(conv(8, 8, "hwio", stride=3))) is None
    assert sliding(the_op(conv(8, 8, "hwio", taps=1))) is None
    assert sliding(the_op(conv(8, 8, "hwio", stride=1, dilation=2))) is None  # other taps
    assert sliding(the_op(conv(8, 8, "hwio", stride=2, dilation=2))) is not None


@pytest.mark.parametrize(
    ("groups", "found"), [(16, {1: 1, 8: 8}), (4, {4: 4, 8: 8, 2: 4}), (2, {8: 8, 16: 16})]
)
def test_channels_that_lanes_read(groups: int, found: dict[int, int]) -> None:
    slide = sliding(the_op(conv(16, groups, "ohwi")))
    assert slide is not None
    assert {lanes: slide.channels(lanes) for lanes in found} == found


def test_all_results_read_the_channels_of_an_image() -> None:
    slide = sliding(the_op(conv(3, 1, "ohwi")))
    assert slide is not None
    assert slide.is_shared
    assert slide.channels(1) == slide.channels(3) == 3


def test_weights_are_wanted_with_their_results_last() -> None:
    assert lane_order(the_op(conv(16, 4, "ohwi")), 1) == [1, 2, 3, 0]
    assert lane_order(the_op(conv(16, 4, "hwio")), 1) is None
    assert lane_order(the_op(conv(16, 4, "ohwi")), 0) is None  # channels of the image are last


@pytest.mark.parametrize("before", ["", "relu"])
@pytest.mark.parametrize(("groups", "bytes"), [(16, 8), (8, 16), (1, 0)])
def test_bytes_of_a_group_that_lie_together(groups: int, bytes: int, before: str) -> None:
    cluster = conv(64, groups, "ohwi", before=before)
    op = the_op(cluster)
    assert isinstance(op, ContractionOp)
    assert run_bytes(cluster, op, 0) == bytes


def test_threads_do_groups_of_few_channels_on_a_gpu_only() -> None:
    def able(cluster: Cluster, chip: str) -> list[str]:
        return [own.schedule.strategy for own in strategies.able(cluster, arch.by_name(chip))]

    assert able(conv(16, 4, "ohwi"), "sm_90a") == ["contract", "map"]
    assert able(conv(16, 4, "ohwi"), "cpu-avx2") == ["contract"]
    assert able(conv(64, 4, "ohwi"), "sm_90a") == ["contract"]  # 144 products for a result
    assert able(conv(16, 1, "ohwi"), "sm_90a") == ["contract"]
