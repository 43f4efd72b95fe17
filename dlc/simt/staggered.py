"""Two slices of a loop at a time: while threads work on the scores of one in registers, the product
that the slice before ends with is under way.

A slice is a first product, what threads do with it in registers, and a last product, of which that
is the lhs. The first slice is begun before the loop, the last one ends behind it; an iteration
begins its slice and ends the one before.
"""

from dataclasses import dataclass
from functools import cached_property

from xdsl.builder import Builder
from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType, UnitAttr, i64
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint

from dlc.core.affine import extent
from dlc.core.locations import operation_text
from dlc.dialects import gpu
from dlc.dialects.loop import ContractOp, ForOp, OnlineSoftmaxOp, RoundFragmentOp, ZeroOp
from dlc.dialects.loop.memory import buffer_element
from dlc.errors import CompileError
from dlc.ir.space import buffer_type
from dlc.lowering.scope import LoopScope
from dlc.simt.slots import Slots, after_stages


@dataclass(frozen=True)
class Staggered:
    """weights: the lhs of the last product, which stays while that is under way."""

    loop: ForOp
    slots: Slots
    weights: SSAValue

    @staticmethod
    def of(loop: ForOp, slots: Slots) -> "Staggered":
        """Write the registers before a loop that is ``staggered``; raises CompileError where its
        slices are others.
        """
        *between, last = after_stages(loop) or [None]
        products = [op for op in between if isinstance(op, ContractOp)]
        softmaxes = [op for op in between if isinstance(op, OnlineSoftmaxOp)]
        if (
            not (isinstance(last, ContractOp) and last.instruction.is_asynchronous)
            or [op.accumulator for op in products] != [last.lhs]
            or [op.sums for op in softmaxes] != [last.accumulator]
        ):
            raise CompileError(
                "is staggered: its slices need a product, a softmax of its sums, and a product "
                "with these as lhs, by an asynchronous instruction",
                at=operation_text(loop),
            )
        old = buffer_type(last.lhs)
        type = MemRefType(buffer_element(last.rhs), old.shape, old.layout, old.memory_space)
        weights = ZeroOp(type)
        weights.accumulator.name_hint = "weights"
        Builder(InsertPoint.before(loop)).insert(weights)
        return Staggered(loop, slots, weights.accumulator)

    @cached_property
    def _last(self) -> ContractOp:
        last = after_stages(self.loop)[-1]
        assert isinstance(last, ContractOp)
        return last

    def begin(self, scope: LoopScope, number: AffineExpr) -> None:
        """Write what is done with the first slice before the loop."""
        zero = scope.b.constant(0, IndexType())
        self._begin(scope, number, {self.loop.induction: zero}, None)

    def both(self, scope: LoopScope, number: AffineExpr) -> None:
        """Write an iteration, of all but the first slice."""
        self._begin(scope, number, {}, number - 1)

    def end(self, scope: LoopScope, number: AffineExpr) -> None:
        """Write the end of the last slice behind the loop."""
        self._end(scope, number)
        scope.b.builder.insert(gpu.WgmmaWaitOp(0))

    def count(self, scope: LoopScope) -> AffineExpr:
        """Return how many slices there are."""
        count = len(self.loop.range)
        until = self.loop.until
        return AffineExpr.constant(count) if until is None else scope.dim(until, extent(count + 1))

    def leave_first(self) -> None:
        """Let the loop begin with its second slice."""
        self.loop.start = IntegerAttr(1, i64)

    def _begin(
        self,
        scope: LoopScope,
        number: AffineExpr,
        made: dict[SSAValue, SSAValue],
        before: AffineExpr | None,
    ) -> None:
        """Write a slice up to its weights. before: the number of one to end meanwhile."""
        insert = scope.b.builder.insert
        for old in after_stages(self.loop)[:-1]:
            if isinstance(old, ContractOp):
                self.slots.product(scope, old, number, made, asynchronous=True)
                if before is not None:
                    self._end(scope, before)
                insert(gpu.WgmmaWaitOp(0 if before is None else 1))
                continue
            new = old.clone(made)
            new.location = old.location
            if isinstance(new, OnlineSoftmaxOp) and before is not None:
                new.awaits = UnitAttr()
            insert(new)
            made.update(zip(old.results, new.results, strict=True))
        scores = made.get(self._last.lhs, self._last.lhs)
        insert(RoundFragmentOp(scores, self.weights))

    def _end(self, scope: LoopScope, number: AffineExpr) -> None:
        self.slots.product(scope, self._last, number, {self._last.lhs: self.weights}, True)
