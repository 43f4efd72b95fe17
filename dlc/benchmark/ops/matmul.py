"""``matmul:MxNxK``: ``[M, K]`` times a weight ``[K, N]``. ``matmul:BxMxNxK``: ``B`` products of two
inputs.
"""

from collections.abc import Callable
from math import prod
from typing import Any

from onnx import NodeProto, helper

from dlc.benchmark.single_op import OpKind, Shapes, SingleOp, Sizes


class _Matmul(OpKind):
    grammar = "matmul:MxNxK or matmul:BxMxNxK"
    counts = ((3, 4),)

    def shapes(self, op: SingleOp) -> Shapes:
        *batch, m, n, k = op.sizes[0]
        return {"a": (*batch, m, k), "b" if batch else "w": (*batch, k, n)}

    def result(self, op: SingleOp) -> Sizes:
        *batch, m, n, _ = op.sizes[0]
        return (*batch, m, n)

    def depth(self, op: SingleOp) -> int:
        return op.sizes[0][-1]

    def flops(self, op: SingleOp) -> int:
        return 2 * prod(op.sizes[0])

    def nodes(self, op: SingleOp) -> list[NodeProto]:
        return [helper.make_node("MatMul", list(op.shapes()), ["y"], "matmul")]

    def torch(self, op: SingleOp, torch: Any) -> Callable[..., Any]:
        return torch.matmul

    def jax(self, op: SingleOp, jax: Any) -> Callable[..., Any]:
        return jax.numpy.matmul


KIND = _Matmul()
