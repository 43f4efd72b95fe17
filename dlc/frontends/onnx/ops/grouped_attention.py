"""Attention with fewer heads of keys than of queries, as generating models have it.

Past and present keys are buffers of which ``seqlens_k + 1`` elements mean something. New keys
follow the old ones of their sequence; behind them the present has zeros.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from dlc.dialects.graph.comparison import WhereOp
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.elementwise import MaxOp, MinOp
from dlc.dialects.graph.gather import GatherNdOp
from dlc.dialects.graph.properties import integer
from dlc.errors import CompileError
from dlc.frontends.onnx.conversion import NodeContext, converts
from dlc.frontends.onnx.ops.heads import (
    Band,
    Weighing,
    compared,
    join_heads,
    repeat_heads,
    split_heads,
)
from dlc.frontends.onnx.ops.packed_attention import columns, refuse_inputs
from dlc.frontends.onnx.ops.rotary import rotated, rows
from dlc.ir.tensor import shape


@converts("GroupQueryAttention", domain="com.microsoft")
def _group_query(node: NodeContext) -> Sequence[SSAValue | None]:
    g, heads = Composer(node.insert), node.integer("num_heads")
    refuse_inputs(node, *range(11, 16))
    node.expect(smooth_softmax=0, qk_output=0, kv_cache_bit_width=0)
    query, key, value = _factors(node, g, heads)
    cache = _cache(node, g, shape(query)[2])
    if node.integer("do_rotary", 0):
        query, key = _turned(node, g, query, key, cache)
    keys, values = (cache.joined(g, node.optional(i), x) for i, x in ((3, key), (4, value)))
    window = node.integer("local_window_size", -1)
    if window == 0 or window < -1:
        raise CompileError(f"local_window_size is {window}, should be positive, or -1 for none")
    band = Band(None if window < 0 else window - 1, 0)
    bias = node.optional(10)
    masks = [*([] if bias is None else [bias]), *band.seen(g, cache.places(g), cache.size)]
    scale = node.number("scale", 0.0) or 1 / sqrt(shape(query)[-1])
    weighing = Weighing(scale, node.number("softcap", 0.0), masks)
    weights = weighing.stages(g, query, repeat_heads(g, keys, heads))[-1]
    return [join_heads(g, g.matmul(weights, repeat_heads(g, values, heads))), keys, values]


def _factors(node: NodeContext, g: Composer, heads: int) -> list[SSAValue]:
    """Return queries, keys and values as ``[b, heads, s, d]``."""
    own, packed = node.integer("kv_num_heads"), node.operand(0)
    counts = [heads, own, own]
    if node.optional(1) is not None:
        given = [node.operand(i) for i in range(3)]
    else:
        size = shape(packed)[-1] // sum(counts)
        given = columns(g, packed, [size * count for count in counts])
    return [split_heads(g, x, count) for x, count in zip(given, counts, strict=True)]


@dataclass(frozen=True)
class _Cache:
    """Where keys are. size: of the present ones. past: of the buffer of past ones. queries: new
    ones. before: how many are before the new ones in each sequence, ``[b]``; ``None`` for none.
    """

    size: int
    past: int
    queries: int
    before: SSAValue | None

    def places(self, g: Composer) -> SSAValue:
        """Return the place of each query among the keys of its sequence, ``[b or 1, 1, s, 1]``."""
        if self.before is None:
            return g.reshape(g.positions(self.queries), [1, 1, self.queries, 1])
        first = g.reshape(self.before, [*shape(self.before), 1, 1, 1])
        if self.queries == 1:
            return first
        return g.add(first, g.reshape(g.positions(self.queries), [1, 1, self.queries, 1]))

    def joined(self, g: Composer, past: SSAValue | None, new: SSAValue) -> SSAValue:
        """Return the present keys or values of past and new ones."""
        if self.before is None or past is None:
            return g.pad(new, [0] * 4, [0, 0, self.size - self.queries, 0])
        before = g.reshape(self.before, [*shape(self.before), 1, 1, 1])
        places = g.reshape(g.positions(self.size), [1, 1, self.size, 1])
        is_old = compared(g, places, "lt", before)
        if self.queries == 1:
            is_new, spread = compared(g, places, "eq", before), new
        else:
            own = g.sub(places, before)
            is_new = compared(g, own, "lt", g.splat(self.queries, i64))
            spread = self._spread(g, new, own)
        behind = g.insert(WhereOp.make(is_new, spread, g.like(0, new)))
        old = g.pad(past, [0] * 4, [0, 0, self.size - self.past, 0])
        return g.insert(WhereOp.make(is_old, old, behind))

    def _spread(self, g: Composer, new: SSAValue, own: SSAValue) -> SSAValue:
        """Return the new element of each place, any for a place that has none.

        own: which new one each place has, ``[b, 1, t, 1]``.
        """
        last = g.splat(self.queries - 1, i64)
        inside = g.insert(MinOp.make(g.insert(MaxOp.make(own, g.splat(0, i64))), last))
        index = g.reshape(inside, [shape(new)[0], self.size, 1])
        rows = g.transpose(new, [0, 2, 1, 3])
        taken = g.insert(GatherNdOp.make(rows, index, batch_axes=integer(1)))
        return g.transpose(taken, [0, 2, 1, 3])


def _cache(node: NodeContext, g: Composer, queries: int) -> _Cache:
    total = int(np.max(node.require_constant(6, "total sequence length", "it is a size")))
    past = 0 if node.optional(3) is None else node.shape(3)[2]
    if queries > total:
        raise CompileError(f"the total sequence length is {total}, there are {queries} queries")
    size = max(past, total)
    if queries == total:
        return _Cache(size, past, queries, None)
    lengths = g.cast(g.reshape(node.operand(5), [node.shape(0)[0]]), i64)
    before = g.sub(lengths, g.splat(queries - 1, i64)) if queries > 1 else lengths
    return _Cache(size, past, queries, before)


def _turned(
    node: NodeContext, g: Composer, query: SSAValue, key: SSAValue, cache: _Cache
) -> list[SSAValue]:
    """Return queries and keys turned by their places."""
    places = node.optional(9)
    if places is None and cache.before is not None:
        flat = cache.places(g)
        places = g.reshape(flat, [shape(flat)[0], cache.queries])
    angles = rows(g, places, [node.operand(7), node.operand(8)], cache.queries)
    interleaved = node.integer("rotary_interleaved", 0) != 0
    return [rotated(g, x, angles, interleaved) for x in (query, key)]
