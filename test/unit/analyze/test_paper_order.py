"""Our bounds on a V100, from the models alone, against those that Benanza's paper measured there.

Ours are of another program: no cuDNN, whose Winograd convolutions multiply less, and no call of a
library for each layer. So orders are compared, by Spearman's rank correlation, not times.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hollow_weights import save_hollow
from paper_models import MODELS, PaperModel

from dlc import registry
from dlc.analyze.critical_path import longest_path_s
from dlc.analyze.layer import read_layers
from dlc.analyze.levels import as_written, by_layer
from dlc.analyze.measuring import Measuring
from dlc.analyze.rating import rate
from dlc.compiler.options import Options
from dlc.compiler.targets import parse_chip
from dlc.core.weights import WeightStore
from dlc.errors import printable
from dlc.frontends.onnx.import_record import ImportRecord
from dlc.frontends.onnx.importer import import_model

BOUNDED = [each for each in MODELS if each.bounds]
FREE = {
    "LRN",
    "Reshape",
    "Concat",
    "Unsqueeze",
    "Flatten",
    "GlobalAveragePool",
    "Identity",
    "Transpose",
}
"""What costs nothing in the paper's bounds."""
CALL_S = 88.8e-6 / 10
"""What a call takes that computes next to nothing: the paper's bound of LeNet over its layers."""


def correlation(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Return Spearman's: Pearson's of the ranks (no two numbers are equal here)."""
    ranks = np.array([np.argsort(np.argsort(each)) for each in (ours, theirs)])
    return float(np.corrcoef(ranks).ravel()[1])


def times(model: PaperModel, batch: int, folder: Path) -> tuple[float, float, float]:
    """Return the seconds of all layers one after the other, along the critical path, and along the
    one where each layer that is not free is a call.
    """
    save_hollow(model.build(random=False), folder / "model.onnx")
    context, record = registry.new_context(WeightStore()), ImportRecord()
    module = import_model(folder / "model.onnx", {"N": [batch]}, context, record=record)
    layers = read_layers(as_written(module, "fp32", context)).each
    needs = {each.name: each.needs for each in layers}
    target = parse_chip("sm_70")
    apart = by_layer(module, target, "fp32", context)
    rated = rate(apart, layers, Measuring(target, Options()), context).layers
    seconds = {name: ways.ours for name, ways in rated.ways.items()}
    free = {printable(each.place) for each in record.nodes if each.node.op_type in FREE}
    called = {name: 0.0 if name in free else seconds.get(name, 0.0) + CALL_S for name in needs}
    return sum(seconds.values()), longest_path_s(needs, seconds), longest_path_s(needs, called)


@pytest.mark.parametrize("batch", [1, 32])
def test_models_come_in_the_order_of_the_paper(batch: int, tmp_path: Path) -> None:
    ours = {each.name: times(each, batch, tmp_path) for each in BOUNDED}
    found: dict[str, float] = {}
    for place, kind in enumerate(("sequential", "parallel", "called")):
        column = f"{'sequential' if kind == 'sequential' else 'parallel'}_{batch}"
        theirs = {each.name: t for each in BOUNDED if (t := getattr(each.bounds, column))}
        found[kind] = correlation([ours[name][place] for name in theirs], [*theirs.values()])
    assert found["sequential"] >= 0.95
    assert found["called"] >= 0.95
    if batch == 32:  # with 1, what counts in the paper is the number of calls, which cost us less
        assert found["parallel"] >= 0.95


def test_the_correlation_can_fail() -> None:
    assert correlation([1, 2, 3, 4], [10, 20, 30, 40]) == pytest.approx(1)
    assert correlation([1, 2, 3, 4], [10, 20, 40, 30]) == pytest.approx(0.8)
    assert correlation([1, 2, 3, 4], [4, 3, 2, 1]) == pytest.approx(-1)
