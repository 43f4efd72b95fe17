"""Strategy ``stitched``: ops that no other strategy computes in one kernel, as stages of one, each
as that strategy does it which computes these ops alone. Values get from one stage to the next
through global memory, where threads meet in between: those of a block, of a cluster, or of the
whole grid.

Small kernels gain: the start of a kernel takes longer than a meeting of a cluster. Whether one does
is the plan's to find out; ``boundaries`` say what one kernel would lose at least.

FusionStitching (Zheng et al., 2020) and AStitch (Zheng et al., ASPLOS 2022) call this block and
global composition.
"""

from collections.abc import Iterator

from dlc.analysis.dataflow import Cluster
from dlc.strategies._strategy import FOREIGN, Stages, Strategy
from dlc.strategies.stitched import gpu
from dlc.strategies.stitched.space import least_s
from dlc.strategies.stitched.stages import MOST_STAGES, stages_of


def _obstacles(cluster: Cluster) -> Iterator[str]:
    stages = stages_of(cluster)
    if len(stages) < 2:
        yield FOREIGN
    if len(stages) > MOST_STAGES:
        yield f"more than {MOST_STAGES} stages"


STRATEGY = Strategy(
    "ops of several strategies, one stage after the other",
    "the blocks of a launch compute the stages together and meet in between",
    _obstacles,
    {"gpu": gpu.IMPLEMENTATION},
    stages=Stages(stages_of, least_s, {"gpu": gpu.GAINING}),
)
