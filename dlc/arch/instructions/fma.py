"""Multiply-adds of one element, which every thread has: any type of factors, in the type of the
sum. The lanes of a warp stand 8 x 4 over a tile: each element of a factor is loaded by few of them.
Where a product has few rows they stand beside each other over 32 columns, so that no lane loads
what another one needs of the large factor. Neighbours read neighbouring lines of shared memory.
"""

from dlc.arch.instruction import Instruction, Operand
from dlc.arch.scope import Scope

_ANY = Operand(None)
_UNITS = {"f32": "fma.f32", "f64": "fma.f64", "i32": "fma.i32", "i64": "fma.i32"}
_LANES = {"fma": (8, 4), "fma.1x32": (1, 32)}

ROWS = tuple(
    Instruction(name, Scope.THREAD, 1, 1, 1, _ANY, _ANY, Operand(sum), None, unit, lanes=lanes)
    for name, lanes in _LANES.items()
    for sum, unit in _UNITS.items()
)
