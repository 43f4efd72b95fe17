"""The chips that cuDNN computes for, how many algorithms are tried, and what more work takes."""

from typing import Any

import pytest
from dnn_calls import seconds
from dnn_clusters import (
    BF16,
    BIAS,
    F32,
    LAYOUT,
    RELU,
    RELU_OF,
    TANH,
    applied,
    attended,
    convolved,
    pooled,
    scalar,
)
from dnn_normalizations import normalized

from dlc.analysis.dataflow import Cluster
from dlc.arch.nvidia import H200, V100
from dlc.errors import CompileError
from dlc.libraries.cudnn import LIBRARY
from dlc.plan import Plan, Planner
from dlc.tuning.tuned import Tuned


def test_a_chip_that_does_not_multiply_the_type() -> None:
    assert LIBRARY.obstacle(convolved(), V100) is None
    reason = "v100 has nothing that multiplies bf16"
    assert LIBRARY.obstacle(convolved(**BF16), V100) == reason
    rounding = convolved(layout=f"{LAYOUT} precision tf32", **F32)
    assert LIBRARY.obstacle(rounding, V100) == "v100 has nothing that multiplies tf32"
    assert LIBRARY.obstacle(convolved(**F32), V100) is None
    assert LIBRARY.obstacle(applied(RELU_OF, x="8x8xbf16"), V100) is None


def test_a_plan_has_the_call_beside_generated_kernels() -> None:
    asked = convolved(BIAS, RELU)
    plain, plan = Planner(H200).plan(asked), Planner(H200, libraries=["cudnn"]).plan(asked)
    assert isinstance(plain, Plan)
    assert isinstance(plan, Plan)
    calls = [each for each in plan.candidates if each.schedule.library]
    assert len(calls) == 1
    assert [each for each in plan.candidates if each not in calls] == list(plain.candidates)
    assert calls[0].text == plain.best.text[:-1] + ', library = "cudnn">'


SEVERAL = {
    "a convolution": (convolved(BIAS, RELU), 8),
    "attention": (attended(), 8),
    "a normalisation": (normalized(), 2),
    "a pooling": (pooled("max_pool"), 2),
    "a function": (applied(RELU_OF), 2),
}


@pytest.mark.parametrize(("asked", "count"), SEVERAL.values(), ids=SEVERAL)
def test_as_many_algorithms_are_tried_as_there_may_be(asked: Cluster, count: int) -> None:
    plan = Planner(H200, Tuned(), ["cudnn"]).plan(asked)
    assert isinstance(plan, Plan)
    calls = [each.schedule for each in plan.candidates if each.schedule.library]
    assert [each.algorithm for each in calls] == list(range(count))
    LIBRARY.require(asked, H200, count - 1)
    reason = f"key algorithm should be from 0 to {count - 1} for this group .* cudnn, is {count}"
    with pytest.raises(CompileError, match=reason):
        LIBRARY.require(asked, H200, count)


def test_more_work_takes_longer() -> None:
    """More taps, more that follows, dearer functions, more keys, more rows."""
    plain: dict[str, Any] = {"x": "1x56x56x256xf16", "w": "256x1x1x256xf16", "z": "1x56x56x256xf16"}
    windowed: dict[str, Any] = {
        "x": "1x58x58x256xf16",
        "w": "256x3x3x256xf16",
        "z": "1x56x56x256xf16",
    }
    assert seconds(convolved(**plain)) < seconds(convolved(**windowed)) / 2
    costs = [seconds(convolved(each, **plain)) for each in (RELU, scalar("mul", "0.5"), TANH)]
    assert seconds(convolved(**plain)) == costs[0] < costs[1] < costs[2]
    rows, more = (normalized(x=f"{n}x768xf16", s="768xf16", axes="1") for n in (8192, 32768))
    assert seconds(rows) < seconds(more) / 2
    longer = dict.fromkeys("qkv", f"2x3x{4096}x64xf16")
    assert seconds(attended()) < seconds(attended(**longer)) / 4
