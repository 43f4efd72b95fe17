"""Values for the launches of a group that is checked on its own."""

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from dlc.analysis.entry import find_main, group_results, groups
from dlc.analysis.evaluation import constant_value
from dlc.core.weights import WeightStore
from dlc.dialects.fused_group import LaunchOp
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.verification.group_inputs import GroupInputs


class LaunchInputs:
    """Gives the tensors of a lowered ``main`` the arrays that they have before lowering.

    lowered, grouped: the module of launches, and that of the groups which they compute. inputs: the
    arrays of the latter. What a launch hands to another of its group is only there once it ran.
    """

    def __init__(
        self, lowered: ModuleOp, grouped: ModuleOp, inputs: GroupInputs, weights: WeightStore
    ):
        main, before = find_main(lowered), find_main(grouped)
        given = group_results(main)
        self._before: dict[SSAValue, SSAValue] = dict(zip(main.args, before.args, strict=True))
        for group in groups(before):
            results = given.get(group.sym_name.data, ())
            self._before.update(zip(results, group.results, strict=True))
        self._inputs = inputs
        self._weights = weights
        self._handed: dict[SSAValue, Array] = {}

    def of(self, launch: LaunchOp) -> list[Array]:
        """Return what a launch takes."""
        return [np.asarray(self._array(x), order="C") for x in launch.inputs]

    def hand_on(self, launch: LaunchOp, results: Sequence[Array]) -> None:
        """Let later launches of the group take the results of one."""
        self._handed.update(zip(launch.outputs, results, strict=True))

    def _array(self, value: SSAValue) -> Array:
        if value in self._handed:
            return self._handed[value]
        if value in self._before:
            return self._inputs[self._before[value]]
        known = constant_value(value, self._weights)
        if known is not None:
            return known
        view = value.owner
        assert isinstance(view, GraphOp)
        found = view.reference(*map(self._array, view.operands))
        assert isinstance(found, np.ndarray)
        return found
