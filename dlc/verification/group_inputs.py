"""Values for the inputs of a group that is checked on its own."""

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from dlc.analysis.entry import find_main, input_names
from dlc.analysis.evaluation import constant_value
from dlc.analysis.ungrouped import without_groups
from dlc.core.weights import WeightStore
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.ir.tensor import element_type, numpy_dtype, shape
from dlc.oracle import run_block
from dlc.verification.float_inputs import FloatDraw, ordinary
from dlc.verification.integer_inputs import integer_inputs


class GroupInputs:
    """Gives each tensor of ``main`` an array: constants their own, floats those of ``draw``.

    Integers are what the model makes of such floats, since they mean something to the group that
    reads them (places, ranks); those that the user gives are ordinary ones (``IntegerInput``).
    """

    def __init__(self, groups: ModuleOp, weights: WeightStore, draw: FloatDraw = ordinary):
        self._draw = draw
        flat = without_groups(groups)
        main = find_main(flat)
        names = input_names(main)
        self._names: dict[SSAValue, str] = dict(zip(find_main(groups).args, names, strict=True))
        self._integers = integer_inputs(flat, weights)
        self._weights = weights
        self._generator = np.random.default_rng(0)
        self._arrays: dict[SSAValue, Array] = {}

    def __getitem__(self, value: SSAValue) -> Array:
        if value not in self._arrays:
            self._arrays[value] = np.asarray(self._make(value), order="C")
        return self._arrays[value]

    def _make(self, value: SSAValue) -> Array:
        known = constant_value(value, self._weights)
        if known is not None:
            return known
        dtype, owner = numpy_dtype(element_type(value)), value.owner
        if isinstance(owner, GraphOp):  # a view
            found = owner.reference(*(self[x] for x in owner.operands))
            assert isinstance(found, np.ndarray)
            return found
        if dtype.kind not in "biu":
            return self._draw(self._generator, shape(value), dtype).astype(dtype)
        if isinstance(owner, GroupOp):
            inputs = [self[x] for x in owner.inputs]
            return run_block(owner.body.block, inputs, self._weights)[owner.results.index(value)]
        given = self._integers[self._names[value]]
        return given.ordinary(self._generator).astype(dtype)
