"""Strategy ``recurrent``: all steps of a loop (LSTM, GRU, RNN, ``Scan``) in one kernel.

Its blocks run at the same time, and each has the weights of some units in registers. After each
step a block publishes the new states of its units, and waits for those of all others. The state is
its own signal: who reads it sees whether it is there.

A step has phases where products depend on each other: what blocks publish in one, the next one
multiplies. A GRU that resets its state before the product has two, an LSTM has one.

A loop becomes such a kernel where its states have one shape, sequences by units, some of them are
multiplied by weights, and all else of a step is done unit by unit. Others, and loops that take less
time so, are kernels for each step.
"""

from collections.abc import Iterator

from dlc.analysis.dataflow import Cluster
from dlc.analysis.epilogue import NotFusibleError
from dlc.ir.tensor import element_bytes, is_float
from dlc.strategies._strategy import FOREIGN, Strategy
from dlc.strategies.recurrent import cpu, gpu
from dlc.strategies.recurrent.cell_of_loop import cell_of
from dlc.strategies.recurrent.work import loop_of

_EXCHANGED_BYTES = (2, 4)
"""Of an element that blocks exchange: a word has one or two."""


def _obstacles(cluster: Cluster) -> Iterator[str]:
    loop = loop_of(cluster)
    if loop is None:
        yield FOREIGN
        return
    try:
        cell = cell_of(loop)
    except NotFusibleError as reason:
        yield str(reason)
        return
    element = cell.exchanged_type
    if not is_float(element) or element_bytes(element) not in _EXCHANGED_BYTES:
        yield f"a state of {element}; blocks exchange floats of 16 or 32 bits"


STRATEGY = Strategy(
    "a loop of steps with products of states, or of what these give, and weights (LSTM, GRU, RNN)",
    "units and sequences per block, all blocks at the same time; weights in registers; mma or FMA "
    "micro-kernel",
    _obstacles,
    {"gpu": gpu.IMPLEMENTATION, "cpu": cpu.IMPLEMENTATION},
    precedence=4,
)
