"""What the plans for a CPU know of where results and elements lie."""

from dataclasses import replace

import pytest
from programs import cluster

from dlc.analysis.dataflow import Cluster
from dlc.arch.cpus import AVX2
from dlc.plan import Plan, Planner
from dlc.strategies._loop_nest import reduces_on_lanes
from dlc.strategies.row.cpu import IMPLEMENTATION as ROWS
from dlc.strategies.row.cpu import RowOnCpu

WINDOW = "strides [1, 1] padding [{pad}, {pad}, {pad}, {pad}] dilations [1, 1]"


def seconds(asked: Cluster) -> float:
    plan = Planner(AVX2).plan(asked)
    assert isinstance(plan, Plan)
    return plan.s


def pool(last: bool, pad: int = 1, size: int = 56) -> Cluster:
    made = size + 2 * pad - 2
    shapes = [f"1x{n}x{n}x64" if last else f"1x64x{n}x{n}" for n in (size, made)]
    x, y = (f"tensor<{each}xf32>" for each in shapes)
    layout = "layout channels_last" if last else ""
    window = WINDOW.format(pad=pad)
    text = f"%0 = graph.max_pool %x window [3, 3] {window} {layout} : {x} -> {y}"
    return cluster(text, f"%0: {y}", f"%x: {x}")


def convolution(last: bool) -> Cluster:
    x = "tensor<1x56x56x64xf32>" if last else "tensor<1x64x56x56xf32>"
    w, layout = "tensor<64x64x1x1xf32>", "layout channels_last" if last else ""
    text = f"%0 = graph.conv %x, %w {WINDOW.format(pad=0)} {layout} : ({x}, {w}) -> {x}"
    return cluster(text, f"%0: {x}", f"%x: {x}, %w: {w}")


def test_windows_that_leave_the_image_along_the_lanes_are_done_one_by_one() -> None:
    assert reduces_on_lanes(pool(last=True))
    assert not reduces_on_lanes(pool(last=False))
    assert reduces_on_lanes(pool(last=False, pad=0))  # neighbours along the image
    assert seconds(pool(last=False)) > 3 * seconds(pool(last=True))  # measured: 38


def test_results_that_are_no_neighbours_are_stored_one_by_one() -> None:
    assert seconds(convolution(last=False)) > 1.1 * seconds(convolution(last=True))


@pytest.mark.parametrize(("axis", "on_lanes"), [(0, True), (1, False)])
def test_rows_in_order_are_not_on_lanes(axis: int, on_lanes: bool) -> None:
    text = f"%0 = graph.reduce_sum %x axes [{axis}] : tensor<64x64xf32> -> tensor<64xf32>"
    found = cluster(text, "%0: tensor<64xf32>", "%x: tensor<64x64xf32>")
    assert reduces_on_lanes(found) is on_lanes


def norm_over_largest(sizes: tuple[int, int]) -> Cluster:
    """Return the norm of a whole tensor over its largest element."""
    x, flat = "tensor<{}x{}xf32>".format(*sizes), f"tensor<{sizes[0] * sizes[1]}xf32>"
    text = f"""
      %0 = graph.reduce_l2 %flat axes [0] : {flat} -> tensor<f32>
      %1 = graph.abs %x : {x} -> {x}
      %2 = graph.reduce_max %1 axes [0, 1] : {x} -> tensor<f32>
      %3 = graph.div %0, %2 : (tensor<f32>, tensor<f32>) -> tensor<f32>"""
    return cluster(text, "%3: tensor<f32>", f"%flat: {flat}, %x: {x}")


def total(count: int) -> Cluster:
    x = f"tensor<{count}xf32>"
    text = f"%0 = graph.reduce_sum %x axes [0] : {x} -> tensor<f32>"
    return cluster(text, "%0: tensor<f32>", f"%x: {x}")


def test_a_single_result_is_one_chain_on_one_core() -> None:
    assert not reduces_on_lanes(norm_over_largest((1000, 301)))
    assert seconds(norm_over_largest((1000, 301))) > 5 * seconds(total(301000))  # measured: 15


def test_rows_are_shared_by_as_many_cores_as_there_are_rows() -> None:
    many = replace(AVX2, cores=64)
    work = ROWS.work_of(total(301000))
    one, all = (ROWS.rate(work, RowOnCpu(cores), many).latency_s() for cores in (False, True))
    assert all > one
