"""How many elements of a staged tile one asynchronous copy can bring.

That is a question about the region of a ``loop.stage``: whether it is a load and nothing else, and
whether neighbours in the tile are neighbours in memory, aligned, and there or not there together.
"""

from dataclasses import dataclass
from math import gcd

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.traits import Pure

from dlc.analysis.neighbours import Neighbours
from dlc.core.affine import linear_index
from dlc.dialects.gpu.convert import RoundingOp
from dlc.dialects.loop import LoadOp, StageOp
from dlc.ir.space import Space, buffer_type, space_of
from dlc.ir.tensor import element_bytes

COPY_BYTES = (16, 8, 4)
"""What one asynchronous copy moves, widest first (PTX ISA, "cp.async")."""


@dataclass(frozen=True)
class StagedLoad:
    """The only load of a region, and the condition without which the element is zero.

    rounded_bits: of the element; a copy of threads takes none off.
    """

    load: LoadOp
    condition: SSAValue | None
    rounded_bits: int = 0


def computed_value(op: StageOp) -> tuple[SSAValue, scf.IfOp | None]:
    """Return the element that a stage computes, and the branch that it is computed in, which gives
    zero elsewhere; ``None`` where it is always computed.
    """
    last = op.element.block.last_op
    assert last is not None
    value = last.operands[0]
    if not isinstance(branch := value.owner, scf.IfOp):
        return value, None
    taken, other = (r.block.last_op for r in (branch.true_region, branch.false_region))
    assert taken is not None
    assert other is not None
    number = branch.results.index(value)
    return (taken.operands[number], branch) if is_zero(other.operands[number]) else (value, None)


def staged_load(op: StageOp) -> StagedLoad | None:
    """Return the load that a stage copies bit by bit, ``None`` when it computes something."""
    found = rounded_load(op)
    return found if found is not None and not found.rounded_bits else None


def rounded_load(op: StageOp) -> StagedLoad | None:
    """Return the load that a stage copies, or rounds, ``None`` when it computes something else."""
    value, branch = computed_value(op)
    bits = 0
    if isinstance(rounding := value.owner, RoundingOp):
        value, bits = rounding.rounded, rounding.ROUNDED_BITS
    load = value.owner
    if not isinstance(load, LoadOp) or not _is_copy(op, load):
        return None
    rest = [o for o in op.element.walk() if o is not load and not isinstance(o, scf.IfOp)]
    condition = None if branch is None else branch.cond
    return StagedLoad(load, condition, bits) if all(o.has_trait(Pure) for o in rest) else None


def _is_copy(op: StageOp, load: LoadOp) -> bool:
    same = buffer_type(load.buffer).element_type == buffer_type(op.tile).element_type
    zero = load.fill is None or load.fill.value.data == 0
    return same and zero and space_of(load.buffer) is Space.GLOBAL


def is_zero(value: SSAValue) -> bool:
    """Return whether a value is the constant 0."""
    owner = value.owner
    if not isinstance(owner, arith.ConstantOp):
        return False
    return isinstance(owner.value, FloatAttr | IntegerAttr) and owner.value.value.data == 0


def copy_elements(op: StageOp, chunk: int) -> int:
    """Return how many of ``chunk`` neighbours in a line one copy brings; 0 when none can."""
    staged = staged_load(op)
    if staged is None:
        return 0
    element = element_bytes(buffer_type(op.tile).element_type)
    counts = [n // element for n in COPY_BYTES if n >= element and n % element == 0]
    fitting = (n for n in counts if gcd(chunk, op.sizes[1]) % n == 0)
    return next((n for n in fitting if n == 1 or _are_together(op, staged, n)), 0)


def computed_elements(op: StageOp) -> int:
    """Return how many neighbours in a line a thread computes and stores together: as many as one
    store takes where what they are computed of is neighbours too, or the same for all; else 1.
    """
    element = element_bytes(buffer_type(op.tile).element_type)
    count = COPY_BYTES[0] // element
    if op.sizes[1] % count or staged_load(op) is not None:
        return 1
    runs, branch = Neighbours(op.element.block.args[1], count, op.sizes), computed_value(op)[1]
    if branch is not None and not runs.is_decided_once(branch.cond):
        return 1
    loads = [load for load in op.element.walk() if isinstance(load, LoadOp)]
    return count if all(_is_together(runs, load) for load in loads) else 1


def _is_together(runs: Neighbours, load: LoadOp) -> bool:
    """Return whether a load of each run is one aligned piece of memory, or one element, and there
    or not there as a whole.
    """
    position, guarded_once = _position(runs, load)
    return guarded_once and (runs.is_aligned_run(position) or runs.is_fixed(position))


def _position(runs: Neighbours, load: LoadOp) -> tuple[AffineExpr, bool]:
    """Return where the element of a load is in its buffer, and whether its guard is the same for
    all of a run.
    """
    (access,) = load.accesses()
    index = [runs.composed(e, access.operands) for e in access.map.results]
    position = linear_index(access.map.results, access.type.get_shape())
    once = all(runs.is_fixed(index[axis]) for axis in load.guard_axes)
    return runs.composed(position, access.operands), once


def _are_together(op: StageOp, staged: StagedLoad, count: int) -> bool:
    """Return whether each run of ``count`` neighbours is one aligned piece of memory, all of it
    there or none.
    """
    runs = Neighbours(op.element.block.args[1], count, op.sizes)
    once = staged.condition is None or runs.is_decided_once(staged.condition)
    position, guarded_once = _position(runs, staged.load)
    return once and guarded_once and runs.is_aligned_run(position)


def is_copied(op: StageOp) -> bool:
    """Return whether a stage becomes asynchronous copies."""
    return copy_elements(op, op.chunk) > 0
