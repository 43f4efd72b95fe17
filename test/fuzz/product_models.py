"""Products of matrices."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from graph_maker import GraphMaker, SmallModel


def _products(precision: str) -> SmallModel:
    """Matrix products with tails in all three sizes, one with a depth that is worth splitting, one
    whose result is cut between neighbours.
    """
    g = GraphMaker(12)
    x = g.normal("x", 70, 96)
    y = g.op("MatMul", x, g.weight(96, 44))
    y = g.op("Relu", g.op("Add", y, g.weight(44)))
    y = g.op("MatMul", y, g.weight(44, 130))
    z = g.normal("z", 1, 2055)
    long = g.op("MatMul", z, g.weight(2055, 37))
    pairs = g.op("MatMul", g.op("Reshape", x, g.ints(2, 35, 96)), g.normal("w", 2, 96, 19))
    turned = g.op("Gemm", x, g.weight(30, 70), transA=1, transB=1)
    parts = g.ops("Split", 3, g.op("MatMul", x, g.weight(96, 48)), g.ints(19, 10, 19), axis=1)
    return g.model(f"products {precision}", [y, long, pairs, turned, *parts], precision)


def _large_products_fp16() -> SmallModel:
    """Products of so many rows and columns that warpgroups make them, with tails, factors either
    way round.
    """
    g = GraphMaker(18)
    x = g.normal("x", 1000, 264)
    y = g.op("Relu", g.op("Add", g.op("MatMul", x, g.weight(264, 504)), g.weight(504)))
    z = g.op("Gemm", y, g.weight(520, 504), transB=1)
    turned = g.op("Gemm", y, x, transA=1)
    beside = g.op("MatMul", x, g.normal("v", 264, 1544))
    return g.model("large products fp16", [z, turned, beside], "fp16")


def _walking_products_fp16() -> SmallModel:
    """A product of so many tiles that blocks walk over them; their rows are 19."""
    g = GraphMaker(19)
    x = g.op("Gemm", g.normal("x", 2400, 24), g.weight(264, 24), transB=1)
    y = g.op("Relu", g.op("Gemm", x, g.weight(2304, 264), g.weight(2304), transB=1))
    return g.model("walking products fp16", [g.op("MatMul", y, g.weight(2304, 8))], "fp16")


def _odd_lines_fp16() -> SmallModel:
    """A transposition through tiles of halves, whose lines begin anywhere between 16 bytes."""
    g = GraphMaker(24)
    x = g.whole("x", -100, 100, 517, 139, dtype=np.float16)
    return g.model("odd lines fp16", [g.op("Transpose", x, perm=[1, 0])], "fp16")


MODELS: Sequence[Callable[[], SmallModel]] = (
    _large_products_fp16,
    _walking_products_fp16,
    _odd_lines_fp16,
    *(partial(_products, each) for each in ("fp32", "tf32", "fp16", "bf16")),
)
