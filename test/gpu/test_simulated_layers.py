"""Layers of well-known models, reduced in size, from ONNX to the simulator.

Every kernel of a layer runs with all checks of memory, in a random order of blocks, on sizes that
leave tails; the result is that of the reference up to ``error_bound``.
"""

import numpy as np
import onnx
import pytest
from onnx import ModelProto, numpy_helper, parser

from dlc import registry
from dlc.compiler.levels import lower
from dlc.compiler.targets import Target
from dlc.core.weights import WeightStore
from dlc.dialects.gpu import KernelOp
from dlc.dialects.graph.structure import Array
from dlc.frontends.onnx.importer import import_model
from dlc.oracle import run_reference
from dlc.simulator import Coverage, run_module
from dlc.verification.error_bound import error_bound, relative_error

LAYERS = {
    "resnet_block": """(float[1,24,9,9] x, float[40,24,3,3] w1, float[40] w2, float[40,24,1,1] w3)
        => (float[1,40,5,5] y) {
        a = Conv <pads = [1,1,1,1], strides = [2,2]> (x, w1, w2)
        b = Conv <strides = [2,2]> (x, w3)
        c = Add (a, b)
        y = Relu (c) }""",
    "resnext_block": """(float[1,32,7,7] x, float[32,8,3,3] w1) => (float[1,32,7,7] y) {
        a = Conv <pads = [1,1,1,1], group = 4> (x, w1)
        y = Relu (a) }""",
    "mobilenet_block": """(float[1,16,8,8] x, float[48,16,1,1] w1, float[48,1,3,3] w2,
        float[16,48,1,1] w3) => (float[1,16,8,8] y) {
        a = Conv (x, w1)
        b = Relu (a)
        c = Conv <pads = [1,1,1,1], group = 48> (b, w2)
        d = Relu (c)
        e = Conv (d, w3)
        y = Add (e, x) }""",
    "squeeze_and_excite": """(float[1,24,6,6] x, float[6,24,1,1] w1, float[24,6,1,1] w2)
        => (float[1,24,6,6] y) {
        a = GlobalAveragePool (x)
        b = Conv (a, w1)
        c = Relu (b)
        d = Conv (c, w2)
        e = Sigmoid (d)
        y = Mul (x, e) }""",
    "inception_block": """(float[1,20,7,7] x, float[12,20,1,1] w1, float[8,20,3,3] w2)
        => (float[1,40,7,7] y) {
        a = Conv (x, w1)
        b = Conv <pads = [1,1,1,1]> (x, w2)
        c = MaxPool <kernel_shape = [3,3], pads = [1,1,1,1], strides = [1,1]> (x)
        y = Concat <axis = 1> (a, b, c) }""",
    "alexnet_head": """(float[2,16,9,9] x, float[256,30] w1, float[30] w2) => (float[2,30] y) {
        a = LRN <size = 5, alpha = 0.0001, beta = 0.75, bias = 1.0> (x)
        b = MaxPool <kernel_shape = [3,3], strides = [2,2]> (a)
        c = Flatten (b)
        d = Gemm (c, w1, w2)
        y = Softmax (d) }""",
    "generator": """(float[1,20,4,4] x, float[20,12,4,4] w1) => (float[1,12,8,8] y) {
        a = ConvTranspose <strides = [2,2], pads = [1,1,1,1]> (x, w1)
        y = Tanh (a) }""",
    "attention": """(float[1,19,32] x, float[32,32] w1, float[32,32] w2, float[32,32] w3)
        => (float[1,2,19,16] y) {
        s = Constant <value = int64[4] {1, 19, 2, 16}> ()
        a = MatMul (x, w1)
        b = MatMul (x, w2)
        c = MatMul (x, w3)
        d = Reshape (a, s)
        e = Reshape (b, s)
        f = Reshape (c, s)
        q = Transpose <perm = [0,2,1,3]> (d)
        k = Transpose <perm = [0,2,3,1]> (e)
        v = Transpose <perm = [0,2,1,3]> (f)
        g = MatMul (q, k)
        h = Softmax <axis = -1> (g)
        y = MatMul (h, v) }""",
    "transformer_mlp": """(float[1,21,48] x, float[48] w1, float[48] w2, float[48,80] w3,
        float[80,48] w4) => (float[1,21,48] y) {
        a = LayerNormalization <axis = -1> (x, w1, w2)
        b = MatMul (a, w3)
        c = Gelu (b)
        d = MatMul (c, w4)
        y = Add (d, x) }""",
    "recurrent": """(float[5,2,12] x, float[1,64,12] w1, float[1,64,16] w2, float[1,128] w3)
        => (float[5,1,2,16] y) { y = LSTM <hidden_size = 16> (x, w1, w2, w3) }""",
    "recommender": """(int64[7] i, float[7,8] x, float[20,8] w1, float[16,10] w2)
        => (float[7,10] y) {
        a = Gather (w1, i)
        b = Concat <axis = 1> (a, x)
        c = MatMul (b, w2)
        y = Relu (c) }""",
    "decoder_stage": """(float[1,12,5,5] x, float[1,8,10,10] z, float[16,20,3,3] w1)
        => (float[1,16,10,10] y) {
        e = Constant <value = float[0] {}> ()
        s = Constant <value = float[4] {1.0, 1.0, 2.0, 2.0}> ()
        a = Resize <mode = "linear"> (x, e, s)
        b = Concat <axis = 1> (a, z)
        c = Conv <pads = [1,1,1,1]> (b, w1)
        y = LeakyRelu (c) }""",
    "channel_shuffle": """(float[1,24,6,6] x, float[24,1,3,3] w1) => (float[1,24,3,3] y) {
        s = Constant <value = int64[5] {1, 2, 12, 6, 6}> ()
        t = Constant <value = int64[4] {1, 24, 6, 6}> ()
        a = Reshape (x, s)
        b = Transpose <perm = [0,2,1,3,4]> (a)
        c = Reshape (b, t)
        y = Conv <pads = [1,1,1,1], strides = [2,2], group = 24> (c, w1) }""",
    "vector_product": """(float[1,200] x, float[200,72] w1, float[72] w2) => (float[1,72] y) {
        a = Gemm (x, w1, w2)
        y = Relu (a) }""",
}
SEED = 11


def model_of(text: str, generator: np.random.Generator) -> ModelProto:
    """Return a model whose inputs ``w..`` have become weights."""
    graph = parser.parse_graph(f"g {text}")
    weights = [value for value in graph.input if value.name.startswith("w")]
    for value in weights:
        sizes = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        array = (generator.standard_normal(sizes) / np.sqrt(sizes[-1])).astype(np.float32)
        graph.initializer.append(numpy_helper.from_array(array, value.name))
        graph.input.remove(value)
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 20)])


def feeds_of(model: ModelProto, generator: np.random.Generator) -> dict[str, Array]:
    """Return random inputs."""
    feeds: dict[str, Array] = {}
    for value in model.graph.input:
        sizes = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        if value.type.tensor_type.elem_type == onnx.TensorProto.INT64:
            feeds[value.name] = generator.integers(0, 20, sizes)
        else:
            feeds[value.name] = generator.standard_normal(sizes).astype(np.float32)
    return feeds


@pytest.mark.parametrize("precision", ["fp32", "tf32", "fp16"])
@pytest.mark.parametrize("name", LAYERS)
def test_layer(name: str, precision: str) -> None:
    generator = np.random.default_rng(SEED)
    model = model_of(LAYERS[name], generator)
    context = registry.new_context(WeightStore())
    module = import_model(model, None, context)
    feeds = feeds_of(model, generator)
    wanted = run_reference(module, feeds, context.weights)
    bound = error_bound(module, precision)
    for _ in lower(context, module, Target("sm_90a"), precision):
        pass
    assert all(Coverage(op).check_all() for op in module.ops if isinstance(op, KernelOp))
    found = run_module(module, feeds, context.weights, block_order=SEED)
    for right, got in zip(wanted.values(), found, strict=True):
        assert relative_error(right, got) <= bound
