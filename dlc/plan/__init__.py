"""The one price of a cluster: every strategy that can make its kernel is asked, and the best
schedules are kept in order.

Whoever needs to know what a kernel costs, or which schedule it should have, asks for a plan. There
is no other cost function.
"""

from dlc.plan.calls import fitting
from dlc.plan.candidate import Candidate
from dlc.plan.plan import INDISTINCT, NoPlan, Plan
from dlc.plan.planner import Planner, forget
from dlc.plan.saving import Saving, saving
from dlc.plan.structure import Structure, structure
from dlc.plan.writing import write

__all__ = [
    "INDISTINCT",
    "Candidate",
    "NoPlan",
    "Plan",
    "Planner",
    "Saving",
    "Structure",
    "fitting",
    "forget",
    "saving",
    "structure",
    "write",
]
