"""A step of a decoder of twelve layers whose outputs are past and new keys and values."""

from pathlib import Path

import numpy as np
import pytest
from decoder_models import HEADS, SIZE, decoder, inputs_of

import dlc
from dlc.compiler import Options, compile_to
from dlc.tools import dlc_run
from dlc.verification.onnx_reference import run_onnx_reference

LAYERS, PAST = 12, 127


def test_outputs_are_right_on_a_cpu(tmp_path: Path) -> None:
    model = decoder(LAYERS, PAST)
    feeds = inputs_of(model)
    compile_to(tmp_path / "a.so", model, Options("cpu", verify=False))
    found = dlc.load(tmp_path / "a.so").run(feeds)
    names = [output.name for output in model.graph.output]
    for name, wanted in zip(names, run_onnx_reference(model, feeds), strict=True):
        # Sums of at most 128 terms in single precision, added in quadrature, six of them a layer.
        bound = (6 * LAYERS * 128) ** 0.5 * 2.0**-24 * np.abs(wanted).max()
        np.testing.assert_allclose(found[name], wanted, rtol=0, atol=bound, err_msg=name)
        if name != "result":
            assert np.array_equal(found[name][:, :, :PAST], feeds[f"past_{name}"])


def test_copies_of_the_past_are_launches_that_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = decoder(LAYERS, PAST)
    outcome = compile_to(tmp_path / "a.so", model, Options("sm_90a", verify=False))
    kernels = outcome.report["variants"][0]["kernels"]
    copies = [kernel for kernel in kernels if kernel["operations"] == ["graph.concat"]]
    assert sum(kernel["launches"] for kernel in copies) == 2 * LAYERS
    for kernel in copies:
        assert kernel["work"]["bytes"] == 2 * HEADS * (PAST + 1) * SIZE * 4  # read and written
        assert kernel["bound"]["estimate_us"] > 0
    dlc_run.main([str(tmp_path / "a.so"), "--explain"])
    said = capsys.readouterr().out
    assert f"x{2 * LAYERS}: graph.concat" in said
    assert f"work: bytes = {copies[0]['work']['bytes']}, flops = 0" in said
