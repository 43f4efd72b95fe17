"""Activations that ONNX Runtime's optimiser writes, with the bias before them."""

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import SSAValue

from dlc.dialects.graph.activation import GeluOp, SiluOp
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.properties import number
from dlc.frontends.onnx.conversion import NodeContext, converts

_DOMAIN = "com.microsoft"


@converts("Gelu", "BiasGelu", domain=_DOMAIN)
def _gelu(node: NodeContext) -> SSAValue:
    return node.insert(GeluOp.make(_biased(node)))


@converts("FastGelu", domain=_DOMAIN)
def _fast_gelu(node: NodeContext) -> SSAValue:
    return node.insert(GeluOp.make(_biased(node), tanh=UnitAttr()))


@converts("QuickGelu", domain=_DOMAIN)
def _quick_gelu(node: NodeContext) -> SSAValue:
    alpha = number(node.number("alpha", 1.702))
    return node.insert(SiluOp.make(node.operand(0), alpha=alpha))


def _biased(node: NodeContext) -> SSAValue:
    bias = node.optional(1)
    return node.operand(0) if bias is None else Composer(node.insert).add(node.operand(0), bias)
