"""Weights by their names: where a group is built there are no arrays of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from dlc.core.weights import WeightStore, WeightType
from dlc.dialects.graph.source import WeightOp
from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError
from dlc.ir.tensor import element_type, numpy_dtype, shape


@dataclass(frozen=True)
class WeightName:
    """A weight whose array is elsewhere. shape: that it should have in the form in which it is
    read. forms: what brings it there from its own, one after the other.
    """

    symbol: str
    shape: tuple[int, ...]
    forms: tuple[Callable[..., Array], ...] = ()

    @staticmethod
    def of(op: WeightOp, store: WeightStore) -> "WeightName":
        """Return the name of a weight of a store, which may be a form of another one."""
        symbol, forms = store.origin(op.symbol.string_value())
        return WeightName(symbol, shape(op.output), forms)

    def array(self, weights: Mapping[str, Array]) -> Array:
        """Return the array. weights: by symbol, in their own forms.

        Raises CompileError for an array that does not come to the shape.
        """
        found = weights[self.symbol]
        for form in self.forms:
            found = form(found)
        if found.shape != self.shape:
            raise CompileError(f"weight @{self.symbol} in the form {self.shape} is not known")
        return found


def declared(module: ModuleOp) -> WeightStore:
    """Return a store of the weights of a module, without their arrays."""
    store = WeightStore()
    for op in module.walk():
        if isinstance(op, WeightOp) and (symbol := op.symbol.string_value()) not in store:
            type = WeightType(shape(op.output), numpy_dtype(element_type(op.output)))
            store.declare(symbol, type)
    return store
