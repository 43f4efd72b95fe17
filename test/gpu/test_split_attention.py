"""Attention whose keys are split over blocks, in the simulator and on the GPU, beside float64."""

import numpy as np
import pytest
from attention_text import Case
from lowered import lowered
from simulated import Runner
from test_attention import SMALL, largest_error

from dlc.backends.cuda.cubins import compile_kernels

LINE = "rows = 16, step = 16, warps = 1, stages = 2, split = 3"
DEEP = "rows = 16, step = 32, warps = 1, stages = 3, split = 8"
ONE_STEP = "rows = 16, step = 16, warps = 1, stages = 1, split = 2"
TALL = "rows = 32, step = 16, warps = 2, stages = 2, split = 5"
TEAMS = "rows = 16, step = 64, warps = 1, stages = 2, split = 3, teams = 4"
TALL_TEAMS = "rows = 32, step = 48, warps = 2, stages = 3, split = 2, teams = 3"
IN_CLUSTER = "rows = 16, step = 16, warps = 1, stages = 2, split = 4, exchange = true"
WIDE_CLUSTER = "rows = 16, step = 16, warps = 1, stages = 2, split = 8, exchange = true"
TEAMS_IN_CLUSTER = (
    "rows = 16, step = 64, warps = 1, stages = 3, split = 8, teams = 4, exchange = true"
)
TALL_IN_CLUSTER = (
    "rows = 32, step = 48, warps = 2, stages = 3, split = 2, teams = 3, exchange = true"
)
CASES = [
    Case(TEAMS, 1, 1, 2, 16, 8),
    Case(TEAMS, 3, 1, 197, 64, 64),
    Case(TEAMS, 1, 4, 1021, 64, 64, mask="added"),
    Case(TEAMS, 2, 7, 64, 24, 40, mask="scaled"),  # one step
    Case(TALL_TEAMS, 2, 37, 131, 64, 24, mask="seen", zero=True),
    Case(TALL_TEAMS, 1, 67, 67, 32, 32, mask="causal"),
    Case(LINE, 1, 1, 2, 16, 8),  # parts without keys
    Case(LINE, 3, 1, 197, 64, 64),
    Case(DEEP, 2, 1, 1023, 128, 128, mask="scaled"),
    Case(DEEP, 1, 4, 1021, 64, 64, mask="added"),
    Case(DEEP, 1, 16, 256, 32, 40),
    Case(ONE_STEP, 2, 7, 31, 24, 40, mask="added"),
    Case(ONE_STEP, 2, 5, 32, 16, 16, mask="seen"),
    Case(TALL, 2, 37, 131, 64, 24, mask="seen", zero=True),  # a tile with few rows
    Case(TALL, 1, 67, 67, 32, 32, mask="causal"),
    Case(LINE, 2, 37, 37, 16, 16, packed=True),
]

_WARPGROUP = 'rows = 64, step = 64, warps = 4, instruction = "wgmma.m64k16", stages = 2, split = 2'
_WIDE = 'rows = 64, step = 128, warps = 4, instruction = "wgmma.m64k16", split = 2, exchange = true'
ON_HOPPER = [
    Case(_WIDE, 1, 130, 389, 128, 128),  # values in two tiles beside each other
    Case(_WIDE, 1, 65, 129, 64, 128, mask="causal"),
    Case(_WARPGROUP, 2, 67, 197, 64, 64, mask="added"),
    Case(f"{_WARPGROUP}, exchange = true", 2, 67, 197, 64, 64, mask="added"),
    Case(IN_CLUSTER, 1, 1, 2, 16, 8),  # parts without keys, more blocks than runs
    Case(IN_CLUSTER, 3, 1, 197, 64, 64),
    Case(IN_CLUSTER, 2, 7, 64, 24, 40, mask="scaled"),  # one step
    Case(TEAMS_IN_CLUSTER, 1, 4, 1021, 64, 64, mask="added"),
    Case(TEAMS_IN_CLUSTER, 2, 3, 512, 16, 27, mask="seen", zero=True),  # runs of one element
    Case(WIDE_CLUSTER, 2, 7, 150, 24, 40, mask="scaled"),  # 84 runs, the last block has fewer
    Case(WIDE_CLUSTER, 1, 1, 150, 24, 40),  # 12 runs, the last blocks have none
    Case(TALL_IN_CLUSTER, 2, 37, 131, 64, 24, mask="seen", zero=True),
    Case(TALL_IN_CLUSTER, 1, 67, 67, 32, 32, mask="causal"),
]
SHARED = """
func.func @main(%a: {q}, %b: {k}, %c: {k}) -> {q} {{
  %y = fused_group.group @g(%a, %b, %c) : ({q}, {k}, {k}) -> {q} attributes {{
      schedule = #loop.schedule<strategy = "attention", target = "gpu", {schedule}>}} {{
  ^bb0(%q: {q}, %k: {k}, %v: {k}):
    %s = graph.matmul %q, %k transpose_rhs shared {g} : ({q}, {k}) -> {s}
    %m = graph.reduce_max %s axes [2] keep_dims : {s} -> {r}
    %d = graph.sub %s, %m : ({s}, {r}) -> {s}
    %e = graph.exp %d : {s} -> {s}
    %t = graph.reduce_sum %e axes [2] keep_dims : {s} -> {r}
    %w = graph.div %e, %t : ({s}, {r}) -> {s}
    %o = graph.matmul %w, %v shared {g} : ({s}, {k}) -> {q}
    fused_group.yield %o : {q}
  }}
  func.return %y : {q}
}}
"""
"""Heads of groups that share keys and values."""


@pytest.mark.parametrize(
    "case",
    [*CASES, *ON_HOPPER],
    ids=lambda case: f"{case.rows}x{case.keys}x{case.depth}{case.mask}",
)
def test_as_in_float64(runner: Runner, case: Case) -> None:
    if case in ON_HOPPER and runner.target != "sm_90a":
        pytest.skip(f"{runner.target} has no products of warpgroups, and no clusters")
    module = lowered(case.text(), f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}")
    inputs = case.inputs()
    (y,) = runner.run(module, *inputs.values())
    wanted = case.wanted(inputs)
    assert np.isnan(wanted).any() == (case.mask == "seen" and not case.zero)
    np.testing.assert_allclose(y, wanted, rtol=0, atol=largest_error(case))


@pytest.mark.parametrize(("heads", "group", "queries"), [(2, 4, 1), (3, 5, 3), (1, 17, 1)])
@pytest.mark.parametrize("schedule", [LINE, SMALL, TEAMS, IN_CLUSTER])
def test_heads_that_share_keys(
    runner: Runner, heads: int, group: int, queries: int, schedule: str
) -> None:
    if schedule == IN_CLUSTER and runner.target != "sm_90a":
        pytest.skip(f"{runner.target} has no clusters")
    all = heads * group
    sizes = {
        "q": (all, queries, 32),
        "k": (heads, 181, 32),
        "s": (all, queries, 181),
        "r": (all, queries, 1),
    }
    types = {x: f"tensor<{'x'.join(map(str, each))}xf16>" for x, each in sizes.items()}
    text = SHARED.format(**types, g=group, schedule=schedule)
    module = lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}")
    case = Case(schedule, heads, group * queries, 181, 32, 32)  # the same, group by group
    inputs = case.inputs()
    q = inputs["q"].reshape(heads * group, queries, 32)
    (y,) = runner.run(module, q, inputs["k"], inputs["v"])
    wanted = case.wanted(inputs).reshape(y.shape)
    np.testing.assert_allclose(y, wanted, rtol=0, atol=largest_error(case))


@pytest.mark.parametrize("target", ["sm_80", "sm_86", "sm_89", "sm_90a"])
@pytest.mark.parametrize("depth", [64, 128])
@pytest.mark.parametrize("schedule", [DEEP, TEAMS, TEAMS_IN_CLUSTER])
def test_compiles_without_spills(target: str, depth: int, schedule: str) -> None:
    if schedule == TEAMS_IN_CLUSTER and target != "sm_90a":
        pytest.skip(f"{target} has no clusters")
    case = Case(schedule, 1, 4, 1021, depth, depth, mask="added")
    module = lowered(case.text(), f"lower-to-loop,lower-to-gpu{{arch={target}}}")
    (compiled,) = compile_kernels(module, target)
    assert compiled.resources.spill_bytes == 0
