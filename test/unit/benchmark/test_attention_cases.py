"""The cases of ``test/benchmarks/attention.py``."""

from argparse import Namespace
from pathlib import Path

import numpy as np
import onnx
import pytest
from attention import Case, cases, chosen
from onnx.reference import ReferenceEvaluator


def test_names_tell_cases_apart() -> None:
    names = [case.name for case in cases()]
    assert len(set(names)) == len(names)
    assert [case.name for case in chosen(Namespace(cases="64x12_s197*causal"))] == [
        "64x12_s197_d64_causal",
        "64x12_s197_d128_causal",
    ]


def test_a_pattern_that_no_case_fits_is_an_error() -> None:
    with pytest.raises(SystemExit, match=r"no case fits 's1024'; 64x12_s128_d64 is one"):
        chosen(Namespace(cases="s1024"))


@pytest.mark.parametrize("causal", [False, True])
def test_the_model_is_what_is_timed(causal: bool, tmp_path: Path) -> None:
    case = Case(2, 3, 5, 8, causal)
    case(tmp_path / "model.onnx")
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal(case.shape).astype(np.float16) for _ in "qkv")
    (found, *_) = ReferenceEvaluator(onnx.load(tmp_path / "model.onnx")).run(
        None, {"q": q, "k": k, "v": v}
    )
    scores = q.astype(np.float64) @ k.astype(np.float64).swapaxes(2, 3) / np.sqrt(8)
    if causal:
        scores = np.where(np.tri(5, dtype=bool), scores, -np.inf)
    weights = np.exp(scores)
    wanted = weights / weights.sum(-1, keepdims=True) @ v
    np.testing.assert_allclose(np.asarray(found), wanted, atol=4e-3)


def test_operations_are_those_of_pairs_that_are_not_hidden() -> None:
    assert Case(1, 2, 4, 8, causal=False).flops == 4 * 2 * 16 * 8
    assert Case(1, 2, 4, 8, causal=True).flops == 4 * 2 * 10 * 8
