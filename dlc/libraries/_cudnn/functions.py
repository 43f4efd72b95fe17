"""What cuDNN computes element by element: our ops, its modes, and what they take."""

from collections.abc import Callable
from dataclasses import dataclass

from dlc.dialects.graph.activation import GeluOp, ReluOp, SigmoidOp
from dlc.dialects.graph.computed import ComputedOp
from dlc.dialects.graph.elementwise import AddOp, MulOp, SubOp
from dlc.dialects.graph.math import TanhOp


@dataclass(frozen=True)
class Function:
    """name: in a call. computes: whether an op is it. mode: of ``cudnnPointwiseMode_t``. inputs:
    how many it has. is_exact: whether it is right to the last digits in ``f32``, too: near 0 tanh
    was off by 1e-5 of its value on an H200, far below 0 gelu by 1e-4. fixed_s, element_s: what it
    takes behind a convolution, and what more for each element (``products.py``).
    """

    name: str
    computes: Callable[[ComputedOp], bool]
    mode: int
    inputs: int = 1
    is_exact: bool = False
    fixed_s: float = 1.7e-6
    element_s: float = 4.5e-12


def _is(kind: type[ComputedOp]) -> Callable[[ComputedOp], bool]:
    return lambda op: isinstance(op, kind)


FUNCTIONS = (
    Function("add", _is(AddOp), 0, 2, is_exact=True, fixed_s=0.0, element_s=0.0),
    Function("mul", _is(MulOp), 1, 2, is_exact=True, element_s=0.4e-12),
    Function("sub", _is(SubOp), 9, 2, is_exact=True),
    Function("relu", _is(ReluOp), 100, is_exact=True, fixed_s=0.0, element_s=0.0),
    Function("tanh", _is(TanhOp), 101),
    Function("sigmoid", _is(SigmoidOp), 102, is_exact=True),
    Function("gelu", lambda op: isinstance(op, GeluOp) and op.tanh is None, 104),
    Function("gelu_tanh", lambda op: isinstance(op, GeluOp) and op.tanh is not None, 107),
)

BY_NAME = {each.name: each for each in FUNCTIONS}


def function_of(op: ComputedOp) -> Function | None:
    """Return the function that an op is, ``None`` where cuDNN has none for it."""
    return next((each for each in FUNCTIONS if each.computes(op)), None)
