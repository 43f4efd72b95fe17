"""Puts the constants that a program reads among the weights of an artifact."""

from xdsl.ir import Attribute

from dlc.analysis.evaluation import constant_value
from dlc.core.weights import WeightStore
from dlc.dialects.graph.structure import GraphOp
from dlc.runtime.packing import WeightFile


class WeightPlacer:
    """Gives each constant op its offset in a weight file; equal ones are computed and kept once."""

    def __init__(self, store: WeightStore, file: WeightFile):
        self.store = store
        self.file = file
        self._offsets: dict[tuple[str, Attribute, tuple[Attribute, ...]], int] = {}

    def __call__(self, op: GraphOp) -> int:
        """Return the offset of a weight, constant or splat, written to the file when it is new."""
        value = op.results[0]
        key = (op.name, value.type, tuple(op.properties.values()))
        if key not in self._offsets:
            array = constant_value(value, self.store)
            assert array is not None
            self._offsets[key] = self.file.add(array)
        return self._offsets[key]
