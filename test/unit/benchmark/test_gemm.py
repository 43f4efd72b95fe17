"""The products of ``test/benchmarks/gemm.py``: on the CPU, for what a GPU times."""

import json
from pathlib import Path

import numpy as np
import pytest
from gemm import Product, build

from dlc import load

PRECISIONS = ("fp16", "bf16", "fp32", "int8")


@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_product_is_that_of_its_factors(precision: str, tmp_path: Path) -> None:
    product = Product.of("3x5x7", precision)
    build(tmp_path, [product], "cpu")
    assert json.loads((tmp_path / "products.json").read_text()) == [product.__dict__]
    lhs = product.factor(3, 7, 1)
    (result,) = load(tmp_path / f"{product.name}.so")(lhs)
    exact = lhs.astype(np.float64) @ product.weight().astype(np.float64)
    off = np.linalg.norm(result.astype(np.float64) - exact) / np.linalg.norm(exact)
    assert off <= product.error_bound()


def test_what_cannot_be_compiled_is_named_and_not_timed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build(tmp_path, [Product.of("3x5x7", "tf32")], "cpu")
    assert json.loads((tmp_path / "products.json").read_text()) == []
    assert "3x5x7-tf32: tf32 is a format of NVIDIA GPUs" in capsys.readouterr().out
