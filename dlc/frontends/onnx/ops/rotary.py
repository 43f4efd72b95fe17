"""Rotary positions, as ONNX Runtime has them."""

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.gather import GatherOp
from dlc.dialects.graph.properties import integer
from dlc.errors import CompileError
from dlc.frontends.onnx.conversion import NodeContext, converts
from dlc.frontends.onnx.ops.heads import join_heads, split_heads
from dlc.ir.tensor import element_type, shape

_HEADS_APART = 4


@converts("RotaryEmbedding", since=1, domain="com.microsoft")
def _rotary(node: NodeContext) -> SSAValue:
    g, x = Composer(node.insert), node.operand(0)
    node.expect(is_packed_batching=0)
    if (scale := node.number("scale", 1.0)) != 1.0:
        raise CompileError(f"scale = {scale} of RotaryEmbedding is not supported")
    tables = [node.operand(2), node.operand(3)]
    size = node.integer("rotary_embedding_dim", 0)
    heads = node.integer("num_heads", 0)
    if size and size != 2 * shape(tables[0])[-1]:
        raise CompileError(
            f"rotary_embedding_dim is {size}, the caches have {shape(tables[0])[-1]} columns"
        )
    turned = node.integer("interleaved", 0) != 0
    if len(shape(x)) == _HEADS_APART:
        return rotated(g, x, rows(g, node.operand(1), tables, shape(x)[2]), turned)
    apart = split_heads(g, x, heads or shape(x)[-1] // (2 * shape(tables[0])[-1]))
    angles = rows(g, node.operand(1), tables, shape(apart)[2])
    return join_heads(g, rotated(g, apart, angles, turned))


def rows(
    g: Composer, places: SSAValue | None, tables: list[SSAValue], length: int
) -> tuple[SSAValue, SSAValue]:
    """Return the cosines and sines of ``length`` places as ``[b or 1, 1, s, r]``.

    places: ``[b, s]``, or the first one of all in one number; ``None``: they are the first ones.
    tables: cosines and sines of each place, ``[most, r]``.
    """
    if places is None:
        if length > shape(tables[0])[0]:
            raise CompileError(f"the caches have {shape(tables[0])[0]} places, not {length}")
        cosines, sines = (
            g.reshape(g.part(table, 0, 0, length), [1, 1, length, shape(table)[1]])
            for table in tables
        )
        return cosines, sines
    if len(shape(places)) == len("bs"):
        index = g.cast(places, i64)
    else:
        first = g.reshape(g.cast(places, i64), [1, 1])
        index = g.add(first, g.reshape(g.positions(length), [1, length]))
    found = [g.insert(GatherOp.make(table, index, axis=integer(0))) for table in tables]
    cosines, sines = (g.reshape(x, [shape(x)[0], 1, *shape(x)[1:]]) for x in found)
    return cosines, sines


def rotated(
    g: Composer, x: SSAValue, angles: tuple[SSAValue, SSAValue], interleaved: bool
) -> SSAValue:
    """Return ``x[b, h, s, d]`` with pairs of its first ``2 * r`` elements turned by angles.

    angles: cosines and sines ``[.., s, r]``. interleaved: whether the elements of a pair are
    neighbours; otherwise they are ``r`` apart.
    """
    cosines, sines = (g.cast(each, element_type(x)) for each in angles)
    *outer, size = shape(x)
    half = shape(cosines)[-1]
    if 2 * half > size:
        raise CompileError(f"{2 * half} elements are rotated in heads of {size}")
    pairs = g.part(x, 3, 0, 2 * half)
    if interleaved:
        pairs = g.reshape(pairs, [*outer, half, 2])
        a, b = (g.reshape(g.part(pairs, 4, i, i + 1), [*outer, half]) for i in range(2))
    else:
        a, b = (g.part(pairs, 3, i * half, (i + 1) * half) for i in range(2))
    turned = [
        g.sub(g.mul(a, cosines), g.mul(b, sines)),
        g.add(g.mul(a, sines), g.mul(b, cosines)),
    ]
    if interleaved:
        columns = [g.reshape(each, [*outer, half, 1]) for each in turned]
        turned = [g.reshape(g.concat(columns, 4), [*outer, 2 * half])]
    if 2 * half < size:
        turned.append(g.part(x, 3, 2 * half, size))
    return g.concat(turned, 3)
