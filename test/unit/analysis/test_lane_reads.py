"""What a warp reads: instructions, lines, and lines counted once, by hand."""

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp

from dlc import registry
from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.analysis.lane_reads import lane_reads
from dlc.analysis.positions import axes
from dlc.core.parser import parse_module
from dlc.ir.tensor import element_count, shape
from dlc.model.streaming import LaneReads


def _reads(text: str, *shapes: tuple[int, int], first: int = 0) -> list[LaneReads]:
    """Return what a warp reads for the last result, from position ``first`` on."""
    module = parse_module(text, registry.new_context())
    (main,) = (op for op in module.walk() if isinstance(op, FuncOp))
    flow = Dataflow(main.body.block)
    (result,) = flow.ops[-1].results
    positions = np.arange(first, min(first + 512, element_count(result)))[np.newaxis]
    index = axes((first, shape(result)), np.unravel_index(positions, shape(result)))
    return lane_reads(Cluster(flow, tuple(flow.ops)), [(result, index)], shapes or ((1, 1),))


def _main(body: str, *arguments: str) -> str:
    names = ", ".join(f"%{'abcd'[n]}: tensor<{a}>" for n, a in enumerate(arguments))
    result = body.rsplit("-> ", 1)[1]
    return f"func.func @main({names}) -> {result} {{ %r = {body}\nfunc.return %r : {result} }}"


RELU = _main("graph.relu %a : tensor<64x64xf32> -> tensor<64x64xf32>", "64x64xf32")


def test_neighbours_are_loaded_together() -> None:
    one, four, eight = _reads(RELU, (1, 1), (4, 1), (8, 1))
    assert one == LaneReads(1, 1, 1)
    assert four == LaneReads(1, 4, 4)  # 16 bytes a lane
    assert eight == LaneReads(2, 16, 8)  # each of two instructions touches all eight lines


def test_neighbours_behind_a_multiple_take_one_load_more() -> None:
    text = _main(
        "graph.slice %a {starts = array<i64: 0, 33>, stops = array<i64: 64, 65>, "
        "steps = array<i64: 1, 1>} : tensor<64x72xf32> -> tensor<64x32xf32>",
        "64x72xf32",
    )
    four, eight = _reads(text, (4, 1), (8, 1))
    assert (four.loads, eight.loads) == (2, 3)


def test_each_lane_of_a_transposition_has_a_line_of_its_own() -> None:
    text = _main(
        "graph.transpose %a {permutation = array<i64: 1, 0>} "
        ": tensor<64x64xf32> -> tensor<64x64xf32>",
        "64x64xf32",
    )
    one, two = _reads(text, (1, 1), (2, 1))
    assert one == LaneReads(1, 32, 32)
    assert two == LaneReads(2, 64, 64)


def test_what_all_lanes_read_is_one_line() -> None:
    text = _main(
        "graph.add %a, %b : (tensor<64x64xf32>, tensor<64x1xf32>) -> tensor<64x64xf32>",
        "64x64xf32",
        "64x1xf32",
    )
    assert _reads(text) == [LaneReads(2, 2, 2)]


@pytest.mark.parametrize(("first", "lines"), [(0, 1), (192, 1), (112, 2)])
def test_of_a_concatenation_only_the_part_that_is_there_is_read(first: int, lines: int) -> None:
    text = _main(
        "graph.concat %a, %b {axis = 0 : i64} "
        ": (tensor<128xf32>, tensor<384xf32>) -> tensor<512xf32>",
        "128xf32",
        "384xf32",
    )
    assert _reads(text, first=first) == [LaneReads(1, lines, lines)]


def test_taps_of_a_window_share_lines() -> None:
    text = _main(
        "graph.max_pool %a window [3, 3] strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] "
        ": tensor<1x1x66x66xf32> -> tensor<1x1x64x64xf32>",
        "1x1x66x66xf32",
    )
    (found,) = _reads(text, first=0)
    assert found.loads == 9
    assert found.lines >= 9
    assert found.fetched < found.lines


def test_nothing_is_read_in_a_padding() -> None:
    text = _main(
        "graph.max_pool %a window [3, 3] strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] "
        ": tensor<1x1x64x64xf32> -> tensor<1x1x64x64xf32>",
        "1x1x64x64xf32",
    )
    (found,) = _reads(text)
    # The first row has no taps above, and of lane 0 two more are to the left.
    assert found.loads == (6 * 32 - 2) / 32


@pytest.mark.parametrize("warps", [1, 2, 4, 8])
def test_samples_that_are_no_whole_blocks_are_left_out(warps: int) -> None:
    module = parse_module(RELU, registry.new_context())
    (main,) = (op for op in module.walk() if isinstance(op, FuncOp))
    flow = Dataflow(main.body.block)
    (result,) = flow.ops[-1].results
    rows, columns = np.arange(7)[:, np.newaxis], np.arange(32)[np.newaxis]
    index = axes(("rows", warps), (rows, columns))
    cluster = Cluster(flow, tuple(flow.ops))
    assert lane_reads(cluster, [(result, index)], ((1, warps),)) == [LaneReads(1, 1, 1)]


def test_a_window_that_two_ops_read_is_counted_once() -> None:
    """Also of an image alone, whose axis of one place is another constant for each reader."""
    image, result = "tensor<1x9x9x64xf16>", "tensor<1x7x7x64xf16>"
    text = (
        f"func.func @main(%a: {image}) -> {result} {{\n"
        "%p = graph.max_pool %a window [3, 3] strides [1, 1] padding [0, 0, 0, 0] "
        f"dilations [1, 1] layout channels_last : {image} -> {result}\n"
        f"%s = graph.sigmoid %p : {result} -> {result}\n"
        f"%r = graph.mul %p, %s : ({result}, {result}) -> {result}\n"
        f"func.return %r : {result} }}"
    )
    (eight,) = _reads(text, (8, 1))
    assert eight.loads == 9
