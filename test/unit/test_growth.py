"""The work of a compile grows with the model, not with its square: calls of Python functions are
counted for a model and for one of twice the size.
"""

import sys
from collections.abc import Callable
from io import StringIO
from types import FrameType

import numpy as np
import onnx
import pytest
from growing_models import chain, concatenation, fan_out, hub, residual

from dlc import registry
from dlc.analysis.arena import Buffer, place
from dlc.backends.host import HostTarget
from dlc.frontends.onnx.importer import import_model
from dlc.plan import forget
from dlc.registry import new_context
from dlc.runtime.library import TensorInfo
from dlc.verification.inputs import verification_inputs

Trace = Callable[[FrameType, str, object], "Trace | None"]
DOUBLING = 2.3
"""What twice the model may cost: twice, and a logarithm."""
CPU = "fuse{arch=cpu-avx2},tile{arch=cpu-avx2},lower-to-loop,fused-group-plan-memory"


def calls_of(function: Callable[[], object]) -> int:
    """Return how many Python functions ``function`` calls."""
    count = 0

    def profile(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(profile)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count


def steps_of(function: Callable[[], object], *files: str) -> int:
    """Return how many lines of some files run, those of comprehensions once for each turn."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Trace | None:
        nonlocal count
        count += event == "line"
        return trace if frame.f_code.co_filename.endswith(files) else None

    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(None)
    return count


def calls_of_compile(model: onnx.ModelProto) -> int:
    def compile() -> None:
        forget()  # else the second model has plans from the first
        context = new_context()
        module = import_model(model, None, context)
        for step in registry.build_passes(f"optimize-graph,{CPU}"):
            step.apply(context, module)
        HostTarget().emit(context, module, StringIO())

    return calls_of(compile)


@pytest.mark.parametrize("shape", [concatenation, chain, residual, fan_out])
def test_twice_the_model_is_twice_the_work(shape: Callable[[int], onnx.ModelProto]) -> None:
    calls_of_compile(shape(120))  # fills the tables that do not depend on the model
    small, large = (calls_of_compile(shape(count)) for count in (120, 240))
    assert large / small <= DOUBLING


@pytest.mark.parametrize("shape", [fan_out, hub])
def test_the_choice_of_groups_is_no_search_through_all_of_them(
    shape: Callable[[int], onnx.ModelProto],
) -> None:
    def fuse(count: int) -> int:
        context = new_context()
        module = import_model(shape(count), None, context)
        (step,) = registry.build_passes("fuse{arch=cpu-avx2}")
        return steps_of(lambda: step.apply(context, module), "_partition.py", "fuse.py")

    small, large = map(fuse, (400, 800))
    assert large / small <= DOUBLING


def test_many_buffers_are_placed_one_by_one() -> None:
    small, large = (
        calls_of(lambda n=n: place([Buffer(1000, step, step + 5) for step in range(n)]))
        for n in (200, 400)
    )
    assert large / small <= DOUBLING


def test_the_inputs_of_a_verification_are_not_a_walk_for_each_op() -> None:
    def draw(count: int) -> int:
        context = new_context()
        module = import_model(chain(count), None, context)
        tensors = [TensorInfo("x", np.dtype(np.float32), (8, 16))]
        return calls_of(lambda: list(verification_inputs(tensors, module, context.weights)))

    small, large = map(draw, (400, 800))
    assert large / small <= DOUBLING
