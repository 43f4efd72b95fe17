"""Rotary positions."""

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.gather import GatherOp
from dlc.dialects.graph.properties import integer
from dlc.errors import CompileError, OpenSizeError
from dlc.frontends.onnx.conversion import NodeContext, converts
from dlc.frontends.onnx.ops.heads import join_heads, split_heads
from dlc.ir.tensor import DYNAMIC, element_type, shape

_HEADS_APART = 4


@converts("RotaryEmbedding", since=23)
def _rotary(node: NodeContext) -> SSAValue:
    g, x, places = Composer(node.insert), node.operand(0), node.optional(3)
    tables = [node.operand(1), node.operand(2)]
    heads = 1 if len(shape(x)) == _HEADS_APART else node.integer("num_heads")

    def angles(length: int) -> tuple[SSAValue, SSAValue]:
        return _of_tokens(g, tables) if places is None else rows(g, places, tables, length)

    return _turned(node, g, angles, heads)


@converts("RotaryEmbedding", since=1, domain="com.microsoft")
def _contrib_rotary(node: NodeContext) -> SSAValue:
    g, tables = Composer(node.insert), [node.operand(2), node.operand(3)]
    node.expect(is_packed_batching=0)
    if (scale := node.number("scale", 1.0)) != 1.0:
        raise CompileError(f"scale = {scale} of RotaryEmbedding is not supported")
    heads = node.integer("num_heads", 0) or node.shape(0)[-1] // (2 * shape(tables[0])[-1])
    return _turned(node, g, lambda length: rows(g, node.operand(1), tables, length), heads)


def _turned(
    node: NodeContext,
    g: Composer,
    angles: Callable[[int], tuple[SSAValue, SSAValue]],
    heads: int,
) -> SSAValue:
    """Return input 0 turned. angles: of so many tokens. heads: where they lie beside each other."""
    x, interleaved = node.operand(0), node.integer("interleaved", 0) != 0
    if DYNAMIC in shape(x):
        raise OpenSizeError(node.op_type)
    flat = len(shape(x)) != _HEADS_APART
    apart = split_heads(g, x, heads) if flat else x
    cosines, sines = angles(shape(apart)[2])
    columns, size = shape(cosines)[-1], node.integer("rotary_embedding_dim", 0)
    if size and size != 2 * columns:
        raise CompileError(f"rotary_embedding_dim is {size}, the caches have {columns} columns")
    y = rotated(g, apart, (cosines, sines), interleaved)
    return join_heads(g, y) if flat else y


def _of_tokens(g: Composer, tables: Sequence[SSAValue]) -> tuple[SSAValue, SSAValue]:
    """Return cosines and sines ``[b, s, r]`` of each token as ``[b, 1, s, r]``."""
    cosines, sines = (g.reshape(x, [shape(x)[0], 1, *shape(x)[1:]]) for x in tables)
    return cosines, sines


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
    return _of_tokens(g, [g.insert(GatherOp.make(t, index, axis=integer(0))) for t in tables])


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
