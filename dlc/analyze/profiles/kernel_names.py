"""What the name of a kernel says of it.

The names are those of PyTorch 2 (``aten/src/ATen/native/cuda``), cuDNN 8 and 9, cuBLAS 12 and 13,
CUTLASS 2 and 3 and ONNX Runtime 1.2x, as their profiles show them.
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache

from dlc.analyze.profiles.profile import Operator

_PRODUCT = ("Gemm", "MatMul", "Einsum")
_CONVOLUTION = ("Conv", "ConvTranspose")
_MEAN = ("GlobalAveragePool", "ReduceMean", "ReduceSum", "ReduceMax")


@dataclass(frozen=True)
class KernelKind:
    """operator: what it does where the model asks for it. extra: what a framework may use it for
    without being asked (``layout``, ``cast``, ``pad``, ``copy``).
    """

    operator: Operator = field(default_factory=Operator)
    extra: str = ""


def _kind(*types: str, extra: str = "", ends: tuple[str, ...] = ()) -> KernelKind:
    return KernelKind(Operator(frozenset(types), ends=frozenset(ends)), extra)


_ELEMENTS = ("Add", "Sub", "Mul", "Div", "Relu", "Clip", "Sigmoid", "Tanh", "Erf", "Gelu", "Exp")
_ROWS = ("BatchNormalization", "LayerNormalization", "Softmax", "ReduceMean", "GlobalAveragePool")
_MOVES = ("MaxPool", "AveragePool", "Concat", "Transpose", "Where", "Pad", "Cast", "Gather")
_BY_INDUCTOR = KernelKind(Operator(frozenset({*_ELEMENTS, *_ROWS, *_MOVES}), covers=None))
"""A kernel for elements, rows or windows, whatever products its name says that it follows."""

_KINDS: tuple[tuple[str, KernelKind], ...] = (
    (r"^triton_(poi|red|per)_", _BY_INDUCTOR),
    (r"splitk_?reduce|split_k_reduce|reduce_1block", _kind(ends=(*_PRODUCT, *_CONVOLUTION))),
    (r"nchw_?to_?nhwc|nhwc_?to_?nchw|reorder(in|out)put", _kind("Transpose", extra="layout")),
    (r"winograd\w*(transform|filter|data|output)_?kernel", _kind(ends=_CONVOLUTION)),
    (r"(^|[^a-z])pad(ding)?(_|[A-Z]|[^a-z]|$)|constant_pad", _kind("Pad", extra="pad")),
    (r"fprop|conv(olve|olution|_)|conv\d?d|implicit_gemm|winograd|depthwise", _kind(*_CONVOLUTION)),
    (r"flash_|fmha|mha_|attention", _kind("Softmax", "Attention", "MultiHeadAttention")),
    (r"gemm|gemv|nvjet|cutlass|dot_kernel|matmul", _kind(*_PRODUCT, "Conv")),
    (r"batch_norm_transform", _kind("BatchNormalization", ends=("BatchNormalization",))),
    (r"bn_fw|batch_?norm", _kind("BatchNormalization")),
    (r"layer_?norm|rms_?norm", _kind("LayerNormalization", "RMSNormalization")),
    (r"softmax", _kind("Softmax", "LogSoftmax")),
    (r"max_?pool", _kind("MaxPool", "GlobalMaxPool")),
    (r"av(g|erage)_?pool", _kind("AveragePool", "GlobalAveragePool")),
    (r"pooling", _kind("MaxPool", "AveragePool", "GlobalAveragePool")),
    (r"catarray|concat", _kind("Concat")),
    (r"index_?select|gather|embedding|vectorized_gather", _kind("Gather")),
    (r"clamp|relu|threshold", _kind("Relu", "Clip", "LeakyRelu", "PRelu")),
    (r"gelu", _kind("Gelu", "Erf")),
    (r"sigmoid", _kind("Sigmoid")),
    (r"tanh", _kind("Tanh")),
    (r"silu|swish", _kind("Swish", "HardSwish", "Sigmoid", "Mul")),
    # not vectorized where one side is repeated, as the bias behind a convolution of PyTorch is
    (r"::elementwise_kernel<.*functor_?add", _kind("Add", ends=(*_PRODUCT, *_CONVOLUTION))),
    (r"functor_?add|addfunctor|add_kernel|ort_add|_add[^a-z]", _kind("Add", "Sum")),
    (r"mul_?functor|functor_?mul|mulfunctor|ort_mul", _kind("Mul")),
    (r"meanops|reduce_kernel|reduce_mean", _kind(*_MEAN)),
    (r"upsample|resize|interpolate", _kind("Resize", "Upsample")),
    (r"lstm|gru|rnn", _kind("LSTM", "GRU", "RNN")),
    (r"transpose|permute", _kind("Transpose", extra="layout")),
    (r"(float|half|bfloat)\w*(to|_copy)|(?<!without)(?<!broad)cast", _kind("Cast", extra="cast")),
    (r"copy|memcpy", _kind("Transpose", "Cast", extra="copy")),
    (r"memset|fill", _kind(extra="copy")),
)
"""Of a name the first pattern that occurs in it counts."""

_TENSOR_CORES: tuple[tuple[str, bool], ...] = (
    # cuDNN: ..._ffma_..., ..._tensor16x8x16_...; cuBLAS before: ..._sgemm_..., ..._h884gemm_...
    (r"ffma|simt|sgemm_\d|_sgemm|dgemm_\d|scudnn|gemv", False),
    (r"tensor\d+x\d+x\d+|tensorop", True),
    # CUTLASS and cuBLAS name the shape of the instruction: m8n8k4, m16n8k8, m16n8k16, m16n8k32
    (r"(884|1688|16816|16832|8816|8832|161616)(gemm|cudnn|fprop|dgrad|wgrad|_|$)", True),
    (r"hmma|imma|qmma|wgmma|gmma|warpgroup", True),
    (r"sm(90|100|120)_xmma", True),
    (r"nvjet", True),  # cuBLAS from 12.3 on, Hopper and later: by wgmma or tcgen05
    (r"flash_fwd|fmha_cutlassf_(f16|bf16)|cudnn_generated_fort_native_sdpa", True),
)


@lru_cache(maxsize=4096)
def kernel_kind(name: str) -> KernelKind:
    """Return what a kernel does by its name; nothing where no pattern has it."""
    return next((kind for pattern, kind in _KINDS if re.search(pattern, name, re.I)), KernelKind())


@lru_cache(maxsize=4096)
def on_tensor_cores(name: str) -> bool | None:
    """Return whether a kernel multiplies on tensor cores by its name; ``None``: it does not say."""
    return next((is_so for pattern, is_so in _TENSOR_CORES if re.search(pattern, name, re.I)), None)
