"""Operators that the ONNX reference implementation gets wrong are not held to it."""

from pathlib import Path

import pytest
from small_models import small_models

from dlc.compiler import Options, compile_to


@pytest.mark.parametrize("name", ["separable", "recurrent"])
def test_a_right_model_is_accepted(name: str, tmp_path: Path) -> None:
    """LRN of more channels than batch entries; a recurrent layer with a clip."""
    (model,) = (m for m in small_models() if m.name == name)
    outcome = compile_to(tmp_path / "model.so", model.proto, Options("cpu"))
    assert outcome.checked.startswith("verified")
