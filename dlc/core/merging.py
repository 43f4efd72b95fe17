"""Merges equal ops by xDSL's driver, and keeps where all of them come from."""

from dataclasses import dataclass, field

from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Operation
from xdsl.transforms.common_subexpression_elimination import CSEDriver

from dlc.core.locations import joined


def merge_equal_ops(root: Operation) -> None:
    """Keep the first of equal ops inside ``root`` that have no effects, at the locations of all."""
    driver = _Driver()
    driver.simplify(root)
    for op, locations in driver.locations.items():
        op.location = joined([op.location, *locations])


@dataclass
class _Driver(CSEDriver):
    """Notes the locations of ops that are erased, those inside of them too, by the op that stays.

    They are joined at the end: of many equal ops, once.
    """

    locations: dict[Operation, list[LocationAttr]] = field(
        default_factory=dict[Operation, list[LocationAttr]]
    )

    def _replace_and_delete(self, op: Operation, existing: Operation) -> None:
        super()._replace_and_delete(op, existing)
        if any(result.first_use for result in op.results):
            return
        for kept, erased in zip(existing.walk(), op.walk(), strict=True):
            self.locations.setdefault(kept, []).append(erased.location)
