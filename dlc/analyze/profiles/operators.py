"""Which ONNX operators the calls of other systems stand for."""

from dlc.analyze.profiles.kernel_names import kernel_kind
from dlc.analyze.profiles.profile import Operator

_GELU = ("Mul", "Add", "Div", "Erf", "Pow", "Tanh", "Sqrt")
_ROW = ("Sub", "Pow", "Add", "Sqrt", "Div", "Mul", "ReduceMean", "Exp", "ReduceSum", "ReduceMax")
_PRODUCT = ("Gemm", "MatMul")
_SCORES = ("MatMul", "Mul", "Div", "Add", "Transpose", "Where", "Softmax", "Reshape")

_ATEN: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    **dict.fromkeys(
        ("conv1d", "conv2d", "conv3d", "convolution", "_convolution", "cudnn_convolution"),
        (("Conv",), ()),
    ),
    "cudnn_convolution_relu": (("Conv",), ("Relu",)),
    "cudnn_convolution_add_relu": (("Conv",), ("Add", "Relu")),
    "mkldnn_convolution": (("Conv",), ()),
    "conv_transpose1d": (("ConvTranspose",), ()),
    "conv_transpose2d": (("ConvTranspose",), ()),
    "conv_transpose3d": (("ConvTranspose",), ()),
    "linear": (_PRODUCT, ("Add", "Transpose")),
    "addmm": (_PRODUCT, ("Add", "Transpose")),
    "_addmm_activation": (_PRODUCT, ("Add", "Relu", "Gelu", *_GELU)),
    "baddbmm": (("MatMul",), ("Add", "Mul")),
    **dict.fromkeys(("matmul", "mm", "bmm", "mv", "dot"), (_PRODUCT, ())),
    "einsum": (("Einsum", "MatMul"), ("Transpose",)),
    "scaled_dot_product_attention": (("Softmax", "Attention"), _SCORES),
    **dict.fromkeys(
        ("batch_norm", "native_batch_norm", "cudnn_batch_norm"), (("BatchNormalization",), ())
    ),
    "layer_norm": (("LayerNormalization", "ReduceMean"), _ROW),
    "rms_norm": (("RMSNormalization", "ReduceMean"), _ROW),
    "group_norm": (("GroupNormalization", "InstanceNormalization"), ("Reshape", "Mul", "Add")),
    "instance_norm": (("InstanceNormalization",), ("Reshape",)),
    **dict.fromkeys(("relu", "relu_"), (("Relu",), ())),
    **dict.fromkeys(("relu6", "hardtanh", "hardtanh_", "clamp", "clamp_min", "clamp_"), (
        ("Clip", "Relu"), ("Min", "Max"),
    )),
    "leaky_relu": (("LeakyRelu",), ()),
    "leaky_relu_": (("LeakyRelu",), ()),
    "elu": (("Elu",), ()),
    "prelu": (("PRelu",), ()),
    "gelu": (("Gelu", "Erf", "Tanh"), _GELU),
    **dict.fromkeys(("silu", "silu_"), (("Swish", "Sigmoid"), ("Mul",))),
    **dict.fromkeys(("hardswish", "hardswish_"), (("HardSwish",), ("Mul", "Add", "Clip", "Div"))),
    **dict.fromkeys(("hardsigmoid", "hardsigmoid_"), (("HardSigmoid",), ("Add", "Clip", "Div"))),
    **dict.fromkeys(("sigmoid", "sigmoid_"), (("Sigmoid",), ())),
    **dict.fromkeys(("tanh", "tanh_"), (("Tanh",), ())),
    **dict.fromkeys(("add", "add_"), (("Add", "Sum"), ())),
    **dict.fromkeys(("sub", "sub_", "rsub"), (("Sub",), ())),
    **dict.fromkeys(("mul", "mul_"), (("Mul",), ())),
    **dict.fromkeys(("div", "div_"), (("Div",), ())),
    "pow": (("Pow", "Mul"), ()),
    "sqrt": (("Sqrt",), ()),
    "rsqrt": (("Sqrt", "Reciprocal"), ("Reciprocal", "Div")),
    "exp": (("Exp",), ()),
    "erf": (("Erf",), ()),
    "neg": (("Neg",), ()),
    **dict.fromkeys(("softmax", "_softmax"), (("Softmax",), ())),
    **dict.fromkeys(("log_softmax", "_log_softmax"), (("LogSoftmax",), ())),
    **dict.fromkeys(("max_pool1d", "max_pool2d", "max_pool3d"), (("MaxPool",), ())),
    **dict.fromkeys(("avg_pool1d", "avg_pool2d", "avg_pool3d"), (("AveragePool",), ("Pad",))),
    **dict.fromkeys(("adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d"), (
        ("GlobalAveragePool", "AveragePool", "ReduceMean"), (),
    )),
    "adaptive_max_pool2d": (("GlobalMaxPool", "MaxPool"), ()),
    "mean": (("ReduceMean", "GlobalAveragePool"), ()),
    "sum": (("ReduceSum",), ()),
    "amax": (("ReduceMax",), ()),
    "argmax": (("ArgMax",), ()),
    "topk": (("TopK",), ()),
    "cumsum": (("CumSum",), ()),
    **dict.fromkeys(("cat", "concat", "concatenate", "stack"), (("Concat",), ("Unsqueeze",))),
    **dict.fromkeys(("split", "chunk", "split_with_sizes", "unbind"), (("Split", "Slice"), ())),
    **dict.fromkeys(("slice", "narrow"), (("Slice",), ())),
    "select": (("Gather",), ("Squeeze",)),
    **dict.fromkeys(("embedding", "index_select", "gather", "index"), (
        ("Gather", "GatherElements", "GatherND"), (),
    )),
    "where": (("Where",), ()),
    "masked_fill": (("Where",), ()),
    **dict.fromkeys(("flatten", "reshape", "view"), (("Flatten", "Reshape"), ())),
    "unsqueeze": (("Unsqueeze", "Reshape"), ()),
    "squeeze": (("Squeeze", "Reshape"), ()),
    "expand": (("Expand",), ()),
    **dict.fromkeys(("permute", "transpose", "t", "contiguous"), (("Transpose",), ())),
    "pad": (("Pad",), ()),
    "constant_pad_nd": (("Pad",), ()),
    **dict.fromkeys(("to", "_to_copy", "type_as"), (("Cast",), ())),
    **dict.fromkeys(("upsample_nearest2d", "upsample_bilinear2d", "interpolate"), (
        ("Resize", "Upsample"), (),
    )),
    "pixel_shuffle": (("DepthToSpace",), ()),
    "lstm": (("LSTM",), ("Transpose", "Squeeze", "Concat")),
    "gru": (("GRU",), ("Transpose", "Squeeze", "Concat")),
}  # fmt: skip
"""By the name behind ``aten::``: what it may be, and what ONNX may say beside.

https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/native/native_functions.yaml
"""

_ON_INTEGERS = (
    *("Add", "Mul", "Sigmoid", "LeakyRelu", "Softmax", "Where", "Concat"),
    *("AveragePool", "GlobalAveragePool", "ReduceMean"),
)
"""Operators that ONNX Runtime has on integers, too."""

_ONNXRUNTIME: dict[str, tuple[str, ...]] = {
    "FusedConv": ("Conv",),
    "NhwcFusedConv": ("Conv",),
    "NhwcConv": ("Conv",),
    "QLinearConv": ("Conv",),
    "QGemm": ("Gemm", "MatMul"),
    "DynamicQuantizeMatMul": ("MatMulInteger", "MatMul"),
    "MatMulIntegerToFloat": ("MatMulInteger", "MatMul"),
    "QLinearMatMul": ("MatMul",),
    **{f"QLinear{name}": (name,) for name in _ON_INTEGERS},
    "FusedGemm": ("Gemm", "MatMul"),
    "Gemm": ("Gemm", "MatMul"),
    "FusedMatMul": ("MatMul",),
    "TransposeMatMul": ("MatMul",),
    "MatMulNBits": ("MatMul",),
    "BiasGelu": ("Erf", "Gelu", "Tanh"),
    "FastGelu": ("Tanh", "Erf", "Gelu"),
    "Gelu": ("Gelu", "Erf"),
    "QuickGelu": ("Sigmoid",),
    "BiasSoftmax": ("Softmax",),
    "LayerNormalization": ("LayerNormalization", "ReduceMean"),
    "SimplifiedLayerNormalization": ("RMSNormalization", "ReduceMean"),
    "SkipLayerNormalization": ("LayerNormalization", "ReduceMean", "Add"),
    "SkipSimplifiedLayerNormalization": ("RMSNormalization", "ReduceMean", "Add"),
    "EmbedLayerNormalization": ("Gather", "LayerNormalization"),
    "NhwcMaxPool": ("MaxPool",),
}
"""Operators of its own that stand for others
(https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md).
"""


_ONNXRUNTIME_PRODUCTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = dict.fromkeys(
    ("Attention", "MultiHeadAttention", "GroupQueryAttention", "QAttention"),
    (("Softmax", "Attention"), _SCORES),
)
"""Those of several products, with what they may have in them."""


def of_aten(name: str) -> Operator:
    """Return what an operator of PyTorch stands for; nothing of one that is not known."""
    types, covers = _ATEN.get(name.removeprefix("aten::"), ((), ()))
    return Operator(frozenset(types), frozenset(covers))


def of_onnxruntime(name: str) -> Operator:
    """Return what an operator of ONNX Runtime stands for: mostly itself. It may have more in it."""
    if name in _ONNXRUNTIME_PRODUCTS:
        types, covers = _ONNXRUNTIME_PRODUCTS[name]
        return Operator(frozenset(types), frozenset(covers))
    return Operator(frozenset({*_ONNXRUNTIME.get(name, ()), name} - {""}), None)


def of_kernel(name: str) -> Operator:
    """Return what a kernel stands for."""
    return kernel_kind(name).operator
