"""Strategy ``contract``: a contraction in tiles, with what surrounds it.

Schedule keys on a CPU: ``tile`` is the register tile (rows, columns); ``cores`` says whether the
tiles run on several cores.
"""

from dlc.lowering import _contract_cpu
from dlc.lowering._job import Job


def lower(job: Job) -> None:
    """Write the loops over the tiles of the group's contraction."""
    _contract_cpu.lower(job)
