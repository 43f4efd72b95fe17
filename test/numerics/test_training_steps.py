"""The gradients of whole models are what differences of their results give."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from layer_models import HEAD
from onnx import ModelProto, numpy_helper
from onnx.parser import parse_model
from xdsl.dialects.builtin import ModuleOp

from dlc import registry
from dlc.analysis.entry import find_main, input_names, output_names
from dlc.core.context import DlcContext
from dlc.core.weights import WeightStore
from dlc.dialects.graph.structure import Array
from dlc.frontends.onnx.importer import import_model
from dlc.ir.tensor import shape
from dlc.oracle import run_reference
from dlc.passes.graph_append_gradients import append_gradients

STEP = 1e-5
"""Of the differences, whose error is of its square. All numbers have 64 bits."""

POOL = "kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]"
MODELS: Mapping[str, tuple[str, Mapping[str, Sequence[int]]]] = {
    "residual": (
        "m (double[2, 5, 4, 5] x) => (double[2, 5, 4, 5] y) "
        "{ a = Conv<pads = [1, 1, 1, 1]>(x, w, b) s = Sigmoid(a) c = Add(a, s) "
        "d = Conv<pads = [1, 1, 1, 1]>(c, w) y = Mul(d, c) }",
        {"w": (5, 5, 3, 3), "b": (5,)},
    ),
    "pools": (
        "m (double[1, 3, 9, 7] x) => (double[1, 5] y) "
        f"{{ a = Conv(x, w) p = MaxPool<{POOL}>(a) q = AveragePool<{POOL}>(p) "
        "g = GlobalAveragePool(q) f = Flatten(g) y = Gemm<transB = 1, alpha = 0.5>(f, v, b) }",
        {"w": (4, 3, 3, 2), "v": (5, 4), "b": (5,)},
    ),
    "norms": (
        "m (double[2, 5, 4, 3] x) => (double[2, 5, 4, 3] y) "
        "{ a = Conv(x, w) l = LRN<size = 3, alpha = 0.5>(a) "
        "n = LayerNormalization<axis = 2>(l, t, t) "
        "i = InstanceNormalization(n, u, v) y = Softmax<axis = 1>(i) }",
        {"w": (5, 5, 1, 1), "t": (4, 3), "u": (5,), "v": (5,)},
    ),
    "two-results": (
        "m (double[4, 3] x) => (double[4, 6] y, double[4, 3] z) "
        "{ a = MatMul(x, w) z = Tanh(a) y = Concat<axis = 1>(a, z) }",
        {"w": (3, 3)},
    ),
    "one-value-twice": (
        "m (double[4, 3] x) => (double[4, 3] y, double[4, 3] z) "
        "{ y = MatMul(x, w) z = Identity(y) }",
        {"w": (3, 3)},
    ),
    "an-input-called-like-a-weight": (
        "m (double[4, 3] w0) => (double[4, 3] y) { y = MatMul(w0, w) }",
        {"w": (3, 3)},
    ),
    "turned-weight": (
        "m (double[2, 3] x) => (double[2, 6] y) { t = Transpose(w) y = MatMul(x, t) }",
        {"w": (6, 3)},
    ),
    "lookup": (
        "m (int64[2, 3] x) => (double[2, 3, 4] y) { e = Gather(w, x) y = Add(e, p) }",
        {"w": (5, 4), "p": (3, 4)},
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_gradients_of_weights(name: str) -> None:
    module, context = training_step(name)
    main, weights = find_main(module), MODELS[name][1]
    random = np.random.default_rng(3)
    feeds: dict[str, Array] = {
        name: random.normal(size=shape(x))
        for name, x in zip(input_names(main), main.body.block.args, strict=True)
    }
    if name == "lookup":
        feeds["x"] = random.integers(0, 5, (2, 3))
    found = run_reference(module, feeds, context.weights)
    assert len({*input_names(main)}) == len(input_names(main))
    own = [x for x in output_names(main) if x.startswith("gradient of ")]
    assert len(own) == len(weights)
    for each in own:
        expected = differences(module, context, feeds, each.removeprefix("gradient of "))
        np.testing.assert_allclose(found[each], expected, rtol=1e-6, atol=1e-8, err_msg=each)


def training_step(name: str) -> tuple[ModuleOp, DlcContext]:
    text, weights = MODELS[name]
    context = registry.new_context(WeightStore())
    model = with_doubles(parse_model(f"{HEAD} {text}"), weights)
    module = import_model(model, {}, context)
    assert not append_gradients(context, module), "each op has a rule"
    module.verify()
    return module, context


def with_doubles(model: ModelProto, weights: Mapping[str, Sequence[int]]) -> ModelProto:
    """Give a model initializers of these shapes, whose numbers no one looks at; return it."""
    for number, (name, sizes) in enumerate(weights.items()):
        array = np.full(sizes, number, np.float64)
        array.flat[0] = -1
        model.graph.initializer.append(numpy_helper.from_array(array, name))
    return model


def differences(
    module: ModuleOp, context: DlcContext, feeds: Mapping[str, Array], weight: str
) -> Array:
    """Return the derivative by a weight of the results, each times its given gradient."""
    moved = feeds[weight].copy()
    found = np.zeros(moved.shape)
    for at in np.ndindex(*moved.shape):
        kept, sums = moved[at], list[float]()
        for step in (STEP, -STEP):
            moved[at] = kept + step
            results = run_reference(module, {**feeds, weight: moved}, context.weights)
            given = ((x, feeds.get(f"gradient of {name}")) for name, x in results.items())
            sums.append(sum(float(np.sum(x * dy)) for x, dy in given if dy is not None))
        moved[at] = kept
        found[at] = (sums[0] - sums[1]) / (2 * STEP)
    return found
