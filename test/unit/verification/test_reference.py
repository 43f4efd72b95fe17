"""The reference of a model: computed once for equal inputs, on one core."""

from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from dlc import registry
from dlc.core.blas_threads import one_blas_thread
from dlc.core.parser import parse_module
from dlc.core.weights import WeightStore
from dlc.verification import reference
from dlc.verification.reference import Reference

NEGATED = """
func.func @main(%x: tensor<2xf32> {graph.name = "x"}) -> (tensor<2xf32> {graph.name = "y"}) {
  %y = graph.neg %x : tensor<2xf32> -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
"""


def test_equal_inputs_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[Any] = []
    run = reference.run_reference

    def counted(*arguments: Any) -> Any:
        runs.append(arguments)
        return run(*arguments)

    monkeypatch.setattr(reference, "run_reference", counted)
    weights = WeightStore()
    found = Reference(parse_module(NEGATED, registry.new_context(weights)), weights)
    first = np.array([0.0, 1.0], np.float32)
    assert found.outputs({"x": first})["y"].tolist() == [0.0, -1.0]
    assert found.outputs({"x": first.copy()})["y"].tolist() == [0.0, -1.0]
    assert len(runs) == 1
    assert found.outputs({"x": -first})["y"].tolist() == [0.0, 1.0]
    assert np.signbit(found.outputs({"x": first})["y"]).tolist() == [True, True]
    assert len(runs) == 2


def test_products_run_on_one_core_for_a_while() -> None:
    def threads() -> list[int]:
        return [library["num_threads"] for library in threadpool_info()]

    before = threads()
    with one_blas_thread():
        assert [x["num_threads"] for x in threadpool_info() if x["user_api"] == "blas"] == [1]
    assert threads() == before
