"""Attention.

A query that may see no key, because of a mask or lengths, gets zeros there, as ONNX has it; where
it may, so does a query whose scores are no numbers (NaN).
"""

from collections.abc import Sequence
from math import sqrt

from xdsl.dialects.builtin import StringAttr, i1, i64
from xdsl.ir import Attribute, SSAValue

from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.pad import PadOp
from dlc.dialects.graph.properties import element_attribute, integers
from dlc.errors import CompileError, OpenSizeError
from dlc.frontends.onnx.conversion import NodeContext, converts
from dlc.frontends.onnx.ops.heads import (
    LOWEST,
    Band,
    Weighing,
    compared,
    join_heads,
    repeat_heads,
    split_heads,
)
from dlc.frontends.onnx.tensors import element_dtype
from dlc.ir.tensor import DYNAMIC, element_type, element_type_of, is_float, shape

_MODES = 4


@converts("Attention", since=23)
def _attention(node: NodeContext) -> Sequence[SSAValue | None]:
    g = Composer(node.insert)
    query, key, value = _factors(node, g)
    past = [node.optional(i) for i in (4, 5)]
    if None in past and past != [None, None]:
        raise CompileError("Attention takes past_key and past_value together, not one of them")
    first = 0 if past[0] is None else shape(past[0])[2]
    keys, values = (
        new if old is None else g.concat([old, new], 2)
        for old, new in zip(past, (key, value), strict=True)
    )
    heads = shape(query)[1]
    weighing = _weighing(node, g, query, shape(keys)[2], first)
    stages = weighing.stages(g, query, repeat_heads(g, keys, heads))
    seen = repeat_heads(g, g.cast(values, element_type(query)), heads)
    y = g.matmul(stages[-1], seen)
    mode = node.integer("qk_matmul_output_mode", 0)
    if not 0 <= mode < _MODES:
        raise CompileError(f"qk_matmul_output_mode is {mode}, should be 0, 1, 2 or 3")
    return [y if len(node.shape(0)) > len("bsd") else join_heads(g, y), keys, values, stages[mode]]


def _factors(node: NodeContext, g: Composer) -> list[SSAValue]:
    """Return queries, keys and values as ``[b, heads, s, d]``."""
    given = [node.operand(i) for i in range(3)]
    all_given = [x for i in range(node.operand_count) if (x := node.optional(i)) is not None]
    if any(DYNAMIC in shape(x) for x in all_given):
        raise OpenSizeError(node.op_type)
    ranks = {len(shape(x)) for x in given}
    if ranks == {3}:
        counts = [node.integer(name) for name in ("q_num_heads", "kv_num_heads")]
        return [split_heads(g, x, counts[min(i, 1)]) for i, x in enumerate(given)]
    if ranks != {4}:
        raise CompileError("Q, K and V of Attention have three axes each, or four")
    node.disregard("q_num_heads", "kv_num_heads")  # they are sizes
    return given


def _weighing(node: NodeContext, g: Composer, query: SSAValue, keys: int, first: int) -> Weighing:
    """Return how scores become weights. first: the keys before the first query's own."""
    queries, size = shape(query)[-2:]
    mask, lengths = node.optional(3), node.optional(6)
    masks: list[SSAValue] = [] if mask is None else [_widened(g, mask, query, keys)]
    band, at = _band(node), g.reshape(g.positions(queries), [queries, 1])
    empty = mask is not None or band.leaves_empty(first, queries, keys)
    if lengths is not None:
        counts = g.reshape(lengths, [*shape(lengths), 1, 1, 1])
        masks.append(compared(g, g.positions(keys), "lt", counts))
        at, empty = g.add(at, g.sub(counts, g.splat(queries, i64))), True
    elif first:
        at = g.add(at, g.splat(first, i64))
    return Weighing(
        scale=node.number("scale", 1 / sqrt(size)),
        softcap=node.number("softcap", 0.0),
        masks=[*masks, *band.seen(g, at, keys)],
        element=_precision(node),
        empty=empty,
    )


def _band(node: NodeContext) -> Band:
    left, right = (node.integer(f"{side}_window_size", -1) for side in ("left", "right"))
    if min(left, right) < -1:
        raise CompileError(f"window sizes of Attention are {left} and {right}, -1 is the least")
    if node.integer("is_causal", 0):
        right = 0
    return Band(None if left < 0 else left, None if right < 0 else right)


def _widened(g: Composer, mask: SSAValue, query: SSAValue, keys: int) -> SSAValue:
    """Return a mask for all keys; those behind its last ones are not seen."""
    *others, size = shape(mask)
    if not is_float(element_type(mask)) and element_type(mask) != i1:
        mask = g.cast(mask, element_type(query))
    if size == keys:
        return mask
    if size > keys:
        raise CompileError(f"the mask of Attention has {size} columns for {keys} keys")
    fill = element_attribute(LOWEST if element_type(mask) != i1 else 0, element_type(mask))
    none = [0] * len(others)
    low, high = integers([*none, 0]), integers([*none, keys - size])
    return g.insert(PadOp.make(mask, mode=StringAttr("constant"), value=fill, low=low, high=high))


def _precision(node: NodeContext) -> Attribute | None:
    """Return what the softmax is computed in; ``None`` for the type of the scores."""
    kind = node.integer("softmax_precision", 0)
    if not kind:
        return None
    element = element_type_of(element_dtype(kind))
    if not is_float(element):
        raise CompileError(f"softmax_precision of Attention is {element}, should be a float")
    return element
