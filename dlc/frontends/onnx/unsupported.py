"""Why an operator cannot be imported, and what its user can do."""

import re

import onnx

from dlc.frontends.onnx.loading import domain_name

CUT = (
    "cut the model before it (onnx.utils.extract_model), and do the rest in your program; see "
    "docs/exporting.md"
)
"""The way out where a model has a part that cannot be compiled."""

_QUANTISED = re.compile("Q[A-Z]|.*Quant|MatMulInteger|MatMulNBits|MatMulBnb4")
_CUSTOM = (
    "is a custom operator, which is not supported; export the model with operators of ai.onnx, or"
    " with a function of that name"
)
_OTHER_DOMAINS = {
    "ai.onnx.ml": "is for classical machine learning, which is not supported",
    "ai.onnx.training": "is for training, which is not supported",
    "ai.onnx.preview.training": "is for training, which is not supported",
}


def unsupported_message(node: onnx.NodeProto, opset: int) -> str:
    """Return why an operator without a conversion cannot be imported.

    opset: the version of its domain, 0 where the model imports none.
    """
    domain = domain_name(node.domain)
    name = f"operator {node.op_type} of {domain or 'ai.onnx'}"
    if domain.startswith(("com.microsoft", "com.ms.")):
        return f"{name} {_of_onnx_runtime(node.op_type)}"
    if domain in _OTHER_DOMAINS:
        return f"{name} {_OTHER_DOMAINS[domain]}"
    if opset == 0:
        return f"the model does not import an operator set for {name}"
    if domain:
        return f"{name} {_CUSTOM}"
    if not onnx.defs.has(node.op_type, opset, domain):
        return f"ONNX has no operator {node.op_type} in ai.onnx {opset}"
    return f"operator {node.op_type} of ai.onnx {opset} is not supported; {CUT}"


def _of_onnx_runtime(op_type: str) -> str:
    contrib = "is a contrib operator of ONNX Runtime, which is not supported"
    if _QUANTISED.match(op_type):
        return f"{contrib}; quantise with quantize_static and quant_format=QuantFormat.QDQ"
    return f"{contrib}; export the model without ONNX Runtime's optimisations"
