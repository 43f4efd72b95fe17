"""What operators of attention share: heads, masks, and the scores that become weights."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import StringAttr, i1
from xdsl.ir import Attribute, SSAValue

from dlc.dialects.graph.comparison import CompareOp, IsNanOp, WhereOp
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.math import TanhOp
from dlc.dialects.graph.properties import integer
from dlc.dialects.graph.softmax import SoftmaxOp
from dlc.errors import CompileError
from dlc.ir.tensor import element_type, shape

LOWEST = float("-inf")


def split_heads(g: Composer, x: SSAValue, heads: int) -> SSAValue:
    """Return ``x[b, s, heads * d]`` as ``[b, heads, s, d]``; raises CompileError where the last
    axis does not divide.
    """
    batch, length, size = shape(x)
    if heads < 1 or size % heads:
        raise CompileError(f"{size} elements do not divide into {heads} heads")
    return g.transpose(g.reshape(x, [batch, length, heads, size // heads]), [0, 2, 1, 3])


def join_heads(g: Composer, x: SSAValue) -> SSAValue:
    """Return ``x[b, heads, s, d]`` as ``[b, s, heads * d]``."""
    batch, heads, length, size = shape(x)
    return g.reshape(g.transpose(x, [0, 2, 1, 3]), [batch, length, heads * size])


def repeat_heads(g: Composer, x: SSAValue, heads: int) -> SSAValue:
    """Return ``x[b, n, s, d]`` with each head as often as makes ``heads`` of them, its copies after
    each other; raises CompileError where ``heads`` is no multiple of ``n``.
    """
    batch, own, length, size = shape(x)
    if own < 1 or heads % own:
        raise CompileError(f"{heads} heads of queries are no multiple of {own} heads of keys")
    if own == heads:
        return x
    apart = g.reshape(x, [batch, own, 1, length, size])
    wide = g.broadcast(apart, [batch, own, heads // own, length, size])
    return g.reshape(wide, [batch, heads, length, size])


def compared(g: Composer, lhs: SSAValue, predicate: str, rhs: SSAValue) -> SSAValue:
    """Return the booleans of a comparison (``le``: lhs is at most rhs)."""
    return g.insert(CompareOp.make(lhs, rhs, predicate=StringAttr(predicate)))


@dataclass(frozen=True)
class Band:
    """Which keys a query sees by their places: from ``left`` before its own up to ``right`` behind
    it; ``None`` for no limit. Causal: up to 0 behind.
    """

    left: int | None = None
    right: int | None = None

    def seen(self, g: Composer, query_places: SSAValue, keys: int) -> list[SSAValue]:
        """Return the booleans for places of queries ``[.., s, 1]`` and keys ``[keys]``."""
        places, found = g.positions(keys), list[SSAValue]()
        if self.right is not None:
            last = _moved(g, query_places, self.right)
            found.append(compared(g, places, "le", last))
        if self.left is not None:
            first = _moved(g, query_places, -self.left)
            found.append(compared(g, places, "ge", first))
        return found

    def leaves_empty(self, first: int, queries: int, keys: int) -> bool:
        """Whether a query sees none of the keys; the first query stands at place ``first``."""
        last = first + queries - 1
        return keys < 1 or (self.left is not None and last - self.left >= keys)


def _moved(g: Composer, places: SSAValue, by: int) -> SSAValue:
    return g.add(places, g.like(by, places)) if by else places


@dataclass(frozen=True)
class Weighing:
    """How scores become weights.

    scale: of the products. softcap: scores stay within it; 0 for no limit. masks: numbers that are
    added, booleans that choose which keys are seen. element: what the softmax is computed in, by
    default the type of the scores. empty: whether a query may see no key at all; its weights are 0.
    """

    scale: float
    softcap: float = 0.0
    masks: Sequence[SSAValue] = ()
    element: Attribute | None = None
    empty: bool = False

    def stages(self, g: Composer, query: SSAValue, key: SSAValue) -> list[SSAValue]:
        """Return the scores of ``query[b, h, s, d]`` and ``key[b, h, t, d]``, scaled; then capped;
        then masked; then the weights. All are ``[b, h, s, t]`` in the type of the query.
        """
        scores = g.matmul(query, key, transpose_rhs=True)
        scores = g.mul(scores, g.like(self.scale, scores))
        capped = self._capped(g, scores)
        masked = capped
        for mask in self.masks:
            masked = _masked(g, masked, mask)
        return [scores, capped, masked, self._weights(g, masked)]

    def _capped(self, g: Composer, scores: SSAValue) -> SSAValue:
        if not self.softcap:
            return scores
        limit = g.like(self.softcap, scores)
        return g.mul(g.insert(TanhOp.make(g.div(scores, limit))), limit)

    def _weights(self, g: Composer, scores: SSAValue) -> SSAValue:
        wide = g.cast(scores, self.element or element_type(scores))
        weights = g.insert(SoftmaxOp.make(wide, axis=integer(len(shape(wide)) - 1)))
        if self.empty:
            test = g.insert(IsNanOp.make(weights))
            weights = g.insert(WhereOp.make(test, g.like(0, weights), weights))
        return g.cast(weights, element_type(scores))


def _masked(g: Composer, scores: SSAValue, mask: SSAValue) -> SSAValue:
    if element_type(mask) == i1:
        return g.insert(WhereOp.make(mask, scores, g.like(LOWEST, scores)))
    return g.add(scores, g.cast(mask, element_type(scores)))
