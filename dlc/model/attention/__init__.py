"""How long attention as one kernel probably takes on a GPU.

A block has some rows of queries and goes through the keys step by step. Its warps multiply, take
exponentials and multiply again; one warp's products run under another one's exponentials.
"""

from dlc.model.attention.estimate import estimate_s
from dlc.model.attention.kernel import AttentionKernel, violation
from dlc.model.attention.step import step_work

__all__ = ["AttentionKernel", "estimate_s", "step_work", "violation"]
