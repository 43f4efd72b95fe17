"""Groups are built alone, timed on this machine's processor, and compared with each other."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from dlc import arch, registry
from dlc.analysis.entry import find_main, groups
from dlc.core.parser import parse_module
from dlc.core.weights import WeightStore
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.graph.structure import Array
from dlc.errors import ArtifactError, CompileError
from dlc.oracle import run_block
from dlc.plan import Plan, Planner
from dlc.runtime.timing import Times
from dlc.strategies import Schedule
from dlc.tuning.budget import Budget
from dlc.tuning.calling import RefusedCallError, UncallableError
from dlc.tuning.cpu_builder import CpuBuilder
from dlc.tuning.cpu_device import CpuDevice
from dlc.tuning.device import BrokenBuildError
from dlc.tuning.kind import cluster_of
from dlc.tuning.measurer import DeviceMeasurer
from dlc.tuning.program import Program, computed_inputs
from dlc.tuning.trial import Discarded, Found, Timed
from dlc.verification.group_inputs import GroupInputs

PIPELINE = "lower-to-loop,fused-group-plan-memory"
TEXT = """
func.func @main(%x: tensor<37x64xf32>, %i: tensor<5xi64>) -> tensor<5x33xf32> {
  %w = graph.weight @w : tensor<64x33xf32>
  %y = fused_group.group @g0(%x, %w) : (tensor<37x64xf32>, tensor<64x33xf32>) -> tensor<37x33xf32> {
  ^bb0(%a: tensor<37x64xf32>, %b: tensor<64x33xf32>):
    %c = graph.matmul %a, %b : (tensor<37x64xf32>, tensor<64x33xf32>) -> tensor<37x33xf32>
    %d = graph.relu %c : tensor<37x33xf32> -> tensor<37x33xf32>
    fused_group.yield %d : tensor<37x33xf32>
  }
  %z = fused_group.group @g1(%y, %i) : (tensor<37x33xf32>, tensor<5xi64>) -> tensor<5x33xf32> {
  ^bb0(%a: tensor<37x33xf32>, %b: tensor<5xi64>):
    %c = graph.gather %a, %b {axis = 0 : i64}
      : (tensor<37x33xf32>, tensor<5xi64>) -> tensor<5x33xf32>
    fused_group.yield %c : tensor<5x33xf32>
  }
  func.return %z : tensor<5x33xf32>
}
"""


class FailingBuilder(CpuBuilder):
    """Refuses the schedules at some places."""

    def __init__(self, pool: ThreadPoolExecutor, refused: dict[int, CompileError]):
        super().__init__("cpu", PIPELINE, pool)
        self.refused = refused
        self.number = -1

    def submit(
        self, group: GroupOp, schedule: Schedule, weights: Mapping[str, Array]
    ) -> "Future[tuple[Program, bytes]]":
        """Refuse."""
        self.number += 1
        found = super().submit(group, schedule, weights)
        if self.number in self.refused:
            found = Future[tuple[Program, bytes]]()
            found.set_exception(self.refused[self.number])
        return found


class FailingDevice(CpuDevice):
    """Spoils some runs, by their number."""

    def __init__(self, kept: ExitStack, faults: dict[int, str]):
        super().__init__("cpu", "v", kept)
        self.faults = faults
        self.number = -1

    def run(
        self, program: Program, code: bytes, inputs: Sequence[Array], constants: Mapping[int, Array]
    ) -> tuple[Times, list[Array]]:
        """Fail, or change what comes out."""
        self.number += 1
        times, outputs = super().run(program, code, inputs, constants)
        if self.faults.get(self.number) == "fails":
            raise ArtifactError("an illegal address")
        if self.faults.get(self.number) == "refuses":
            raise RefusedCallError("no such algorithm")
        if self.faults.get(self.number) == "missing":
            raise UncallableError("no library")
        if self.faults.get(self.number) == "wrong":
            outputs[0][-1] += 1
        return times, outputs


@pytest.fixture
def module() -> ModuleOp:
    return parse_module(TEXT, registry.new_context())


@pytest.fixture
def weights() -> WeightStore:
    store = WeightStore()
    store.define("w", np.random.default_rng(0).normal(size=(64, 33)).astype(np.float32))
    return store


def candidates(module: ModuleOp, number: int) -> list[Schedule]:
    plan = Planner(arch.by_name("cpu")).plan(cluster_of(groups(find_main(module))[number]))
    assert isinstance(plan, Plan)
    return [candidate.schedule for candidate in plan.candidates]


def measured(
    module: ModuleOp,
    weights: WeightStore,
    number: int,
    refused: dict[int, CompileError] | None = None,
    faults: dict[int, str] | None = None,
    budget: Budget | None = None,
) -> Iterator[Found]:
    """Yield what is found for each schedule of a group."""
    with ExitStack() as kept:
        device = FailingDevice(kept, faults or {})
        pool = kept.enter_context(ThreadPoolExecutor(1))
        values = GroupInputs(module, weights)
        builder = FailingBuilder(pool, refused or {})
        measurer = DeviceMeasurer(device, builder, weights, values, "fp32")
        group = groups(find_main(module))[number]
        yield from measurer.start(group, candidates(module, number), budget or Budget())


@pytest.mark.parametrize("number", [0, 1])
def test_every_schedule_is_timed(module: ModuleOp, weights: WeightStore, number: int) -> None:
    found = list(measured(module, weights, number))
    assert len(found) == len(candidates(module, number)) > 1
    for each in found:
        assert isinstance(each, Timed)
        assert each.median_s > 0
        assert each.count >= 5


def test_a_group_alone_computes_what_it_means(module: ModuleOp, weights: WeightStore) -> None:
    group = groups(find_main(module))[0]
    x = np.random.default_rng(1).normal(size=(37, 64)).astype(np.float32)
    w = weights.array("w")
    (wanted,) = run_block(group.body.block, [x, w], weights)
    assert list(computed_inputs(group)) == [group.inputs[0]]
    with ExitStack() as kept:
        device = CpuDevice("cpu", "v", kept)
        builder = CpuBuilder("cpu", PIPELINE, kept.enter_context(ThreadPoolExecutor(1)))
        for schedule in candidates(module, 0):
            program, code = builder.submit(group, schedule, {"w": w}).result()
            _, (got,) = device.run(program, code, [x], program.arrays({}))
            np.testing.assert_allclose(got.reshape(37, 33), wanted, rtol=1e-5, atol=1e-5)


def test_what_fails_is_discarded_with_its_reason(module: ModuleOp, weights: WeightStore) -> None:
    refused = {1: CompileError("no machine code"), 2: BrokenBuildError("killed")}
    faults = {1: "wrong", 2: "fails"}
    found = list(measured(module, weights, 0, refused, faults))
    assert found[1:3] == [Discarded("no machine code"), Discarded("killed", is_wrong=True)]
    assert isinstance(found[3], Discarded)
    assert found[3].is_wrong
    assert found[3].reason.startswith("off by ")
    assert found[4] == Discarded("it does not run: an illegal address", is_wrong=True)
    assert all(isinstance(each, Timed) for each in (found[0], *found[5:]))


def test_a_call_that_is_refused_is_remembered_and_a_missing_library_is_not(
    module: ModuleOp, weights: WeightStore
) -> None:
    found = list(measured(module, weights, 0, faults={1: "refuses", 2: "missing"}))
    assert found[1:3] == [
        Discarded("no such algorithm"),
        Discarded("no library", is_passing=True),
    ]


def test_nothing_is_built_without_time(module: ModuleOp, weights: WeightStore) -> None:
    assert list(measured(module, weights, 0, budget=Budget(0))) == []


def test_the_place_tells_processors_and_versions_apart() -> None:
    with ExitStack() as kept:
        place = CpuDevice("cpu", "v", kept).place
    assert place.chip.startswith("cpu ")
    assert place.chip.endswith(" threads")
    assert (place.driver, place.version) == ("", "v")
    assert place.compiler
