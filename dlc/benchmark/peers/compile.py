"""``torch.compile`` with CUDA graphs (``reduce-overhead``)."""

from dlc.benchmark.peers._compiled import Compiled

PEER = Compiled("reduce-overhead")
