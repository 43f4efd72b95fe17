"""Activation functions."""

from collections.abc import Mapping

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import SSAValue

from dlc.dialects.graph import activation as graph
from dlc.dialects.graph.properties import number
from dlc.dialects.graph.structure import GraphOp
from dlc.errors import CompileError
from dlc.frontends.onnx.conversion import Conversion, NodeContext, converts
from dlc.frontends.onnx.ops.elementwise import binary, unary


def _parametrised(op: type[GraphOp], defaults: Mapping[str, float]) -> Conversion:
    """Return the conversion of an operator whose float attributes are the op's properties."""

    def convert(node: NodeContext) -> SSAValue:
        properties = {name: number(node.number(name, value)) for name, value in defaults.items()}
        return node.insert(op.make(node.operand(0), results=1, **properties))

    return convert


for _op_type, _op in {
    "Relu": graph.ReluOp,
    "Sigmoid": graph.SigmoidOp,
    "HardSwish": graph.HardSwishOp,
    "Softplus": graph.SoftplusOp,
    "Softsign": graph.SoftsignOp,
    "Mish": graph.MishOp,
}.items():
    converts(_op_type)(unary(_op))

converts("PRelu", since=7)(binary(graph.PreluOp))

for _op_type, _op, _defaults in (
    ("LeakyRelu", graph.LeakyReluOp, {"alpha": 0.01}),
    ("Elu", graph.EluOp, {"alpha": 1.0}),
    # The standard states these as the nearest float32 numbers.
    (
        "Selu",
        graph.SeluOp,
        {"alpha": 1.67326319217681884765625, "gamma": 1.05070102214813232421875},
    ),
    ("Celu", graph.CeluOp, {"alpha": 1.0}),
    ("Swish", graph.SiluOp, {"alpha": 1.0}),
    ("HardSigmoid", graph.HardSigmoidOp, {"alpha": 0.2, "beta": 0.5}),
    ("ThresholdedRelu", graph.ThresholdedReluOp, {"alpha": 1.0}),
):
    converts(_op_type)(_parametrised(_op, _defaults))


@converts("Shrink", since=9)
def _shrink(node: NodeContext) -> SSAValue:
    bias, threshold = number(node.number("bias", 0.0)), number(node.number("lambd", 0.5))
    return node.insert(graph.ShrinkOp.make(node.operand(0), bias=bias, threshold=threshold))


@converts("Gelu", since=20)
def _gelu(node: NodeContext) -> SSAValue:
    approximate = node.string("approximate", "none")
    if approximate not in ("none", "tanh"):
        raise CompileError(f"Gelu has no approximation {approximate!r}; use none or tanh")
    tanh = UnitAttr() if approximate == "tanh" else None
    return node.insert(graph.GeluOp.make(node.operand(0), tanh=tanh))
