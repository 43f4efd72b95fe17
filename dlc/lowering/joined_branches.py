"""A branch in a branch, both of which give zero elsewhere, as one branch.

A factor of a product may be asked for behind its end, and may be padded there itself. An
asynchronous copy has one condition.
"""

from xdsl.dialects import arith, scf
from xdsl.ir import Operation, SSAValue
from xdsl.traits import Pure

from dlc.analysis.staged_copy import is_zero


def join_branches(value: SSAValue) -> SSAValue:
    """Return ``value`` from one branch, where it is written as one in another; the conditions of
    both are computed before. Ops of the other branches are gone.
    """
    outer = value.owner
    if not isinstance(outer, scf.IfOp) or not _gives_zero_elsewhere(outer):
        return value
    *before, inner, _ = outer.true_region.block.ops
    if not isinstance(inner, scf.IfOp) or not _gives_zero_elsewhere(inner):
        return value
    if _given(outer) is not inner.results[0] or not all(op.has_trait(Pure) for op in before):
        return value
    for op in before:
        _move(op, outer)
    both = arith.AndIOp(outer.cond, inner.cond)
    inner.operands[0] = both.result
    _put(both, outer)
    _move(inner, outer)
    value.replace_all_uses_with(inner.results[0])
    outer.detach()
    outer.erase()
    return join_branches(inner.results[0])


def _move(op: Operation, before: Operation) -> None:
    op.detach()
    _put(op, before)


def _put(op: Operation, before: Operation) -> None:
    block = before.parent_block()
    assert block is not None
    block.insert_op_before(op, before)


def _given(op: scf.IfOp) -> SSAValue:
    """Return what a branch gives where it is taken."""
    last = op.true_region.block.last_op
    assert last is not None
    return last.operands[0]


def _gives_zero_elsewhere(op: scf.IfOp) -> bool:
    """Return whether a branch gives one value, zero where it is not taken."""
    last = op.false_region.block.last_op if op.false_region.blocks else None
    return len(op.results) == 1 and last is not None and is_zero(last.operands[0])
