"""The guess of what kernels take less as one."""

import pytest
from programs import dataflow

from dlc.analysis.dataflow import Dataflow
from dlc.arch.nvidia import H200
from dlc.plan import Planner
from dlc.search._delta import Delta
from dlc.search._op_sets import OpSets
from dlc.search._price import Prices

TENSOR, BOTH = "tensor<4x8xf32>", "tensor<8x8xf32>"
LAUNCH_S = 1e-6 * H200.launch_us
BYTES_S = 4 * 8 * 4 / H200.l2_bytes_per_s


def delta(flow: Dataflow) -> Delta:
    return Delta(OpSets(flow), Prices(flow, Planner(H200)), H200)


def test_a_launch_and_a_tensor_written_and_read_are_saved() -> None:
    own = delta(dataflow("%0 = exp %x : 4x8\n%1 = tanh %0 : 4x8", f"%1: {TENSOR}"))
    assert own.saved_s(0b01) == 0
    assert own.saved_s(0b11) == pytest.approx(LAUNCH_S + 2 * BYTES_S)


def test_a_tensor_that_both_read_is_read_once() -> None:
    own = delta(dataflow("%0 = exp %x : 4x8\n%1 = tanh %x : 4x8", f"%0: {TENSOR}, %1: {TENSOR}"))
    assert own.saved_s(0b11) == pytest.approx(LAUNCH_S + BYTES_S)


def test_what_is_computed_again_counts() -> None:
    x, wide = "tensor<64x64xf32>", "tensor<64x64x64xf32>"
    body = f"""
%0 = graph.tanh %x : {x} -> {x}
%1 = graph.add %0, %y : ({x}, {wide}) -> {wide}"""
    own = delta(dataflow(body, f"%1: {wide}", f"%x: {x}, %y: {wide}"))
    assert own.saved_s(0b11) < LAUNCH_S + 2 * 64 * 64 * 4 / H200.l2_bytes_per_s


def test_a_concatenation_in_place_saves_nothing() -> None:
    concat = f"%2 = graph.concat %0, %1 {{axis = 0 : i64}} : ({TENSOR}, {TENSOR}) -> {BOTH}"
    own = delta(dataflow(f"%0 = exp %x : 4x8\n%1 = tanh %y : 4x8\n{concat}", f"%2: {BOTH}"))
    sets = own.sets
    assert own.saved_s(sets.of(sets.flow.ops[1:])) == 0
