"""Products of quantised tensors: the same integers as interpreted, as split from their zero points,
by the tensor cores (simulated), on the CPU, and by ONNX Runtime.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import ModuleOp

import dlc
from dlc.compiler.levels import lower
from dlc.compiler.targets import parse_targets
from dlc.core.context import DlcContext
from dlc.frontends.onnx.importer import import_model
from dlc.oracle import run_reference
from dlc.registry import build_passes, new_context
from dlc.simulator import run_module

Array = NDArray[Any]
U8, S8 = np.uint8, np.int8


@dataclass(frozen=True)
class Case:
    """A node on tensors of the whole range of their types. zero_points: of both factors. dynamic:
    whether the rhs is an input too.
    """

    operator: str
    left: tuple[type, tuple[int, ...]]
    right: tuple[type, tuple[int, ...]]
    zero_points: tuple[Any, Any] = (0, 0)
    dynamic: bool = False
    attributes: tuple[tuple[str, Any], ...] = ()


PADDED = (("pads", [1, 1, 1, 1]), ("strides", [2, 2]))
IMAGE, FILTERS = (2, 16, 9, 9), (24, 16, 3, 3)
LARGE = (40, 16, 3, 3)
"""So large that the importer leaves it to the compiler to subtract the zero point."""
CASES = {
    "no zero points": Case("MatMulInteger", (U8, (64, 64)), (S8, (64, 90))),
    "small": Case("MatMulInteger", (U8, (64, 64)), (S8, (64, 24)), (1, 2)),
    "of the lhs": Case("MatMulInteger", (U8, (37, 103)), (S8, (103, 40)), (131, 0)),
    "of columns": Case("MatMulInteger", (U8, (2, 3, 1400)), (S8, (1400, 3)), (7, [-3, 0, 100])),
    "two inputs": Case("MatMulInteger", (U8, (3, 17, 70)), (U8, (3, 70, 33)), (7, 200), True),
    "signed": Case("MatMulInteger", (S8, (17, 129)), (S8, (129, 40)), (-100, 3)),
    "to 8 bits": Case("QLinearMatMul", (U8, (33, 100)), (S8, (100, 50)), (120, -5)),
    "signed to 8 bits": Case("QLinearMatMul", (S8, (33, 100)), (S8, (100, 50)), (12, 0)),
    "small to 8 bits": Case("QLinearMatMul", (U8, (9, 64)), (U8, (64, 8)), (12, 200)),
    "convolution": Case("ConvInteger", (U8, IMAGE), (U8, LARGE), (13, 0)),
    "padding": Case("ConvInteger", (U8, IMAGE), (S8, FILTERS), (13, 0), False, PADDED),
    "padding, both": Case("ConvInteger", (U8, IMAGE), (U8, LARGE), (13, 99), False, PADDED),
    "filters come in": Case("ConvInteger", (U8, IMAGE), (S8, FILTERS), (13, 0), True, PADDED),
    "groups": Case(
        "ConvInteger", (U8, (2, 32, 7, 7)), (S8, LARGE), (13, 0), False, (*PADDED, ("group", 2))
    ),
    "conv to 8 bits": Case("QLinearConv", (U8, IMAGE), (S8, LARGE), (114, 0), False, PADDED),
    "1x1 to 8 bits": Case("QLinearConv", (U8, IMAGE), (U8, (24, 16, 1, 1)), (114, 128)),
}


def model_of(case: Case) -> tuple[ModelProto, dict[str, Array]]:
    """Return a model of one node and inputs of it."""
    rng = np.random.default_rng(len(case.operator))
    tensors: dict[str, Array] = {}
    for name, (dtype, sizes) in (("a", case.left), ("b", case.right)):
        limits = np.iinfo(dtype)
        tensors[name] = rng.integers(limits.min, limits.max + 1, sizes).astype(dtype)
    points = [
        np.array(z, d) for z, (d, _) in zip(case.zero_points, (case.left, case.right), strict=True)
    ]
    tensors |= {"p": points[0], "q": points[1]}
    quantized = case.operator.startswith("Q")
    names = ["a", "b", "p", "q"]
    output = TensorProto.INT32
    if quantized:
        # Powers of two: what is a half between two results does not depend on the precision.
        scales = {"r": 2.0**-7, "s": 2.0**-6, "t": 2.0**-3}
        tensors |= {n: np.array(v, np.float32) for n, v in scales.items()}
        tensors |= {"z": np.array(3, case.left[0])}
        names = ["a", "r", "p", "b", "s", "q", "t", "z"]
        output = helper.np_dtype_to_tensor_dtype(np.dtype(case.left[0]))
    inputs = ["a", *(["b"] if case.dynamic else [])]
    graph = helper.make_graph(
        [helper.make_node(case.operator, names, ["y"], **dict(case.attributes))],
        "one",
        [
            helper.make_tensor_value_info(
                n, helper.np_dtype_to_tensor_dtype(tensors[n].dtype), tensors[n].shape
            )
            for n in inputs
        ],
        [helper.make_tensor_value_info("y", output, None)],
        [numpy_helper.from_array(tensors[n], n) for n in names if n not in inputs],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return model, {n: tensors[n] for n in inputs}


def imported(name: str) -> tuple[ModelProto, dict[str, Array], DlcContext, ModuleOp]:
    model, feeds = model_of(CASES[name])
    context = new_context()
    return model, feeds, context, import_model(model, None, context)


def exact_session(model: ModelProto, signed: bool) -> Any:
    """Return a session of ONNX Runtime whose sums do not saturate.

    Without VNNI it adds two products of unsigned and signed bytes in 16 bits. An option makes both
    factors unsigned; it has no QLinearMatMul of two signed ones then, whose sums are exact anyway.
    """
    options = onnxruntime.SessionOptions()
    if not signed:
        options.add_session_config_entry("session.x64quantprecision", "1")
    providers = ["CPUExecutionProvider"]
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=providers)


@pytest.mark.parametrize("name", CASES)
def test_the_reference_is_that_of_onnxruntime(name: str) -> None:
    model, feeds, context, module = imported(name)
    (wanted,) = exact_session(model, CASES[name].left[0] is S8).run(None, feeds)
    found = run_reference(module, feeds, context.weights)["y"]
    np.testing.assert_array_equal(found, np.asarray(wanted))


@pytest.mark.parametrize("name", CASES)
def test_splitting_changes_no_bit(name: str) -> None:
    _, feeds, context, module = imported(name)
    wanted = run_reference(module, feeds, context.weights)["y"]
    for step in build_passes("graph-split-zero-points"):
        step.apply(context, module)
    module.verify()
    assert "xi8>, tensor" in str(module) or "xui8>, tensor" in str(module)
    np.testing.assert_array_equal(run_reference(module, feeds, context.weights)["y"], wanted)


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
@pytest.mark.parametrize("name", CASES)
def test_tensor_cores_give_the_same_integers(name: str, target: str) -> None:
    _, feeds, context, module = imported(name)
    wanted = run_reference(module, feeds, context.weights)["y"]
    for _ in lower(context, module, parse_targets(target)[0], "fp32"):
        pass
    assert "m16n8k32" in str(module)
    np.testing.assert_array_equal(run_module(module, feeds, context.weights)[0], wanted)


@pytest.mark.parametrize("name", CASES)
def test_a_cpu_gives_the_same_integers(name: str) -> None:
    model, feeds, context, module = imported(name)
    wanted = run_reference(module, feeds, context.weights)["y"]
    found = dlc.compile(model, target="cpu", verify=False).run(feeds)["y"]
    np.testing.assert_array_equal(found, wanted)
