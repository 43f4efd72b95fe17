"""Strategy ``contract``: a contraction in tiles, with what surrounds it.

A schedule with an ``instruction`` is for a GPU.
"""

from dlc.lowering import _contract_cpu, _contract_gpu
from dlc.lowering._job import Job


def lower(job: Job) -> None:
    """Write the loops over the tiles of the group's contraction."""
    if "instruction" in job.schedule:
        _contract_gpu.lower(job)
    else:
        _contract_cpu.lower(job)
