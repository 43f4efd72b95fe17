"""The groups that a compile makes of a model, as an analysis sees them."""

from collections.abc import Collection
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from dlc import arch
from dlc.analysis.entry import find_main, groups
from dlc.analyze.fused import Fused, read_fused
from dlc.analyze.levels import fused
from dlc.analyze.measuring import Measuring
from dlc.core.context import DlcContext
from dlc.core.locations import node_names
from dlc.plan import Planner


@dataclass(frozen=True)
class OwnGroups:
    """times: of all groups. layers: those that each group computes, all or a part of each."""

    times: Fused
    layers: list[list[str]]


def own_groups(
    module: ModuleOp, layers: Collection[str], measuring: Measuring, context: DlcContext
) -> OwnGroups:
    """Return the groups of a module as it was imported; layers: their names."""
    divided = fused(module, measuring.target, measuring.options, context)
    found = groups(find_main(divided))
    known = measuring.of_groups(found, divided, context)
    chip = arch.by_name(measuring.target.name)
    times = read_fused(divided, Planner(chip, known, measuring.options.libraries))
    homes = [(_home(op, layers) for op in group.body.block.ops) for group in found]
    return OwnGroups(times, [[*dict.fromkeys(name for name in each if name)] for each in homes])


def _home(op: Operation, layers: Collection[str]) -> str | None:
    """Return the layer that an op of a group came from first, if it came from one."""
    return next((name for name in node_names(op.location) if name in layers), None)
