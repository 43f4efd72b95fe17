"""Kernels of a CPU on threads whose stacks are smaller than most: musl, workers of a JVM."""

import subprocess
import sys
from pathlib import Path

import onnx.parser
import pytest

from dlc.tools.dlc_compile import main

MANY_KEYS = """<ir_version: 9, opset_import: ["": 20]>
many_keys (float[1,{rows},8] q, float[1,8,{keys}] k, float[1,{keys},8] v) => (float[1,{rows},8] y)
{{
  scores = MatMul (q, k)
  weights = Softmax <axis = -1> (scores)
  y = MatMul (weights, v)
}}
"""

RUN = """
import sys, threading
import numpy as np
from dlc.runtime.model import load

def compute():
    (found,) = model(q, k, v)
    scores = q.astype(np.float64) @ k
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    wanted = weights / weights.sum(-1, keepdims=True) @ v
    errors.append(np.abs(found - wanted).max())

model, errors, random = load(sys.argv[1]), [], np.random.default_rng(0)
q, k, v = (random.standard_normal(i.shape).astype(np.float32) for i in model.inputs)
threading.stack_size(256 << 10)
thread = threading.Thread(target=compute)
thread.start()
thread.join()
assert errors[0] < 1e-4, errors  # of sums of 9,300 terms whose weights add up to 1
"""


@pytest.mark.parametrize(("rows", "keys"), [(112, 9300), (7, 20011)])
def test_scores_of_many_keys_fit_a_small_stack(tmp_path: Path, rows: int, keys: int) -> None:
    model, artifact = tmp_path / "model.onnx", tmp_path / "model.so"
    onnx.save(onnx.parser.parse_model(MANY_KEYS.format(rows=rows, keys=keys)), model)
    assert main([str(model), "--target", "cpu", "-o", str(artifact), "--no-verify"]) == 0
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(artifact)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
