"""What cuDNN takes for what little is computed of each byte: poolings and functions alone.

The numbers were fitted as those of ``products.py``.
"""

from dlc.libraries._cudnn.kind import Asked
from dlc.libraries._library import Price
from dlc.model.occupancy import BlockResources
from dlc.model.upper_bound import gpu_bound, streaming_work

_EFFICIENCY, _S = 0.75, 2.4e-6
"""The part of the bandwidth, and what poolings and functions take beside a kernel of ours. A
function more costs nothing, and fewer than 50 kB take half of it.
"""

_ERROR = 0.15
"""Root of the mean square over 36 poolings and functions of 50 kB and more, rounded up, since all
are of f16 and of a picture.
"""

_THREADS = 128
"""Of a block."""


def streamed(asked: Asked, more_s: float = 0.0) -> Price:
    """Return the price of a graph by its bytes. more_s: what it takes beside."""
    return by_bytes(asked, _EFFICIENCY, _S + more_s, _ERROR)


def by_bytes(asked: Asked, efficiency: float, more_s: float, error: float) -> Price:
    """Return the price of a kernel that reads and writes by a part of the bandwidth. more_s: what
    it takes beside a kernel of ours.
    """
    chip = asked.chip
    work = streaming_work(0, 0, asked.bytes, chip.sm_count, BlockResources(_THREADS))
    memory_s = asked.bytes / (chip.dram_bytes_per_s * efficiency)
    seconds = 1e-6 * chip.costs.start_us + more_s + memory_s
    return Price(gpu_bound(work, chip), seconds, error, 1e-6 * chip.costs.call_us)
