"""Runs ``gpu`` kernels on the CPU, all threads of some blocks in lockstep, and finds their faults.

An SSA value is one numpy scalar, or one array with an element for each thread; conditions and trip
counts that differ between threads are masks. Where threads of a block wait for each other in
different branches, bundles of them take turns instead. Memory has shadow cells that say who wrote
and read a place last, so that races, reads of undefined memory and copies that nobody waited for
are errors (``SimulationError``) with the operation, the block and the thread.
"""

from dlc.simulator._faults import SimulationError
from dlc.simulator._flow import runs_in_lockstep
from dlc.simulator.coverage import Coverage
from dlc.simulator.launch import SimulationReport, simulate
from dlc.simulator.program import run_module

__all__ = [
    "Coverage",
    "SimulationError",
    "SimulationReport",
    "run_module",
    "runs_in_lockstep",
    "simulate",
]
