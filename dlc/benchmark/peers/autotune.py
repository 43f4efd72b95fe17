"""``torch.compile`` that measures its kernels (``max-autotune``)."""

from dlc.benchmark.peers._compiled import Compiled

PEER = Compiled("max-autotune")
