"""``attention:BxHxSxD``: softmax(q kᵀ / √D) v of ``H`` heads with ``S`` queries; ``keys=``: another
number of keys.
"""

from collections.abc import Callable
from math import prod, sqrt
from typing import Any

import numpy as np
from onnx import NodeProto, helper, numpy_helper

from dlc.benchmark.single_op import OpKind, Shapes, SingleOp, Sizes
from dlc.errors import CompileError


class _Attention(OpKind):
    grammar = "attention:BxHxSxD"
    counts = ((4,),)
    options = ("keys",)

    def check(self, op: SingleOp) -> None:
        if op.options.get("keys") == 0:
            raise CompileError("keys are 1 or more", at=op.text)

    def shapes(self, op: SingleOp) -> Shapes:
        b, h, s, d = op.sizes[0]
        keys = op.options.get("keys", s)
        return {"q": (b, h, s, d), "k": (b, h, keys, d), "v": (b, h, keys, d)}

    def result(self, op: SingleOp) -> Sizes:
        return op.sizes[0]

    def depth(self, op: SingleOp) -> int:
        return op.sizes[0][-1]

    def flops(self, op: SingleOp) -> int:
        return 4 * prod(op.sizes[0]) * op.shapes()["k"][2]

    def nodes(self, op: SingleOp) -> list[NodeProto]:
        scale = np.array(1 / sqrt(self.depth(op)), op.dtype)
        return [
            helper.make_node(
                "Constant", [], ["scale"], value=numpy_helper.from_array(scale, "scale")
            ),
            helper.make_node("Transpose", ["k"], ["kt"], "transpose", perm=[0, 1, 3, 2]),
            helper.make_node("MatMul", ["q", "kt"], ["scores"], "scores"),
            helper.make_node("Mul", ["scores", "scale"], ["scaled"], "scale"),
            helper.make_node("Softmax", ["scaled"], ["weights"], "softmax", axis=-1),
            helper.make_node("MatMul", ["weights", "v"], ["y"], "values"),
        ]

    def torch(self, op: SingleOp, torch: Any) -> Callable[..., Any]:
        return torch.nn.functional.scaled_dot_product_attention

    def jax(self, op: SingleOp, jax: Any) -> Callable[..., Any]:
        def attend(q: Any, k: Any, v: Any) -> Any:
            heads_last = (x.swapaxes(1, 2) for x in (q, k, v))
            return jax.nn.dot_product_attention(*heads_last).swapaxes(1, 2)

        return attend


KIND = _Attention()
