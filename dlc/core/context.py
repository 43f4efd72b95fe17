"""The context of a compilation: dialects, weights, measured times and the count of rewrites."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from xdsl.context import Context

from dlc.core.measurements import NOTHING, Measurements
from dlc.core.rewrite import RewriteCounter

if TYPE_CHECKING:
    from dlc.core.weights import WeightStore


class DlcContext(Context):
    """xDSL's context with slots for what stays outside the IR: weights and measured times.

    search: divides the ops of blocks into kernels (``dlc.search.Search``) in place of the search
    that ``fuse`` is asked for. record_checks: what raises CompileError for a record attribute that
    is wrong, by the attribute's name; asked when one is parsed. ``dlc.registry.new_context`` makes
    a context that knows every dialect.
    """

    rewrites: RewriteCounter
    record_checks: dict[str, Callable[[Mapping[str, Any]], object]]
    measurements: Measurements
    search: Callable[..., Any] | None
    _weights: WeightStore | None

    def __init__(self, weights: WeightStore | None = None):
        super().__init__()
        self.rewrites = RewriteCounter()
        self.record_checks = {}
        self.measurements = NOTHING
        self.search = None
        self._weights = weights

    @property
    def weights(self) -> WeightStore:
        """The tensors that ``graph.weight`` names; an empty store unless one was given."""
        if self._weights is None:
            # Imported late: numpy doubles the start-up time.
            from dlc.core.weights import WeightStore

            self._weights = WeightStore()
        return self._weights

    @weights.setter
    def weights(self, store: WeightStore) -> None:
        self._weights = store

    def clone(self) -> DlcContext:
        """Return a context with the same dialects, weights, measured times and rewrite counter."""
        copy = DlcContext(self.weights)
        vars(copy).update(vars(super().clone()))
        copy.rewrites = self.rewrites
        copy.record_checks = self.record_checks
        copy.measurements = self.measurements
        copy.search = self.search
        return copy


def dlc_context(context: Context) -> DlcContext:
    """Return what xDSL hands to a pass as the context it is; raises TypeError for a plain one."""
    if not isinstance(context, DlcContext):
        raise TypeError("this pass needs more of a context: use dlc.registry.new_context()")
    return context
