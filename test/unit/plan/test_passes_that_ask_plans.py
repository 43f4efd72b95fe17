"""Passes over a model that ask what kernels take look at what was measured, too."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from dlc import registry
from dlc.core.instrumentation import PassManager
from dlc.core.parser import parse_module

FOLDER = Path(__file__).parents[2] / "passes"
MODELS = {
    "graph-choose-layout": "own-order-where-it-takes-less.mlir",
    "graph-merge-products": "attention.mlir",
    "graph-pad-channels": "image.mlir",
    "graph-pad-keys": "keys.mlir",
}


@dataclass
class _Measured:
    """All schedules of some kernels take no time. asked: the kernels that somebody asked for."""

    fast: frozenset[str] = frozenset()
    asked: set[str] = field(default_factory=set[str])

    def measured_s(self, key: str, schedule: str) -> float | None:
        self.asked.add(key)
        return 1e-12 if key in self.fast else None

    def is_refused(self, key: str, schedule: str) -> bool:
        return False


def changed(name: str, text: str, measured: _Measured) -> bool:
    """Return whether a pass changes a model, where so much is measured."""
    context = registry.new_context()
    context.measurements = measured
    module = parse_module(text, context)
    before = str(module)
    PassManager(registry.build_passes(f"{name}{{arch=sm_90a}}")).run(context, module)
    return str(module) != before


@pytest.mark.parametrize("name", MODELS)
def test_what_was_measured_decides(name: str) -> None:
    text = (FOLDER / name / MODELS[name]).read_text()
    text = text[: text.index("}\n", text.index("func.return")) + 2]  # the first function
    changed(name, text, anything := _Measured())
    one = [frozenset([key]) for key in anything.asked]
    others = [anything.asked - each for each in one]
    found = {changed(name, text, _Measured(frozenset(fast))) for fast in (*one, *others)}
    assert found == {True, False}
