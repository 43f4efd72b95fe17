"""Which loops of a thread are written out, so that registers are indexed by constants."""

from xdsl.dialects import scf

from dlc.core.annotation import Annotation

UNROLL = Annotation("unroll", scf.ForOp)
"""``scf.for .. {unroll}``: the compiler of the text writes the iterations one after the other."""

UNROLL_PAIRS = Annotation("unroll_pairs", scf.ForOp)
"""``scf.for .. {unroll_pairs}``: the same for two iterations at a time."""

STRAIGHT = Annotation("straight", scf.ForOp)
"""``scf.for %i = %thread to .. step %threads {straight}``: ``gpu-unroll-rounds`` writes the
iterations of a thread one after the other.
"""
