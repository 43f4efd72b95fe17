"""Faults of the passes on the graph are found by the check of the whole model, on any machine."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from dlc.compiler import Options, compile_to, targets
from dlc.dialects.graph import normalization as normalization
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.computed import WeightInner, WeightOrder
from dlc.dialects.graph.convolution import ConvOp
from dlc.dialects.graph.elementwise import AddOp, MulOp
from dlc.dialects.graph.softmax import SoftmaxOp
from dlc.dialects.graph.structure import GraphOp
from dlc.errors import CompileError
from dlc.passes import graph_sink_transposes

GENERATOR = np.random.default_rng(0)
WEIGHTS = {
    "w": GENERATOR.standard_normal((6, 4, 3, 3)) / 6,
    "b": GENERATOR.standard_normal(6),
    "scale": GENERATOR.uniform(0.5, 2, 6),
    "shift": GENERATOR.standard_normal(6),
    "mean": GENERATOR.standard_normal(6),
    "variance": GENERATOR.uniform(0.5, 2, 6),
    "v": GENERATOR.standard_normal((8, 5)),
    "one": np.ones(8),
    "four": np.full(1, 4.0),
    "zero": np.zeros(8),
}
node = helper.make_node


def model(nodes: list[onnx.NodeProto], sizes: list[int]) -> onnx.ModelProto:
    """Return a model of ``x`` with ``sizes``; the last node gives ``y``."""
    used = {name for each in nodes for name in each.input}
    weights = [
        numpy_helper.from_array(a.astype(np.float32), n) for n, a in WEIGHTS.items() if n in used
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, sizes)
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "small", [x], [y], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


MODELS = {
    "convolution": model(
        [
            node("Conv", ["x", "w", "b"], ["c"], "conv", pads=[1, 1, 1, 1]),
            node("BatchNormalization", ["c", "scale", "shift", "mean", "variance"], ["n"], "norm"),
            node("Relu", ["n"], ["r"], "relu"),
            node("MaxPool", ["r"], ["y"], "pool", kernel_shape=[2, 2], strides=[2, 2]),
        ],
        [1, 4, 8, 8],
    ),
    "transposed": model(
        [
            node("Transpose", ["x"], ["t"], "turn", perm=[1, 2, 0]),
            node("Softmax", ["t"], ["r"], "softmax", axis=0),
            node("MatMul", ["r", "v"], ["y"], "product"),
        ],
        [8, 6, 7],
    ),
    "layer norm": model(
        [node("LayerNormalization", ["x", "one", "zero"], ["y"], "norm", axis=-1)], [5, 8]
    ),
    "softmax": model(
        [
            node("Mul", ["x", "four"], ["m"], "scores"),
            node("Softmax", ["m"], ["y"], "softmax", axis=-1),
        ],
        [5, 8],
    ),
}


def reversed_window(patch: pytest.MonkeyPatch) -> None:
    right = ConvOp.weight_order

    def wrong(self: ConvOp, inner: WeightInner) -> WeightOrder | None:
        order = right(self, inner)
        if order is None:
            return None
        turn = {2: 3, 3: 2}
        return replace(order, permutation=[turn.get(a, a) for a in order.permutation])

    patch.setattr(ConvOp, "weight_order", wrong)


def unscaled_shift(patch: pytest.MonkeyPatch) -> None:
    def wrong(self: object, op: MulOp, rewriter: PatternRewriter) -> None:
        add = op.lhs.owner
        if isinstance(add, AddOp) and isinstance(add.lhs.owner, ConvOp):
            product = MulOp.make(add.lhs, op.rhs)
            new = AddOp.make(product.output, add.rhs)
            rewriter.replace(op, [product, new], [new.output])

    patch.setattr("dlc.passes.graph_fold_scale._ScaleOfShift.rewrite", wrong)


def wrong_permutation(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(graph_sink_transposes, "inverse_permutation", list)


def dropped_epsilon(patch: pytest.MonkeyPatch) -> None:
    def wrong(g: Composer, variance: SSAValue, epsilon: float) -> SSAValue:
        return g.div(g.like(1, variance), g.sqrt(variance))

    patch.setattr(normalization, "inverse_deviation", wrong)


def softmax_without_maximum(patch: pytest.MonkeyPatch) -> None:
    def wrong(self: SoftmaxOp, insert: Callable[[GraphOp], SSAValue]) -> Sequence[SSAValue]:
        g = Composer(insert)
        e = g.exp(self.x)
        return [g.div(e, g.sum(e, self.axis.value.data))]

    patch.setattr(SoftmaxOp, "decompose", wrong)


FAULTS: Mapping[str, tuple[str, Callable[[pytest.MonkeyPatch], None]]] = {
    "a reversed window": ("convolution", reversed_window),
    "an unscaled shift": ("convolution", unscaled_shift),
    "a wrong permutation": ("transposed", wrong_permutation),
    "a dropped epsilon": ("layer norm", dropped_epsilon),
    "a softmax that overflows": ("softmax", softmax_without_maximum),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_right_model_is_accepted(name: str, tmp_path: Path) -> None:
    outcome = compile_to(tmp_path / "model.so", MODELS[name], Options("cpu"))
    assert outcome.verification is not None
    assert outcome.verification["cases"]


@pytest.mark.parametrize("target", ["cpu", "sm_90a"])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_a_pass_is_refused(
    fault: str, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(targets, "device_capability", lambda: None)
    name, seed = FAULTS[fault]
    seed(monkeypatch)
    with pytest.raises(CompileError, match="verification failed: output 'y' is off by"):
        compile_to(tmp_path / "model.so", MODELS[name], Options(target))
    assert list(tmp_path.iterdir()) == []
