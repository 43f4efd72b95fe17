"""What a kernel does before it has waited for the launches before its own."""

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from dlc import registry
from dlc.core.parser import parse_module
from dlc.simulator import SimulationError, simulate

KERNEL = """
gpu.kernel @k(%x: memref<64xf32>, %w: memref<64xf32>, %y: memref<64xf32>) attributes {
    grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64,
    shared_bytes = 264 : i64, constant_inputs = array<i64: CONSTANT>} {
  %t = gpu.thread_id x : index
  %half = arith.constant 32 : index
  %low = arith.cmpi slt, %t, %half : index
  %zero = arith.constant 0.0 : f32
  BODY
  gpu.end
}
"""
WAIT = "gpu.griddepcontrol_wait"
LAUNCH = "gpu.griddepcontrol_launch_dependents"
READ = "%a = loop.load %x[%t] : memref<64xf32> -> f32"
READ_CONSTANT = "%b = loop.load %w[%t] : memref<64xf32> -> f32"
WRITE = "%s = arith.addf %a, %b : f32\nloop.store %s, %y[%t] : f32 -> memref<64xf32>"
CLEAR = "loop.store %zero, %y[%t] : f32 -> memref<64xf32>"


def kernel(*lines: str, constant: str = "1") -> ModuleOp:
    text = KERNEL.replace("BODY", "\n".join(lines)).replace("CONSTANT", constant)
    return parse_module(text, registry.new_context(), "kernel")


def result(module: ModuleOp) -> np.ndarray:
    x = np.arange(64, dtype=np.float32)
    y = np.zeros_like(x)
    simulate(module, "k", [x, 2 * x, y])
    return y


@pytest.mark.parametrize(
    "lines",
    [
        (WAIT, LAUNCH, READ, READ_CONSTANT, WRITE),
        (READ_CONSTANT, WAIT, READ, WRITE, LAUNCH),
        ("scf.if %low {", WAIT, "} else {", WAIT, "}", READ, READ_CONSTANT, WRITE),
    ],
)
def test_sound_kernels(lines: tuple[str, ...]) -> None:
    assert np.array_equal(result(kernel(*lines)), 3 * np.arange(64))


FAULTS = {
    "touches %x and has not waited": [
        (READ, WAIT, READ_CONSTANT, WRITE),
        (READ, READ_CONSTANT, WRITE),
        ("scf.if %low {", WAIT, "}", READ, READ_CONSTANT, WRITE),
    ],
    "touches %y and has not waited": [(CLEAR, WAIT, READ, READ_CONSTANT, WRITE)],
    "has not waited for the launches before its own": [(READ_CONSTANT,)],
}


@pytest.mark.parametrize(
    ("message", "lines"), [(message, lines) for message, all in FAULTS.items() for lines in all]
)
def test_fault(message: str, lines: tuple[str, ...]) -> None:
    with pytest.raises(SimulationError, match=message):
        result(kernel(*lines))


def test_input_that_launches_write() -> None:
    module = kernel(READ_CONSTANT, WAIT, READ, WRITE, constant="0")
    with pytest.raises(SimulationError, match="touches %w and has not waited"):
        result(module)


@pytest.mark.parametrize("waits", [True, False])
def test_boxes_are_fetched_behind_the_wait(waits: bool) -> None:
    x, o = "memref<64xf32, #loop.space<shared>>", "memref<1xi64, #loop.space<shared>>"
    module = kernel(
        WAIT if waits else "",
        f"%tile = gpu.shared_alloc {{offset = 0 : i64}} : {x}",
        f"%o = gpu.shared_alloc {{offset = 256 : i64}} : {o}",
        "%first = arith.constant 0 : index",
        "%one = arith.cmpi eq, %t, %first : index",
        f"scf.if %one {{ gpu.mbarrier_init %o[0] {{arrivals = 1 : i64}} : {o} }}",
        "gpu.barrier",
        "scf.if %one {",
        f"gpu.mbarrier_arrive %o[0] {{bytes = 256 : i64}} : {o}",
        "gpu.tensor_copy %x[0] to %tile[0] at %o[0] {map = #gpu.tensor_map<sizes = [64], "
        f"strides = [], box = [64]>}} : memref<64xf32>, {x}, {o}",
        "}",
        f"gpu.mbarrier_wait %o[0] parity %first : {o}",
        "" if waits else WAIT,
        f"%a = loop.load %tile[%t] : {x} -> f32",
        READ_CONSTANT,
        WRITE,
    )
    if waits:
        assert np.array_equal(result(module), 3 * np.arange(64))
    else:
        with pytest.raises(SimulationError, match="touches %x and has not waited"):
            result(module)
