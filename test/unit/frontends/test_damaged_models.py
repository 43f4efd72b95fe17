"""Damaged models raise CompileError, one line, and nothing else."""

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from dlc.errors import CompileError
from dlc.frontends.onnx.check import check_model
from dlc.frontends.onnx.importer import import_model
from dlc.registry import new_context

MakeModel = Callable[..., onnx.ModelProto]
node = helper.make_node


@pytest.fixture
def serialized(make_model: MakeModel) -> bytes:
    """Make a model with the shape computation of an exporter."""
    nodes = [
        node("Shape", ["x"], ["s"]),
        node("Gather", ["s", "zero"], ["rows"]),
        node("Unsqueeze", ["rows", "axes"], ["rows1"]),
        node("Concat", ["rows1", "rest"], ["sizes"], axis=0),
        node("Reshape", ["x", "sizes"], ["flat"]),
        node("MatMul", ["flat", "w"], ["z"]),
        node("Softmax", ["z"], ["y"], axis=-1),
    ]
    values = {
        "zero": np.array(0),
        "axes": np.array([0]),
        "rest": np.array([-1]),
        "w": np.ones((3, 4), np.float32),
    }
    return make_model(nodes, initializers=values).SerializeToString()


def _damage(data: bytes, generator: random.Random) -> bytes:
    damaged = bytearray(data)
    for _ in range(generator.choice([1, 2, 4])):
        at = generator.randrange(len(damaged))
        match generator.randrange(3):
            case 0:
                damaged[at] = generator.randrange(256)
            case 1:
                del damaged[at : at + generator.randrange(1, 5)]
            case _:
                damaged[at:at] = generator.randbytes(generator.randrange(1, 4))
    return bytes(damaged)


def test_damaged_bytes(tmp_path: Path, serialized: bytes):
    generator = random.Random(0)
    path = tmp_path / "model.onnx"
    errors: list[CompileError] = []
    for _ in range(300):
        path.write_bytes(_damage(serialized, generator))
        try:
            import_model(path, None, new_context())
        except CompileError as error:
            errors.append(error)
        assert all("\n" not in str(problem) for problem in check_model(path).problems)
    assert len(errors) > 100
    assert all("\n" not in str(error) for error in errors)
