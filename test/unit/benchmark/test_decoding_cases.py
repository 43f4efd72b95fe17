"""The cases of ``test/benchmarks/decoding.py``."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from decoding import CASES, Case
from onnx.reference import ReferenceEvaluator


def test_names_tell_cases_apart() -> None:
    assert len({str(case) for case in CASES}) == len(CASES)
    assert str(Case(1, 8, 4, 4096, 128)) == "1x8x4-4096-128"


def test_bytes_are_those_of_keys_and_values() -> None:
    assert Case(2, 3, 4, 5, 8).bytes == 2 * (2 * 3 * 5 * 8) * np.dtype(np.float16).itemsize


@pytest.mark.parametrize("group", [1, 3])
def test_the_model_is_what_is_timed(group: int, tmp_path: Path) -> None:
    """Neighbouring heads share keys."""
    case = Case(2, 2, group, 7, 8)
    case(tmp_path / "model.onnx")
    rng = np.random.default_rng(0)
    few, all = (2, 2, 7, 8), (2, 2 * group, 1, 8)
    q, k, v = (rng.standard_normal(size).astype(np.float16) for size in (all, few, few))
    (found, *_) = ReferenceEvaluator(onnx.load(tmp_path / "model.onnx")).run(
        None, {"q": q, "k": k, "v": v}
    )
    keys, values = (np.repeat(x.astype(np.float64), group, axis=1) for x in (k, v))
    weights = np.exp(q.astype(np.float64) @ keys.swapaxes(2, 3) / np.sqrt(8))
    wanted = weights / weights.sum(-1, keepdims=True) @ values
    np.testing.assert_allclose(np.asarray(found), wanted, atol=4e-3)
