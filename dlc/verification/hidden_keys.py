"""Attention in which a key that is hidden adds nothing, whatever stands there."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from dlc.analysis.attention import attention_of
from dlc.analysis.evaluation import evaluate
from dlc.dialects.graph.computed import ContractionOp
from dlc.dialects.graph.elementwise import AddOp
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.oracle import Noise

_HIDES = -3.38e38
"""The lowest numbers of bf16 and f32, which are a little lower, hide like minus infinity."""


@dataclass
class HiddenKeys:
    """Computes products of weights so that a weight of zero times NaN or infinity is zero, and a
    score that minus infinity is added to is minus infinity.

    Kernels leave out keys that a mask hides, and give zeros for queries that see none; in single
    steps NaN of such keys would come through. Both are right (``errors_beyond``, forms that
    differ).

    products, masks: the ops that are computed so. inner: moves values besides.
    """

    products: frozenset[Operation]
    masks: frozenset[Operation]
    inner: Noise | None = None
    _found: dict[Operation, tuple[Array, Array]] = field(
        default_factory=dict[Operation, tuple[Array, Array]]
    )

    @classmethod
    def of(cls, module: ModuleOp) -> "HiddenKeys | None":
        """Return those of a module without composite ops; ``None`` where it has no attention."""
        ops = [op for op in module.walk() if isinstance(op, ContractionOp)]
        found = [each for op in ops if (each := attention_of(op)) is not None]
        masks = (op for each in found for op in each.between if isinstance(op, AddOp))
        return cls(frozenset(each.product for each in found), frozenset(masks)) if found else None

    def beside(self, noise: Noise | None) -> "HiddenKeys":
        """Return the same, with noise besides."""
        return HiddenKeys(self.products, self.masks, noise)

    def operands(self, op: GraphOp, operands: Sequence[Array]) -> Sequence[Array]:
        """Return what ``op`` computes with in place of ``operands``."""
        moved = operands if self.inner is None else self.inner.operands(op, operands)
        if op in self.masks:
            return _hiding(moved)
        if op not in self.products or np.isfinite(moved[1]).all():
            return moved
        weights, values, *rest = moved
        strange = ~np.isfinite(values)
        seen = (weights != 0).astype(np.float64), strange.astype(np.float64)
        (met,) = evaluate(op, [*seen, *rest])
        (whole,) = evaluate(op, moved)
        self._found[op] = met > 0, whole
        return [weights, np.where(strange, 0, values), *rest]

    def results(self, op: GraphOp, results: Sequence[Array]) -> Sequence[Array]:
        """Return what ``op`` gives in place of ``results``."""
        if (found := self._found.pop(op, None)) is not None:
            met, whole = found
            results = [np.where(met, whole, results[0])]
        return results if self.inner is None else self.inner.results(op, results)


def _hiding(operands: Sequence[Array]) -> list[Array]:
    """Return summands, finite where the other one hides."""
    first, second = operands
    hidden = np.asarray(first <= _HIDES) | np.asarray(second <= _HIDES)
    sizes = np.broadcast_shapes(first.shape, second.shape)
    return [
        np.where(hidden & ~(x <= _HIDES), 0, np.broadcast_to(x, sizes)) for x in (first, second)
    ]
