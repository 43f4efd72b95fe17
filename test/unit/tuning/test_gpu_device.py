"""How programs are run on a GPU: on which memory, how often, and what is counted."""

import ctypes
from contextlib import ExitStack

import numpy as np
import pytest
from host_memory_driver import L2_BYTES, HostMemoryDriver
from xdsl.dialects.builtin import ModuleOp

from dlc import arch, registry
from dlc.analysis.entry import find_main, groups
from dlc.core.parser import parse_module
from dlc.dialects.graph.structure import Array
from dlc.plan import Plan, Planner
from dlc.runtime.gpu_driver import Driver
from dlc.runtime.timing import Times
from dlc.tuning.gpu_code import GpuKernel, gpu_code
from dlc.tuning.gpu_device import GpuDevice
from dlc.tuning.kind import cluster_of
from dlc.tuning.program import Program, alone, lower_alone

PIPELINE = "lower-to-loop,lower-to-gpu{arch=sm_90a},fused-group-plan-memory"


def program(sizes: str, place: int = 0) -> tuple[Program, list[GpuKernel]]:
    """Return ``relu(x + w)`` with the schedule at a place of its plan."""
    kind = f"tensor<{sizes}xf32>"
    text = f"""func.func @main(%x: {kind}) -> {kind} {{
      %w = graph.weight @w : {kind}
      %y = fused_group.group @g0(%x, %w) : ({kind}, {kind}) -> {kind} {{
      ^bb0(%a: {kind}, %b: {kind}):
        %c = graph.add %a, %b : ({kind}, {kind}) -> {kind}
        %d = graph.relu %c : {kind} -> {kind}
        fused_group.yield %d : {kind}
      }}
      func.return %y : {kind} }}"""
    module: ModuleOp = parse_module(text, registry.new_context())
    (group,) = groups(find_main(module))
    plan = Planner(arch.by_name("sm_90a")).plan(cluster_of(group))
    assert isinstance(plan, Plan)
    kernels = alone(group, plan.candidates[place].schedule)
    return lower_alone(kernels, PIPELINE, None), gpu_code(kernels, "sm_90a")


def run(gpu: GpuDevice, sizes: str, place: int = 0) -> tuple[Times, list[Array]]:
    """Run it on twos."""
    trial, code = program(sizes, place)
    return gpu.run(trial, code, [TWOS[sizes]], trial.arrays({"w": WEIGHTS[sizes]}))


WEIGHTS = {
    "16x16": np.ones((16, 16), np.float32),
    "1024x1024": np.ones((1024, 1024), np.float32),
}


TWOS = {sizes: 2 * ones for sizes, ones in WEIGHTS.items()}


def device(library: HostMemoryDriver, kept: ExitStack) -> GpuDevice:
    library.operands = 3
    return GpuDevice("sm_90a", "v", kept, driver=Driver(library))


@pytest.mark.parametrize(("sizes", "copies"), [("16x16", 256), ("1024x1024", 1)])
def test_buffers_change_until_they_are_larger_than_the_l2(sizes: str, copies: int) -> None:
    library, x = HostMemoryDriver(), TWOS[sizes]
    with ExitStack() as kept:
        times, (output,) = run(device(library, kept), sizes)
        assert len({places for _, places in library.launches}) == copies
        assert copies == 256 or copies * 3 * x.nbytes >= 2 * L2_BYTES
        assert times.median == pytest.approx(1e-6)  # of one launch
        assert np.isnan(output).all()  # nobody wrote it
        Floats = ctypes.c_float * x.size  # noqa: N806  (a type)
        (a, b, _) = library.launches[-1][1]
        read = [np.ctypeslib.as_array(Floats.from_address(place)) for place in (a, b)]
        np.testing.assert_array_equal(read, [x.reshape(-1), WEIGHTS[sizes].reshape(-1)])
    assert library.memory == {}


def test_inputs_stay_on_the_device_for_the_next_schedule() -> None:
    library = HostMemoryDriver()
    with ExitStack() as kept:
        gpu = device(library, kept)
        inputs: list[int] = []
        for place in range(2):
            run(gpu, "16x16", place)
            inputs.append(library.launches[-1][1][0])
        assert inputs[0] == inputs[1]
        assert len(library.memory) == 1


def test_the_place_tells_devices_and_drivers_apart() -> None:
    with ExitStack() as kept:
        place = device(HostMemoryDriver(), kept).place
    assert place.chip == "sm_90a Test GPU"
    assert place.driver == "CUDA 13.1"
    assert place.compiler.startswith("NVRTC ")
