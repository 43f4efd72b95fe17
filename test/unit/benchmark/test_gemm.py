"""The products of ``test/benchmarks/gemm.py``: on the CPU, for what a GPU times."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from gemm import Product, build, main

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


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--shapes", "3x5", "'3x5' is no product; give MxNxK with sizes of 1 or more"),
        ("--shapes", "3x5x0", "'3x5x0' is no product"),
        ("--precisions", "fp8", "there is no precision 'fp8'; there are: fp16, bf16, tf32"),
    ],
)
def test_a_wrong_option_is_told_in_a_line(
    option: str,
    value: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["gemm.py", "build", str(tmp_path / "g"), option, value])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "g").exists()
