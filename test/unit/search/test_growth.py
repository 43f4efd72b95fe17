"""Clusters that grow op by op."""

from time import monotonic

import pytest
from programs import dataflow

from dlc.analysis.dataflow import Dataflow
from dlc.arch.nvidia import H200
from dlc.plan import Planner
from dlc.search._growth import LEAST_TRIED, MOST_BETWEEN, Kernels, grow
from dlc.search._op_sets import OpSets
from dlc.search._price import Prices

TENSOR = "tensor<4x8xf32>"


def kernels(flow: Dataflow) -> Kernels:
    return Kernels(OpSets(flow), Prices(flow, Planner(H200)))


def chain(count: int) -> Dataflow:
    lines = ["%0 = exp %x : 4x8"]
    lines += [f"%{n} = tanh %{n - 1} : 4x8" for n in range(1, count)]
    return dataflow("\n".join(lines), f"%{count - 1}: {TENSOR}")


def test_all_sets_of_nine_ops_without_ways_between_are_tried() -> None:
    lines = [f"%{n} = exp %x{n} : 4x8" for n in range(9)]
    results = ", ".join(f"%{n}: {TENSOR}" for n in range(9))
    inputs = ", ".join(f"%x{n}: {TENSOR}" for n in range(9))
    found = set(grow(0, kernels(dataflow("\n".join(lines), results, inputs))))
    assert len(found) == 2**8 - 1  # nine results are more than a kernel may have
    assert all(ops & 1 for ops in found)


def test_from_an_op_of_a_chain_grow_those_behind_it() -> None:
    own = kernels(chain(5))
    assert set(grow(0, own)) == {0b1, 0b11, 0b111, 0b1111, 0b11111}
    assert set(grow(3, own)) == {0b01000, 0b11000}


def test_what_has_no_kernel_grows_until_it_has_one() -> None:
    x, one = "tensor<512x512xf32>", "tensor<512x1xf32>"
    body = f"""
%0 = graph.exp %x : {x} -> {x}
%1 = graph.reduce_sum %0 axes [1] keep_dims : {x} -> {one}
%2 = graph.div %0, %1 : ({x}, {one}) -> {x}"""
    own = kernels(dataflow(body, f"%2: {x}", f"%x: {x}"))
    assert {0b111, 0b1} <= set(grow(0, own))


def test_of_many_ops_few_sets_are_tried() -> None:
    assert len(list(grow(0, kernels(chain(1000))))) <= LEAST_TRIED


def test_nothing_grows_after_the_deadline() -> None:
    assert list(grow(0, kernels(chain(5)), monotonic() - 1)) == [0b1]


@pytest.mark.parametrize(("count", "is_narrow"), [(MOST_BETWEEN, True), (MOST_BETWEEN + 1, False)])
def test_what_waits_for_many_ops_is_not_narrow(count: int, is_narrow: bool) -> None:
    lines = ["%r = exp %x : 4x8", "%s = relu %r : 4x8", "%0 = tanh %y : 4x8"]
    lines += [f"%{n} = tanh %{n - 1} : 4x8" for n in range(1, count)]
    lines += [f"%t = add %r %{count - 1} : 4x8"]
    own = kernels(dataflow("\n".join(lines), f"%s: {TENSOR}, %t: {TENSOR}"))
    exp, *_, add = own.sets.flow.ops
    ops = own.sets.of([exp, add])
    assert own.sets.convex(ops) == ops
    assert own.is_narrow(ops) is is_narrow
