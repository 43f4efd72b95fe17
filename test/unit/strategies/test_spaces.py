"""The schedule spaces of all strategies."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from products import product
from xdsl.dialects.builtin import TensorType, f32
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block

from dlc import strategies
from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.arch.cpus import AVX2
from dlc.arch.nvidia import H200
from dlc.dialects.graph.math import ExpOp
from dlc.model.streaming import LaneReads
from dlc.strategies._implementation import Implementation
from dlc.strategies._loop_nest import NestWork
from dlc.strategies.attention.cpu import CoreWork
from dlc.strategies.attention.work import AttentionWork
from dlc.strategies.map import gpu as map_gpu
from dlc.strategies.map.windows import WindowWork
from dlc.strategies.recurrent import cpu as recurrent_cpu
from dlc.strategies.recurrent.work import RecurrentWork
from dlc.strategies.row import gpu as row_gpu
from dlc.strategies.row.work import RowWork
from dlc.strategies.scan.work import ScanWork
from dlc.strategies.stitched.work import Stage, StitchedWork


def _stage(waits: bool) -> Stage:
    """Return a stage that is a product."""
    own = strategies.by_name("contract").implementations["gpu"]
    return Stage(((own, product(64, 64, 64)),), 24576, waits)


WORKS = {
    "recurrent on a GPU": RecurrentWork(100, 1024, 8, ((8, 4),), "f16", 2, "f32", 4, 1 << 20),
    "recurrent on a CPU": recurrent_cpu.CoreWork(
        RecurrentWork(100, 1024, 8, ((8, 4),), "f32", 4, "f32", 4, 1 << 20), 1e5, 1 << 16
    ),
    "attention on a GPU": AttentionWork(
        12, 128, 128, 64, 64, "f16", 2, "f32", 1.0, 1, 600000, 200000
    ),
    "attention on a CPU": CoreWork(
        AttentionWork(12, 128, 128, 64, 64, "f32", 4, "f32", 1.0, 1, 1200000, 400000), 1e7, 4
    ),
    "contract on a GPU": product(8192, 768, 768),
    "contract on a CPU": product(512, 512, 512, "f32"),
    "map on a GPU": map_gpu.MapWork(1000 * 8, 8, 4, 16000, 32000, 1e4),
    "map on a CPU": NestWork(1e4, 48000, True),
    "row on a GPU": RowWork(64, 128, True, 2, 3, 4, 64 * 400, 64 * 400, 64 * 400, 1e4),
    "row on a CPU": NestWork(1e4, 48000, True),
    "stitched on a GPU": StitchedWork((_stage(waits=False), _stage(waits=True))),
    "scan on a GPU": ScanWork(64, 128, 1, 4, 1, 1, 32768, 32768, 8192),
    "scan on a CPU": ScanWork(64, 128, 24, 4, 1, 1, 32768, 32768, 8192),
}


IMPLEMENTATIONS = [
    implementation
    for name in strategies.names()
    for implementation in strategies.by_name(name).implementations.values()
]


def test_vectors_divide_what_they_run_along() -> None:
    rows = RowWork(64, 100, True, 2, 3, 4, 64 * 400, 64 * 400, 64 * 400, 1e4)
    assert {s.vector for s in row_gpu.candidates(rows, H200)} == {1, 2, 4}


@pytest.mark.parametrize(("rows", "least"), [(132, 1), (133, 4), (528, 4), (529, 1)])
def test_blocks_have_four_warps_where_an_sm_has_a_few_rows(rows: int, least: int) -> None:
    work = RowWork(rows, 128, True, 2, 3, 4, 64 * 400, 64 * 400, 64 * 400, 1e4)
    found = row_gpu.candidates(work, H200)
    assert min(s.rows for s in found if s.threads == 32 and s.vector == 4) == least


def test_vectors_go_over_the_ends_of_lines_but_not_of_windows() -> None:
    reads = tuple((vector, LaneReads(1.0, 1.0, 1.0)) for vector in (4, 2, 1))
    work = map_gpu.MapWork(1000 * 6, 6, 4, 24000, 24000, operations=1e4, reads=reads)
    assert {s.vector for s in map_gpu.candidates(work, H200)} == {1, 2, 4}
    shared = replace(work, together=(WindowWork(2, 4, 3, 9, 1, False, 2, reads),))
    assert {s.vector for s in map_gpu.candidates(shared, H200) if s.columns == 2} == {1, 2}


@pytest.mark.parametrize(
    ("cluster_meeting_us", "carries"),
    [(H200.costs.cluster_meeting_us, {"block"}), (0.9, {"block", "cluster"})],
)
def test_a_search_rates_stages_only_where_a_meeting_takes_less_than_a_start(
    cluster_meeting_us: float, carries: set[str]
) -> None:
    chip = replace(H200, costs=replace(H200.costs, cluster_meeting_us=cluster_meeting_us))
    work = WORKS["stitched on a GPU"]
    gaining = strategies.by_name("stitched").stages
    assert gaining is not None
    found = list(gaining.gaining["gpu"].candidates(work, chip))
    every = list(strategies.by_name("stitched").implementations["gpu"].candidates(work, chip))
    assert {each.carry[0] for each in found} == carries
    assert {each.carry[0] for each in every} == {"block", "cluster", "grid"}
    assert set(found) < set(every)


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS, ids=lambda i: i.schedule.title())
def test_what_is_in_a_space_is_read_as_it_is_printed(
    implementation: Implementation[Any, Any, Any],
) -> None:
    arch = H200 if implementation.schedule.target == "gpu" else AVX2
    for schedule in implementation.candidates(WORKS[implementation.schedule.title()], arch):
        assert strategies.read(schedule.attribute()) == schedule


@pytest.mark.parametrize("count", [1, 31, 512, 513, 768, 1023, 1024, 1537])
def test_a_map_of_any_size_is_rated(count: int) -> None:
    type = TensorType(f32, [count])
    block = Block(arg_types=[type])
    op = ExpOp.make(block.args[0])
    block.add_ops([op, ReturnOp(*op.results)])
    flow = Dataflow(block)
    work = map_gpu.work_of(Cluster(flow, tuple(flow.ops)))
    assert work.reads_of(1).loads == (count > 1)
    assert np.isfinite(map_gpu.rate(work, map_gpu.MapOnGpu(128, 1), H200).latency_s())
