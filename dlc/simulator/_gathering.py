"""Operations that the threads of a group come to together: whether all of them do."""

import numpy as np

from dlc.arch.scope import Scope
from dlc.simulator._faults import Site
from dlc.simulator._threads import Active, Batch


def check_together(batch: Batch, site: Site, active: Active, scope: Scope) -> None:
    """Fail unless all threads of each group of a ``scope`` are active or none is."""
    wanted = batch.threads_of(scope)
    block = batch.threads_per_block
    if active.full and block % min(wanted, block) == 0:
        return
    if scope is Scope.CLUSTER:  # the scheduler lets those meet that have not ended
        return
    groups = batch.groups(scope)
    present = np.bincount(groups[active.index])
    bad = (present != 0) & (present != wanted)
    if not bad.any():
        return
    group = int(np.argmax(bad))
    if scope in (Scope.BLOCK, Scope.GRID):
        missing = int(np.argmax((groups == group) & ~active.mask))
        others = f"others of its {scope.name.lower()} wait"
        site.fail(batch, missing, f"does not come to a barrier where {others}")
    thread = int(active.threads[np.argmax(groups[active.index] == group)])
    lanes = "lanes of its warp" if scope is Scope.WARP else f"threads of its {scope.name.lower()}"
    site.fail(batch, thread, f"is reached by {present[group]} of the {wanted} {lanes}")
