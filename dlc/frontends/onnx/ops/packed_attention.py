"""Attention as ONNX Runtime's optimiser writes it.

``mask_filter_value`` is added to the scores of keys that a mask leaves out, so they keep a weight
where a query sees no key at all. A mask of numbers of packed tokens, one of four axes, buffers that
past and present share, and ``unidirectional`` of keys that are not the queries' own are refused.
"""

from collections.abc import Sequence
from itertools import accumulate
from math import sqrt

import ml_dtypes
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from dlc.dialects.graph.comparison import AndOp, WhereOp
from dlc.dialects.graph.composer import Composer
from dlc.errors import CompileError, OpenSizeError
from dlc.frontends.onnx.conversion import NodeContext, converts
from dlc.frontends.onnx.ops.heads import Band, Weighing, compared, join_heads, split_heads
from dlc.ir.tensor import DYNAMIC, element_type, numpy_dtype, shape

_DOMAIN = "com.microsoft"


@converts("Attention", domain=_DOMAIN)
def _attention(node: NodeContext) -> Sequence[SSAValue | None]:
    g, heads = Composer(node.insert), node.integer("num_heads")
    node.expect(past_present_share_buffer=0, do_rotary=0, rotary_embedding_dim=0)
    refuse_inputs(node, 6)
    wide = g.matmul(node.operand(0), node.operand(1))
    if (bias := node.optional(2)) is not None:
        wide = g.add(wide, bias)
    third = shape(wide)[-1] // 3
    sizes = node.integers("qkv_hidden_sizes", [third] * 3)
    if len(sizes) != 3 or sum(sizes) != shape(wide)[-1]:
        raise CompileError(f"qkv_hidden_sizes are {sizes}, the weights have {shape(wide)[-1]}")
    query, key, value = (split_heads(g, x, heads) for x in columns(g, wide, sizes))
    past = node.optional(4)
    if past is not None:
        old = [g.reshape(g.part(past, 0, i, i + 1), shape(past)[1:]) for i in range(2)]
        key, value = g.concat([old[0], key], 2), g.concat([old[1], value], 2)
    y = attended(node, g, (query, key, value), node.optional(3), node.optional(5))
    if not node.has_output(1):
        return [y]
    present = [g.reshape(x, [1, *shape(x)]) for x in (key, value)]
    return [y, g.concat(present, 0)]


@converts("MultiHeadAttention", domain=_DOMAIN)
def _multi_head(node: NodeContext) -> Sequence[SSAValue | None]:
    g, heads = Composer(node.insert), node.integer("num_heads")
    refuse_inputs(node, 8, 9)
    query, key, value = _factors(node, g, heads)
    old = [node.optional(i) for i in (6, 7)]
    if None in old and old != [None, None]:
        raise CompileError(
            "past_key and past_value of MultiHeadAttention are given together, or none of them"
        )
    _check_order(node, shape(query)[2], shape(key)[2])
    key, value = (
        new if past is None else g.concat([past, new], 2)
        for past, new in zip(old, (key, value), strict=True)
    )
    y = attended(node, g, (query, key, value), node.optional(4), node.optional(5))
    return [y, key, value]


def _check_order(node: NodeContext, queries: int, keys: int) -> None:
    """Raise CompileError where it is not known which of the new keys come later than a query.

    The operator's description says nothing of it. ONNX Runtime's CPU lets the last query see all
    keys, and the one before it only as many as the queries up to it.
    """
    if node.integer("unidirectional", 0) and queries != keys:
        raise CompileError(
            f"unidirectional needs a new key for each query, there are {keys} for {queries}"
        )


def _factors(node: NodeContext, g: Composer, heads: int) -> list[SSAValue]:
    """Return queries, keys and values as ``[b, heads, s, d]``, with their bias."""
    given = [node.optional(i) for i in range(3)]
    parts = [part for x in given if x is not None for part in _unpacked(g, x)]
    if len(parts) != 3:
        raise CompileError(
            f"needs queries, keys and values, but its inputs have {len(parts)} parts"
        )
    if (bias := node.optional(3)) is not None:
        sizes = [shape(x)[-1] * (1 if _is_flat(x) else heads) for x in parts]
        pairs = zip(parts, columns(g, bias, sizes), strict=True)
        parts = [g.add(x, own) if _is_flat(x) else x for x, own in pairs]
    return [split_heads(g, x, heads) if _is_flat(x) else x for x in parts]


def _is_flat(x: SSAValue) -> bool:
    """Whether heads lie beside each other; those that are apart are projected already."""
    return len(shape(x)) == len("bsd")


def _unpacked(g: Composer, x: SSAValue) -> list[SSAValue]:
    """Return the parts that ``x[b, s, heads, parts, d]`` has, each ``[b, s, heads * d]``."""
    if len(shape(x)) != len("bshpd"):
        return [x]
    batch, length, heads, parts, size = shape(x)
    each = (g.part(x, 3, i, i + 1) for i in range(parts))
    return [g.reshape(part, [batch, length, heads * size]) for part in each]


def columns(g: Composer, x: SSAValue, sizes: Sequence[int]) -> list[SSAValue]:
    """Return the parts of a tensor of these sizes along its last axis."""
    last, stops = len(shape(x)) - 1, list(accumulate(sizes))
    if stops[-1] != shape(x)[-1]:
        raise CompileError(f"{shape(x)[-1]} columns do not divide into {list(sizes)}")
    return [g.part(x, last, n - size, n) for n, size in zip(stops, sizes, strict=True)]


def refuse_inputs(node: NodeContext, *numbers: int) -> None:
    """Raise CompileError where one of some inputs is given, OpenSizeError where a size is open."""
    for number in numbers:
        if node.optional(number) is not None:
            raise CompileError(f"input {number} of {node.op_type} is not supported")
    given = [x for i in range(node.operand_count) if (x := node.optional(i)) is not None]
    if any(DYNAMIC in shape(x) for x in given):
        raise OpenSizeError(node.op_type)


def attended(
    node: NodeContext,
    g: Composer,
    factors: Sequence[SSAValue],
    padding: SSAValue | None,
    bias: SSAValue | None,
) -> SSAValue:
    """Return what queries, keys and values ``[b, heads, s, d]`` give, as ``[b, s, heads * d]``.

    padding: which keys are seen. bias: what is added to scores.
    """
    query, key, value = factors
    (queries, size), keys = shape(query)[-2:], shape(key)[2]
    least = float(ml_dtypes.finfo(numpy_dtype(element_type(query))).min)  # of 16 bits, too
    low, masks = max(node.number("mask_filter_value", -10000.0), least), list[SSAValue]()
    if padding is not None:
        seen = _seen(g, padding, shape(query)[0], keys)
        zero = g.like(0, query)
        masks.append(g.insert(WhereOp.make(seen, zero, g.like(low, query))))
    if bias is not None:
        masks.append(bias)
    if node.integer("unidirectional", 0):
        places = g.reshape(g.positions(queries), [queries, 1])
        own = g.add(places, g.splat(keys - queries, i64)) if keys > queries else places
        masks += Band(right=0).seen(g, own, keys)
    scale = node.number("scale", 0.0) or 1 / sqrt(size)
    weights = Weighing(scale, masks=masks).stages(g, query, key)[-1]
    return join_heads(g, g.matmul(weights, value))


def _seen(g: Composer, padding: SSAValue, batch: int, keys: int) -> SSAValue:
    """Return which keys are seen, as booleans that broadcast to ``[b, heads, s, t]``.

    padding: a number for each key, ``[b, t]`` or ``[b, s, t]``, above 0 where it is seen; or where
    the keys end, ``[b]``; or these and, behind them, where they begin, ``[2 * b]``.
    """
    sizes = shape(padding)
    if len(sizes) in (2, 3) and sizes[-1] == keys:
        wide = g.reshape(padding, [sizes[0], 1, *([1] if len(sizes) == 2 else []), *sizes[1:]])
        return compared(g, wide, "gt", g.like(0, wide))
    if sizes not in ((batch,), (2 * batch,)):
        raise CompileError(
            f"a mask of shape {list(sizes)} for {batch} x {keys} keys is not supported"
        )
    places = g.positions(keys)
    limits = [
        g.reshape(g.cast(g.part(padding, 0, first, first + batch), i64), [batch, 1, 1, 1])
        for first in range(0, sizes[0], batch)
    ]
    seen = compared(g, places, "lt", limits[0])
    if len(limits) == 1:
        return seen
    return g.insert(AndOp.make(seen, compared(g, places, "ge", limits[1])))
