"""Groups are built in processes of their own, whose end is no end of the compile."""

import os
import signal
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from called_on_gpu import product

from dlc import arch, registry
from dlc.analysis.entry import find_main, groups
from dlc.core.parser import parse_module
from dlc.dialects.fused_group import GroupOp
from dlc.errors import CompileError
from dlc.plan import Plan, Planner
from dlc.strategies import Schedule, read
from dlc.tuning.device import BrokenBuildError
from dlc.tuning.gpu_builder import GpuBuilder
from dlc.tuning.kind import cluster_of
from dlc.tuning.program import WeightName
from dlc.tuning.worker import Job, build

PIPELINE = "lower-to-loop,lower-to-gpu{arch=sm_90a},fused-group-plan-memory"
KIND = "tensor<8x8xf32>"
TEXT = f"""
func.func @main(%x: {KIND}) -> {KIND} {{
  %w = graph.weight @w : {KIND}
  %y = fused_group.group @g0(%x, %w) : ({KIND}, {KIND}) -> {KIND} {{
  ^bb0(%a: {KIND}, %b: {KIND}):
    %c = graph.add %a, %b : ({KIND}, {KIND}) -> {KIND}
    fused_group.yield %c : {KIND}
  }}
  func.return %y : {KIND}
}}
"""


@pytest.fixture
def group() -> GroupOp:
    (found,) = groups(find_main(parse_module(TEXT, registry.new_context())))
    return found


def schedules(group: GroupOp) -> list[Schedule]:
    plan = Planner(arch.by_name("sm_90a")).plan(cluster_of(group))
    assert isinstance(plan, Plan)
    return [candidate.schedule for candidate in plan.candidates]


def children() -> set[int]:
    """Return the processes that the threads of this one have started."""
    texts = [path.read_text() for path in Path("/proc/self/task").glob("*/children")]
    return set(map(int, " ".join(texts).split()))


def test_a_worker_gives_programs_and_machine_code(group: GroupOp) -> None:
    before = children()
    with ExitStack() as kept:
        builder = GpuBuilder("sm_90a", PIPELINE, 2, kept)
        futures = [builder.submit(group, each, {}) for each in schedules(group)[:3]]
        for schedule, future in zip(schedules(group), futures, strict=False):
            program, (kernel,) = future.result(60)
            assert program.constants == {0: WeightName("w", (8, 8))}
            assert kernel.name == "g0"
            assert kernel.code.startswith(b"\x7fELF")
            assert kernel.sizes[3] == dict(schedule.attribute().data)["threads"]
        assert children() > before
    assert children() == before


def test_algorithms_of_a_call_are_built_once() -> None:
    text = product("32x64xf16", "64x48xf16", "32x48xf16")
    (called,) = groups(find_main(parse_module(text, registry.new_context())))
    assert called.schedule is not None
    first = read(called.schedule)
    with ExitStack() as kept:
        builder = GpuBuilder("sm_90a", PIPELINE, 1, kept)
        each = [replace(first, algorithm=n) for n in (0, 2, 1)]
        futures = [builder.submit(called, schedule, {}) for schedule in each]
        kernels = [kernel for x in futures for kernel in x.result(60)[1]]
        (own,) = builder.submit(called, replace(first, library=""), {}).result(60)[1]
    assert [kernel.algorithm for kernel in kernels] == [0, 2, 1]
    assert kernels[0].call
    assert {id(kernel.call) for kernel in kernels} == {id(kernels[0].call)}
    assert (bool(own.code), own.call) == (True, b"")


def test_a_weight_in_another_form_is_refused(group: GroupOp) -> None:
    with ExitStack() as kept:
        builder = GpuBuilder("sm_90a", PIPELINE, 1, kept)
        program, _ = builder.submit(group, schedules(group)[0], {}).result(60)
    assert list(program.arrays({"w": np.ones((8, 8))})) == [0]
    with pytest.raises(CompileError, match=r"weight @w in the form \(8, 8\) is not known"):
        program.arrays({"w": np.ones((4, 16))})


def test_what_cannot_be_built_says_why(group: GroupOp) -> None:
    with ExitStack() as kept:
        builder = GpuBuilder("sm_90a", "tile{arch=sm_70}", 1, kept)
        with pytest.raises(CompileError) as raised:
            builder.submit(group, schedules(group)[0], {}).result(60)
    assert not isinstance(raised.value, BrokenBuildError)


def test_an_internal_error_is_one_of_dlc(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise KeyError("x")

    monkeypatch.setattr("dlc.tuning.worker.lower_alone", fail)
    found = build(Job(TEXT, PIPELINE, "sm_90a"))
    assert isinstance(found, BrokenBuildError)
    assert str(found) == "internal error: KeyError: 'x'"


def test_a_worker_that_is_killed_is_replaced(group: GroupOp) -> None:
    before = children()
    with ExitStack() as kept:
        builder = GpuBuilder("sm_90a", PIPELINE, 1, kept)
        first, second = schedules(group)[:2]
        future = builder.submit(group, first, {})
        while not children() - before:
            time.sleep(0.01)  # until the worker has started
        (worker,) = children() - before
        os.kill(worker, signal.SIGKILL)
        with pytest.raises(BrokenBuildError, match="the process that builds it has ended"):
            future.result(60)
        _, (kernel,) = builder.submit(group, second, {}).result(60)
        assert kernel.name == "g0"
