"""Without a bug the small models give what ONNX Runtime gives, on inputs of their own.

These are the inputs on which a seeded bug must have an effect, so that each is caught here at
least: ties, NaN, large numbers, integers of both signs, operators that the ONNX reference
implementation has no right version of.
"""

import pytest
from graph_maker import SmallModel
from small_models import small_models
from trial import effect_case, verification_case

MODELS = [model for model in small_models() if model.precision != "tf32"]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_a_right_artifact(model: SmallModel) -> None:
    assert effect_case(model, "cpu", lambda stage: None).text == ""


@pytest.mark.parametrize("model", [model for model in MODELS if model.name == "views"])
def test_a_right_artifact_for_a_gpu_is_accepted(model: SmallModel) -> None:
    """Its results are copies of each other, and the emulator runs it twice."""
    assert verification_case(model, "sm_90a", lambda stage: None).kind == "ok"
