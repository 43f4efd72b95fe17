"""What verification finds in loops of many steps, the rounding errors of which it allows for."""

import numpy as np
import pytest

from dlc import registry
from dlc.core.parser import parse_module
from dlc.dialects.graph.structure import Array
from dlc.oracle import run_reference
from dlc.verification.error_bound import error_bound
from dlc.verification.judge import Judge
from dlc.verification.miscompile import MiscompileError
from dlc.verification.reference import Reference
from dlc.verification.storage import Storage

STEPS, UNITS = 100, 32
STATE, ROWS = f"tensor<2x{UNITS}xf32>", f"tensor<{STEPS}x2x{UNITS}xf32>"
WEIGHT = f"tensor<{UNITS}x{UNITS}xf32>"
BODIES = {
    "forgets": f"""
        %0 = graph.matmul %s, %m : ({STATE}, {WEIGHT}) -> {STATE}
        %1 = graph.add %0, %part : ({STATE}, {STATE}) -> {STATE}
        %2 = graph.tanh %1 : {STATE} -> {STATE}
        graph.yield %2, %2 : {STATE}, {STATE}""",
    "adds up": f"""
        %0 = graph.matmul %part, %m : ({STATE}, {WEIGHT}) -> {STATE}
        %1 = graph.add %s, %0 : ({STATE}, {STATE}) -> {STATE}
        graph.yield %1, %1 : {STATE}, {STATE}""",
}
FEEDS = {
    name: (scale * np.random.default_rng(n).standard_normal(sizes)).astype(np.float32)
    for n, (name, sizes, scale) in enumerate(
        [
            ("input0", (2, UNITS), 1.0),
            ("input1", (STEPS, 2, UNITS), 1.0),
            ("input2", (UNITS, UNITS), 0.5 / UNITS**0.5),
        ]
    )
}


def judge(body: str, precision: str) -> Judge:
    context = registry.new_context()
    text = f"""
        func.func @main(%h: {STATE}, %x: {ROWS}, %w: {WEIGHT}) -> ({STATE}, {ROWS}) {{
          %last, %all = graph.step_loop carry(%h) slice(%x) read(%w) {{steps = {STEPS} : i64}}
            : ({STATE}) ({ROWS}) ({WEIGHT}) -> {STATE}, {ROWS} {{
          ^bb0(%s: {STATE}, %part: {STATE}, %m: {WEIGHT}):
            {BODIES[body]}
          }}
          func.return %last, %all : {STATE}, {ROWS}
        }}"""
    return Judge(Reference(parse_module(text, context), context.weights), precision)


def stored(found: Judge, feeds: dict[str, Array]) -> dict[str, Array]:
    """Return what a right artifact gives."""
    noise = Storage(found.precision, True)
    return run_reference(found.module, feeds, found.weights, np.float32, noise=noise)


@pytest.mark.parametrize("precision", ["fp32", "fp16"])
@pytest.mark.parametrize("body", BODIES)
def test_right_results_of_many_steps_pass(body: str, precision: str) -> None:
    found = judge(body, precision)
    assert found.check(FEEDS, stored(found, FEEDS), "random") <= found.bound


def test_a_state_of_the_last_step_that_is_off_is_found() -> None:
    found = judge("forgets", "fp16")
    got = stored(found, FEEDS)
    last = next(iter(got))
    got[last] = got[last].copy()
    got[last][1, 3] += 0.06 * np.abs(got[last]).max()
    with pytest.raises(MiscompileError, match="off by"):
        found.check(FEEDS, got, "random")


@pytest.mark.parametrize("body", BODIES)
def test_a_weight_that_is_off_is_found(body: str) -> None:
    found = judge(body, "fp16")
    other = FEEDS["input2"].copy()
    other[5, 7] += 0.15
    with pytest.raises(MiscompileError, match="off by"):
        found.check(FEEDS, stored(found, FEEDS | {"input2": other}), "random")


def test_steps_do_not_widen_the_bound() -> None:
    found = judge("forgets", "fp16")
    (loop,) = (op for op in found.module.walk() if op.name == "graph.step_loop")
    ops = len(loop.regions[0].block.ops) - 1  # without the yield
    assert error_bound(found.module, "fp16") < 16 * 2**-11 * (ops**0.5 + 1)
