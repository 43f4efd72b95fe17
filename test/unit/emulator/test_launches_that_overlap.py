"""A launch that begins before the one before it has ended is run up to where it waits for that."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from launched import Case, LaunchError, launch

X = np.arange(64, dtype=np.float32)
OWN = "const int i = (int)blockIdx.x * 64 + (int)threadIdx.x;\n"
WAIT = 'asm volatile("griddepcontrol.wait;" ::: "memory");\n'
LAUNCH = 'asm volatile("griddepcontrol.launch_dependents;" ::: "memory");\n'
STEP = "y[i] = x[i] + 1;"
GOOD = Case(OWN + WAIT + LAUNCH + STEP, threads=64, launches=3, early=True)
TURN = """
  float* const s = (float*)(shared_memory + 0);
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  const int turned = 63 - (int)s[threadIdx.x];
"""


@pytest.mark.parametrize(
    "body",
    [
        GOOD.body,
        OWN + TURN + WAIT + STEP,
        OWN
        + TURN
        + f"if (i < 32) {{ {WAIT} y[i] = x[i] + 1; }} else {{ {WAIT} y[i] = x[i] + 1; }}",
        OWN + WAIT + TURN + STEP + LAUNCH,
    ],
)
def test_sound_kernels(body: str, tmp_path: Path) -> None:
    case = replace(GOOD, body=body, shared=256)
    assert np.array_equal(launch(case, X, np.empty_like(X), tmp_path), X + 3)


def test_launches_in_no_order_that_share_memory(tmp_path: Path) -> None:
    message = "k and k may run at the same time; operand 1 of the first overlaps operand 0 of the"
    with pytest.raises(LaunchError, match=message):
        launch(replace(GOOD, early=False, edges=False), X, np.empty_like(X), tmp_path)


FAULTS = {
    "must not touch before it has waited for the launches before its own": [
        OWN + "const float v = x[i];\n" + WAIT + "y[i] = v + 1;",
        OWN + "y[i] = 0;\n" + WAIT + STEP,
        OWN + TURN + "if (i == turned + 1) y[i] = 0;\n" + WAIT + STEP,
        OWN + STEP,
    ],
    "ends and has not waited for the launches before its own": [
        OWN + f"if (i < 32) {{ {WAIT} y[i] = x[i] + 1; y[i + 32] = x[i + 32] + 1; }}",
    ],
    "counts before it has waited for the launches before it": [
        OWN + "static __device__ int c[1];\natomicAdd(&c[0], 1);\n" + WAIT + STEP,
    ],
}


@pytest.mark.parametrize(
    ("message", "body"), [(message, body) for message, all in FAULTS.items() for body in all]
)
def test_fault(message: str, body: str, tmp_path: Path) -> None:
    with pytest.raises(LaunchError, match=message):
        launch(replace(GOOD, body=body, shared=256), X, np.empty_like(X), tmp_path)
