"""Bugs between the ONNX file and the graph: attributes, defaults, axes, ties."""

from collections.abc import Sequence

from mutant import Mutant

_OPS = "dlc/frontends/onnx/ops"


def _import(name: str, file: str, old: str, new: str, bug: str, *models: str) -> Mutant:
    return Mutant(name, "import", f"{_OPS}/{file}.py", old, new, bug, models)


MUTANTS: Sequence[Mutant] = (
    _import(
        "conv-bias",
        "convolution",
        "return add_channel_bias(node, convolution(node, x, weight), node.optional(2))",
        "return add_channel_bias(node, convolution(node, x, weight), None)",
        "the bias of Conv is dropped",
        "convolutional",
    ),
    _import(
        "same-lower",
        "window",
        'if mode == "SAME_UPPER" else [*large, *small]',
        'if mode == "SAME_LOWER" else [*large, *small]',
        "SAME_UPPER and SAME_LOWER exchanged",
        "separable",
    ),
    _import(
        "gemm-alpha",
        "contraction",
        'node.number("alpha", 1.0)',
        '(node.number("alpha", 1.0), 1.0)[1]',
        "alpha of Gemm is read and dropped",
        "convolutional",
    ),
    _import(
        "batch-norm-epsilon",
        "normalization",
        'epsilon = number(node.number("epsilon", 1e-5))\n    return [node.insert(BatchNormOp',
        'epsilon = number(1e-5)\n    node.number("epsilon", 1e-5)\n    return [node.insert(BatchNormOp',
        "epsilon of BatchNormalization is always the default",
        "convolutional",
    ),
    _import(
        "batch-norm-swapped",
        "normalization",
        "for i in range(1, 5)]\n    node.disregard",
        "for i in (1, 2, 4, 3)]\n    node.disregard",
        "mean and variance of BatchNormalization exchanged",
        "convolutional",
    ),
    _import(
        "count-include-pad",
        "pooling",
        'include = flag(bool(node.integer("count_include_pad", 0)))',
        'include = flag(not node.integer("count_include_pad", 0))',
        "count_include_pad the wrong way round",
        "convolutional",
    ),
    _import(
        "leaky-as-elu",
        "activation",
        '("LeakyRelu", graph.LeakyReluOp, {"alpha": 0.01}),',
        '("LeakyRelu", graph.EluOp, {"alpha": 0.01}),',
        "a leaky ReLU becomes an ELU",
        "separable",
    ),
    _import(
        "output-padding",
        "convolution",
        'growth = per_axis(node, "output_padding", count, 0)',
        'growth = per_axis(node, "output_padding", count, 0)[::-1]',
        "output_padding of ConvTranspose in the other order",
        "separable",
    ),
    _import(
        "lrn-bias",
        "normalization",
        'bias=number(node.number("bias", 1.0)),',
        'bias=number(node.number("bias", 1.0) * 0 + 1.0),',
        "bias of LRN is the default",
        "separable",
    ),
    _import(
        "gru-reset",
        "recurrent",
        'reset_after = flag(bool(node.integer("linear_before_reset", 0)))',
        'reset_after = flag(not node.integer("linear_before_reset", 0))',
        "linear_before_reset the wrong way round",
        "recurrent",
    ),
    _import(
        "clip-of-cells",
        "recurrent",
        '"clip": number(clip) if clip else None,',
        '"clip": None,',
        "the clip of a recurrent cell is dropped",
        "recurrent",
    ),
    _import(
        "scan-exclusive",
        "scan",
        'exclusive=flag(bool(node.integer("exclusive", 0))),',
        'exclusive=flag(bool(node.integer("exclusive", 0) * 0)),',
        "exclusive of CumSum is dropped",
        "embedding",
    ),
    _import(
        "select-last-index",
        "reduction",
        'bool(node.integer("select_last_index", 0))',
        'bool(node.integer("select_last_index", 0) * 0)',
        "of equal elements the arg-reductions take the first always",
        "ranking",
    ),
    _import(
        "top-k-smallest",
        "scan",
        'largest=bool(node.integer("largest", 1))',
        'largest=bool(node.integer("largest", 1) or 1)',
        "TopK always takes the largest",
        "ranking",
    ),
    _import(
        "resize-half-pixel",
        "resize",
        '"coordinate_transformation_mode", "half_pixel"',
        '"coordinate_transformation_mode", "asymmetric"',
        "the default of the coordinates of Resize is that of opset 10",
        "resampling",
    ),
    _import(
        "resize-cubic",
        "resize",
        'sharpness = node.number("cubic_coeff_a", -0.75)',
        'sharpness = node.number("cubic_coeff_a", -0.75) * 0 - 0.75',
        "the coefficient of cubic resizing is always the default",
        "resampling",
    ),
    _import(
        "transpose-inverse",
        "layout",
        "    return transpose(node, node.operand(0), permutation)",
        "    inverse = [permutation.index(a) for a in range(rank)]\n"
        "    return transpose(node, node.operand(0), inverse)",
        "perm of Transpose taken for its inverse",
        "pieces",
        "attention",
    ),
    _import(
        "shift-direction",
        "comparison",
        'if direction == "RIGHT" else None',
        'if direction == "LEFT" else None',
        "BitShift in the other direction",
        "integers",
    ),
    _import(
        "zero-point-of-weights",
        "quantize",
        '_centered(node, node.operand(1), node.optional(3), -1))\n\n\n@converts("ConvInteger',
        '_centered(node, node.operand(1), None, -1))\n\n\n@converts("ConvInteger',
        "the zero point of the second factor of MatMulInteger is dropped",
        "quantised",
    ),
    _import(
        "scatter-order",
        "scatter",
        "sources[flat[numbers]] = numbers",
        "sources[flat[numbers]] = numbers[::-1]",
        "updates of ScatterND in the other order",
        "embedding",
    ),
    _import(
        "keepdims-default",
        "reduction",
        'axes, keep = _axes(node), bool(node.integer("keepdims", 1))',
        'axes, keep = _axes(node), bool(node.integer("keepdims", 1))\n        axes = axes and axes[:1]',
        "a reduction over several axes takes the first of them only",
        "reductions",
    ),
)
