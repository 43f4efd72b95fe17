"""Faults put into kernels of steps are found: by the simulator, or by what comes out."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from lowered import lowered
from recurrent_text import Case
from test_recurrent import FMA, MATRIX, largest_error
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from dlc import registry
from dlc.core.parser import parse_module
from dlc.dialects import gpu
from dlc.dialects.loop import StoreOp
from dlc.ir.space import Space, space_of
from dlc.simulator import SimulationError, run_module

LSTM = Case("lstm", MATRIX.format(3, 4), 3, 3, 20, initial=True, last=True)
GRU = Case("gru", FMA.format(2, 4), 4, 4, 40, "f32", initial=True, last=True)
RESET = Case("reset", MATRIX.format(3, 2), 3, 3, 20, initial=True, last=True)
CASES = [LSTM, GRU]
GPU = "lower-to-loop,lower-to-gpu{arch=sm_90a}"
Change = Callable[[ModuleOp], ModuleOp]


def ops(module: ModuleOp, kind: type[Operation]) -> list[Operation]:
    """Return the ops of a kind in program order."""
    return [op for op in module.walk() if isinstance(op, kind)]


def left_out(kind: type[Operation], number: int) -> Change:
    """Return what takes an op away."""

    def change(module: ModuleOp) -> ModuleOp:
        Rewriter.erase_op(ops(module, kind)[number])
        return module

    return change


def written(pattern: str, other: str) -> Change:
    """Return what writes the first match of a pattern otherwise."""

    def change(module: ModuleOp) -> ModuleOp:
        text, count = re.subn(pattern, other, str(module), count=1)
        assert count == 1
        return parse_module(text, registry.new_context())

    return change


def state_not_kept(module: ModuleOp) -> ModuleOp:
    """Leave the last store of a step to registers out: of the state that stays with its thread."""
    (publish,) = ops(module, gpu.PublishOp)
    before = [op for op in ops(module, StoreOp) if op.operands[1] is not publish.operands[0]]
    kept = [op for op in before if space_of(op.operands[1]) is Space.REGISTER]
    Rewriter.erase_op(kept[-1])
    return module


UNORDERED: dict[str, Change] = {
    "states are read before they stand": left_out(gpu.BarrierOp, 1),
    "sums are read before they stand": left_out(gpu.BarrierOp, 2),
    "nothing is awaited": left_out(gpu.AwaitOp, 0),
    "nothing is published": left_out(gpu.PublishOp, 0),
    "states of the step itself are awaited": written(r"(gpu\.await %\w+\[%\w+) - 1,", r"\1,"),
    "states are awaited a step later": written(r"(gpu\.await %\w+\[%\w+) - 1,", r"\1 - 2,"),
    "all steps publish to one line": written(r"(gpu\.publish .*? to %\w+)\[%\w+,", r"\1[0,"),
    "blocks publish to one place": written(r"(gpu\.publish .*? to .*?) \+ %unit\]", r"\1]"),
    "a plain store": written(r"gpu\.publish", "gpu.copy"),
    "a plain load": written(
        r"gpu\.await(.*?)\{elements = (\d+) : i64[^}]*\}", r"gpu.copy\1{elements = \2 : i64}"
    ),
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.cell)
@pytest.mark.parametrize("fault", UNORDERED)
def test_the_simulator_finds(fault: str, case: Case) -> None:
    module = UNORDERED[fault](lowered(case.text(), GPU))
    with pytest.raises(SimulationError):
        run_module(module, list(case.inputs().values()))


BETWEEN_PHASES: dict[str, Change] = {
    "what a phase gives is not awaited": left_out(gpu.AwaitOp, 1),
    "what a phase gives is not published": left_out(gpu.PublishOp, 0),
    "states are not published": left_out(gpu.PublishOp, 1),
    "what the next step gives is awaited": written(r"(gpu\.await %\w+\[%\w+)(, )", r"\1 + 1\2"),
    "what the step before gave is awaited": written(r"(gpu\.await %\w+\[%\w+)(, )", r"\1 - 1\2"),
    **{f"barrier {n} is left out": left_out(gpu.BarrierOp, n) for n in range(1, 5)},
}


@pytest.mark.parametrize("fault", BETWEEN_PHASES)
def test_the_simulator_finds_between_phases(fault: str) -> None:
    module = BETWEEN_PHASES[fault](lowered(RESET.text(), GPU))
    with pytest.raises(SimulationError):
        run_module(module, list(RESET.inputs().values()))


VALUES: dict[str, Change] = {
    "a state is not kept": state_not_kept,
    "sequences change places": written(
        r"(gpu\.copy %\w+\[0\] to %\w+\[)(%own[^,]*)(, .*?loop\.space<shared>>)", r"\1 2 - (\2)\3"
    ),
}


@pytest.mark.parametrize("fault", VALUES)
def test_the_result_shows(fault: str) -> None:
    module, inputs = VALUES[fault](lowered(LSTM.text(), GPU)), LSTM.inputs()
    found = run_module(module, list(inputs.values()))
    bound = largest_error(LSTM)
    pairs = zip(found, LSTM.wanted(inputs), strict=True)
    assert not all((np.abs(y - wanted) <= bound).all() for y, wanted in pairs)


@pytest.mark.parametrize("case", [*CASES, RESET], ids=lambda case: case.cell)
def test_right_without_a_fault(case: Case) -> None:
    module, inputs = lowered(case.text(), GPU), case.inputs()
    found = run_module(module, list(inputs.values()))
    for y, wanted in zip(found, case.wanted(inputs), strict=True):
        np.testing.assert_allclose(y, wanted, rtol=0, atol=largest_error(case))
