"""The check of generated code notices faults."""

from collections.abc import Callable

import numpy as np
import pytest
from samples import check_code, sample, values
from xdsl.ir import SSAValue

from dlc.dialects.graph.computed import ComputedOp
from dlc.dialects.graph.elementwise import AddOp, DivOp
from dlc.dialects.graph.layout import TransposeOp
from dlc.dialects.graph.properties import integers
from dlc.dialects.loop.scalar import ScalarBuilder

FAULTS = [
    pytest.param(AddOp, ScalarBuilder.sub, id="another-formula"),
    pytest.param(AddOp, ScalarBuilder.add, id="no-wrap-around"),
    pytest.param(DivOp, ScalarBuilder.div, id="division-by-zero"),
]


@pytest.mark.parametrize(("kind", "formula"), FAULTS)
def test_a_wrong_formula_is_noticed(
    kind: type[ComputedOp],
    formula: Callable[[ScalarBuilder, SSAValue, SSAValue], SSAValue],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    small = np.array([100, 3, 0], np.int8)
    check_code(sample(kind, "right", small, small))
    monkeypatch.setattr(kind, "scalar", lambda self, b, *operands: formula(b, *operands))
    with pytest.raises(AssertionError):
        check_code(sample(kind, "wrong", small, small))


@pytest.mark.parametrize("sizes", [(3, 3), (3, 4)], ids=["other-place", "outside"])
def test_a_wrong_index_is_noticed(sizes: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    read = lambda self, scope, index, result=0: scope.read(self.x, index)
    monkeypatch.setattr(TransposeOp, "element", read)
    with pytest.raises(AssertionError):
        check_code(sample(TransposeOp, "wrong", values(*sizes), permutation=integers([1, 0])))
