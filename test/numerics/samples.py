"""Sample instances of ops, and the check of the code they write against what they mean."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from types import ModuleType

import numpy as np
from element_interpreter import run_element
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, SSAValue

from dlc.analysis.evaluation import evaluate, round_to
from dlc.dialects.graph.computed import ComputedOp, ReductionOp
from dlc.dialects.graph.structure import Array, CompositeOp, GraphOp
from dlc.ir.tensor import element_type_of

ROUNDINGS = 16
"""The most rounded operations in the formula of one element; a function of libm counts four."""


@dataclass(frozen=True)
class Sample:
    """An op with values for its operands."""

    label: str
    op: GraphOp
    operands: tuple[Array, ...]

    def __str__(self) -> str:
        return f"{self.op.name.removeprefix('graph.')}-{self.label}"


def sample(
    kind: type[GraphOp],
    label: str,
    *operands: Array,
    results: int = 1,
    **properties: Attribute | None,
) -> Sample:
    """Return a sample of an op class on arrays in their stored dtypes.

    label: what is special about it, for the test's name.
    """
    types = [TensorType(element_type_of(x.dtype), x.shape) for x in operands]
    block = Block(arg_types=types)
    return Sample(label, kind.make(*block.args, results=results, **properties), operands)


def without_sample(families: Sequence[ModuleType], samples: Sequence[Sample]) -> list[str]:
    """Return the names of the families' computed and composite ops that have no sample."""
    sampled = {type(this.op) for this in samples}
    ops = [op for family in families for op in family.OPERATIONS]
    return [op.name for op in ops if issubclass(op, ComputedOp | CompositeOp) and op not in sampled]


def check_code(this: Sample) -> None:
    """Fail unless the op's code, or its decomposition, computes what ``reference`` says."""
    expected = [
        round_to(x, r.type)
        for x, r in zip(evaluate(this.op, this.operands), this.op.results, strict=True)
    ]
    for number, (found, right) in enumerate(zip(_computed(this), expected, strict=True)):
        assert found.shape == right.shape
        assert found.dtype == right.dtype
        check_close(found, right, this.op, f"result {number}")


def _computed(this: Sample) -> Sequence[Array]:
    match this.op:
        case ComputedOp():
            return [run_element(this.op, this.operands, n) for n in range(len(this.op.results))]
        case CompositeOp():
            return _run_decomposition(this.op, this.operands)
        case _:
            raise AssertionError(f"{this.op.name} says neither element nor decompose")


def _run_decomposition(op: CompositeOp, operands: Sequence[Array]) -> Sequence[Array]:
    values: dict[SSAValue, Array] = dict(zip(op.operands, operands, strict=True))

    def insert(inner: GraphOp) -> SSAValue:
        inner.verify()
        results = evaluate(inner, [values[x] for x in inner.operands])
        values.update(zip(inner.results, results, strict=True))
        return inner.results[0]

    found = [values[x] for x in op.decompose(insert)]
    return [round_to(x, r.type) for x, r in zip(found, op.results, strict=True)]


def check_close(found: Array, right: Array, op: GraphOp, what: str, magnitude: float = 1.0) -> None:
    """Fail unless the values agree: exactly for data movement, integers and booleans.

    Floats: ``|found - right| <= (ROUNDINGS + K) * eps * max(magnitude, |right|)``, with K points
    in a reduction, eps of the stored dtype and magnitude that of the values on the way.
    """
    if op.moves_data or found.dtype.kind in "iub":
        np.testing.assert_array_equal(found, right, what)
        return
    eps = float(np.finfo(found.dtype).eps) if found.dtype.kind == "f" else 2.0**-7  # bfloat16
    points = prod(op.domain.reduction) if isinstance(op, ReductionOp) else 0
    found, right = found.astype(np.float64), right.astype(np.float64)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(right), what)
    np.testing.assert_array_equal(np.isinf(found), np.isinf(right), what)
    finite = np.isfinite(right)
    np.testing.assert_array_equal(found[~finite], right[~finite], what)
    bound = (ROUNDINGS + points) * eps * np.maximum(magnitude, np.abs(right[finite]))
    excess = np.abs(found[finite] - right[finite]) - bound
    assert not (excess > 0).any(), f"{what}: {found} should be {right}"


def values(*sizes: int, dtype: type = np.float32, seed: int = 0) -> Array:
    """Return reproducible values between -3 and 3 (from 0 for unsigned types)."""
    drawn = np.random.default_rng(seed).uniform(-3, 3, sizes)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return drawn > 0
    drawn = np.rint(drawn) if kind in "iu" else drawn
    return (np.abs(drawn) if kind == "u" else drawn).astype(dtype)
