"""Multiply-adds of one element, which every thread has: any type of factors, in the type of the
sum. The lanes of a warp stand 8 x 4: neighbours read neighbouring lines of shared memory, which are
in different banks.
"""

from dlc.arch.instruction import Instruction, Operand
from dlc.arch.scope import Scope

_ANY = Operand(None)
_UNITS = {"f32": "fma.f32", "f64": "fma.f64", "i32": "fma.i32", "i64": "fma.i32"}

ROWS = tuple(
    Instruction("fma", Scope.THREAD, 1, 1, 1, _ANY, _ANY, Operand(sum), None, unit, lanes=(8, 4))
    for sum, unit in _UNITS.items()
)
