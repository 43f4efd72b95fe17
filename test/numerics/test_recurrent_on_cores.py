"""All steps of a loop in one kernel of a CPU, printed as C, against the steps one by one."""

from contextlib import nullcontext
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from compiled_c import CompiledKernels, lower
from recurrent_text import Case
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.arch import cpu_by_name
from dlc.backends._c_stack import check_stack
from dlc.core.parser import parse_module
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.graph.step_loop import StepLoopOp
from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError
from dlc.registry import new_context
from dlc.strategies import rated
from dlc.strategies.recurrent.cell import Part
from dlc.strategies.recurrent.cpu_block import UnitBlock
from dlc.strategies.recurrent.cpu_kernel import Kernel

SIZES = [(1, 1, 1), (2, 5, 37), (3, 7, 48), (1, 3, 16), (5, 1, 131), (3, 7, 1024)]
"""Steps, sequences and units: one, primes, what divides into blocks and what does not; states whose
rows lie further apart than they are long."""
SCHEDULES = ["tile = [3, 16], ahead = true", "tile = [4, 8], ahead = false"]


def _text(steps: int, sequences: int, units: int, schedule: str, direction: str) -> str:
    """Return a loop with a state that products read, one of the cell alone, and a shared bias."""
    state, stacked = f"tensor<{sequences}x{units}xf32>", f"tensor<{steps}x{sequences}x{units}xf32>"
    weight, both, bias = (
        f"tensor<{units}x{2 * units}xf32>",
        f"tensor<{sequences}x{2 * units}xf32>",
        f"tensor<{units}xf32>",
    )
    types = f"{state}, {state}, {stacked}, {weight}, {bias}"
    given = f"{state}, {state}, {stacked}"

    def cut(name: str, first: int) -> str:
        return (
            f"%{name} = graph.slice %p {{starts = array<i64: 0, {first}>, stops = array<i64: "
            f"{sequences}, {first + units}>, steps = array<i64: 1, 1>}} : {both} -> {state}"
        )

    return f"""
func.func @run_g0(%h0: {state}, %c0: {state}, %x0: {stacked}, %w0: {weight}, %b0: {bias})
    -> ({given}) {{
  %r, %q, %y = fused_group.group @g0(%h0, %c0, %x0, %w0, %b0) : ({types}) -> ({given}) attributes
      {{schedule = #loop.schedule<strategy = "recurrent", target = "cpu", lanes = 8, cores = true,
       {schedule}>}} {{
  ^bb0(%hg: {state}, %cg: {state}, %xg: {stacked}, %wg: {weight}, %bg: {bias}):
    %s, %t, %all = graph.step_loop carry(%hg, %cg) slice(%xg) read(%wg, %bg)
        {{steps = {steps} : i64{direction}}} : ({state}, {state}) ({stacked}) ({weight}, {bias})
        -> {given} {{
    ^bb0(%h: {state}, %c: {state}, %x: {state}, %w: {weight}, %b: {bias}):
      %p = graph.matmul %h, %w : ({state}, {weight}) -> {both}
      {cut("a", 0)}
      {cut("d", units)}
      %e = graph.add %a, %x : ({state}, {state}) -> {state}
      %f = graph.sigmoid %e : {state} -> {state}
      %g = graph.mul %f, %c : ({state}, {state}) -> {state}
      %n = graph.add %g, %b : ({state}, {bias}) -> {state}
      %o = graph.add %d, %n : ({state}, {state}) -> {state}
      %k = graph.tanh %o : {state} -> {state}
      graph.yield %k, %n, %o : {state}, {state}, {state}
    }}
    fused_group.yield %s, %t, %all : {given}
  }}
  func.return %r, %q, %y : {given}
}}"""


def _differs(sizes: tuple[int, int, int], schedule: str, direction: str) -> float:
    """Return how far the kernel is from the steps one by one, in float64."""
    steps, sequences, units = sizes
    generator = np.random.default_rng(units)
    shapes = [(sequences, units)] * 2 + [(steps, sequences, units), (units, 2 * units), (units,)]
    operands: list[Array] = [generator.uniform(-1, 1, s).astype(np.float32) for s in shapes]
    operands[3] /= units  # a step then makes no more of an error in the states
    module = parse_module(_text(*sizes, schedule, direction), new_context())
    (loop,) = (op for op in module.walk() if isinstance(op, StepLoopOp))
    wanted = loop.reference(*(x.astype(np.float64) for x in operands))
    found = CompiledKernels(lower(module)).run("g0", operands)
    pairs = zip(found, wanted, strict=True)
    return max(float(np.nan_to_num(abs(x - y), nan=1.0).max()) for x, y in pairs)


def _allowed(sizes: tuple[int, int, int]) -> float:
    """Return what sums of so many products, of at most 1 together, and a few operations may be off,
    in each step and by the errors of both states before it.
    """
    steps, _, units = sizes
    return (units + 8) * float(np.finfo(np.float32).eps) * sum(3.0**n for n in range(steps))


@pytest.mark.parametrize("direction", ["", ", backward"])
@pytest.mark.parametrize(("sizes", "schedule"), [*product(SIZES, SCHEDULES)])
def test_c_computes_the_steps(sizes: tuple[int, int, int], schedule: str, direction: str) -> None:
    assert _differs(sizes, schedule, direction) <= _allowed(sizes)


def _one_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """States are written where others still read them."""
    turn = Kernel.turn
    monkeypatch.setattr(Kernel, "turn", lambda self, state, _: turn(self, state, 0))


def _same_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every other step reads the states of the step before the one before."""
    init = UnitBlock.__init__
    monkeypatch.setattr(
        UnitBlock, "__init__", lambda self, k, p, t, _, *rest: init(self, k, p, t, 0, *rest)
    )


@pytest.mark.parametrize("fault", [_one_turn, _same_step])
def test_the_result_shows(fault: object, monkeypatch: pytest.MonkeyPatch) -> None:
    assert callable(fault)
    fault(monkeypatch)
    sizes = 2, 5, 37
    assert _differs(sizes, SCHEDULES[0], "") > 100 * _allowed(sizes)


IN_ROWS = [
    Case("reset", "tile = [3, 16], ahead = true", 1, 1, 1, "f32"),
    Case("reset", "tile = [3, 16], ahead = true", 2, 5, 37, "f32", initial=True, last=True),
    Case("reset", "tile = [4, 8], ahead = false", 5, 7, 48, "f32", backward=True, lengths=True),
    Case("reset", "tile = [4, 8], ahead = false", 3, 1, 131, "f32", initial=True, last=True),
    Case("reset", "tile = [3, 16], ahead = true", 2, 5, 1024, "f32", initial=True, last=True),
    Case("deep", "tile = [3, 16], ahead = true", 3, 3, 50, "f32", initial=True, last=True),
]
"""Products in a row: phases of a step."""


def _error(case: Case) -> float:
    """Return how far the kernel of a case is from the same in float64."""
    text = replace(case, schedule=f"lanes = 8, cores = true, {case.schedule}", target="cpu").text()
    inputs = case.inputs()
    found = CompiledKernels(lower(parse_module(text, new_context()))).run("g0", [*inputs.values()])
    pairs = zip(found, case.wanted(inputs), strict=True)
    return max(float(np.nan_to_num(abs(x - y), nan=1.0).max()) for x, y in pairs)


def _bound(case: Case) -> float:
    return _allowed((case.steps, case.sequences, case.units)) * 3


@pytest.mark.parametrize("case", IN_ROWS, ids=lambda case: f"{case.cell}-{case.units}")
def test_c_computes_products_in_a_row(case: Case) -> None:
    assert _error(case) <= _bound(case)


def _products_of_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """All products are of states."""
    factor = Kernel.factor
    monkeypatch.setattr(
        Kernel, "factor", lambda self, _, odd: factor(self, self.cell.phases[0].factors[0], odd)
    )


def _nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """What later phases read of sums is what they have themselves."""
    sums_of = UnitBlock.sums_of

    def own_sums(self: UnitBlock, part: Part) -> tuple[SSAValue, AffineExpr]:
        buffer, column = sums_of(self, part)
        return (self.sums, AffineExpr.constant(0)) if part in self.kernel.kept else (buffer, column)

    monkeypatch.setattr(UnitBlock, "sums_of", own_sums)


@pytest.mark.parametrize("fault", [_products_of_states, _nothing_kept])
def test_the_result_of_products_in_a_row_shows(
    fault: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert callable(fault)
    fault(monkeypatch)
    assert _error(IN_ROWS[1]) > 100 * _bound(IN_ROWS[1])


@pytest.mark.parametrize(
    ("sequences", "units", "fits"), [(70, 112, True), (90, 112, False), (90, 96, True)]
)
def test_the_rating_and_the_printer_agree_on_the_stack(
    sequences: int, units: int, fits: bool
) -> None:
    """Units that no block of 48 has make sums of their own."""
    module = parse_module(
        _text(5, sequences, units, "tile = [2, 48], ahead = true", ""), new_context()
    )
    (group,) = (op for op in module.walk() if isinstance(op, GroupOp))
    assert group.schedule
    flow = Dataflow(group.body.block)
    cluster = Cluster(flow, tuple(flow.ops))
    (kernel,) = lower(module)
    limit = nullcontext() if fits else pytest.raises(CompileError, match="of a thread's stack")
    with limit:
        rated(cluster, group.schedule, cpu_by_name("cpu-avx512"))
    with limit:
        check_stack(kernel)
