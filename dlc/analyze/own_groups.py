"""The groups that a compile makes of a model, as an analysis sees them."""

from collections.abc import Collection
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from dlc import arch
from dlc.analysis.entry import find_main, groups
from dlc.analyze.fused import Fused, read_fused
from dlc.analyze.levels import fused
from dlc.analyze.measuring import Measuring
from dlc.analyze.naming import layers_of
from dlc.core.context import DlcContext
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
    homes = [layers_of(group.body.block, layers.__contains__).values() for group in found]
    return OwnGroups(times, [[*dict.fromkeys(x for x in each if x in layers)] for each in homes])
