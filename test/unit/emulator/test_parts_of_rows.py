"""A kernel that writes a part of each row of a buffer writes all of that, and nothing else."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from launched import Case, LaunchError, launch

X = np.arange(64, dtype=np.float32).reshape(4, 16)
WHOLE = np.empty((4, 40), np.float32)
AT = "const int i = threadIdx.x, at = i / 16 * 40 + 8 + i % 16;\n"
GOOD = Case(AT + "y[at] = x[i] + 1;", threads=64, part=(160, 32, 64))


def test_the_part(tmp_path: Path) -> None:
    y = launch(GOOD, X, WHOLE, tmp_path)
    np.testing.assert_array_equal(y[:, 8:24], X + 1)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            AT + "if (i != 17) y[at] = x[i];",
            "does not write 1 of the 160 elements of operand 1, .* 49",
        ),
        (AT + "y[at] = x[i]; if (i == 63) y[at + 1] = 0;", "writes beside its part of operand 1"),
        (AT + "y[at] = x[i]; if (i == 0) y[at - 1] = 0;", "writes beside its part of operand 1"),
        (AT + "y[at] = x[i]; if (i == 0) y[-1] = 0;", "writes beside operand 1"),
    ],
)
def test_fault(body: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(LaunchError, match=message):
        launch(replace(GOOD, body=body), X, WHOLE, tmp_path)
