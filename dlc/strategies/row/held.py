"""Rows that stand in shared memory while a team goes through them: each element is read once."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.core.affine import linear_index
from dlc.dialects.graph.computed import Index, ReductionOp
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.memory import AllocOp, LoadOp, StoreOp
from dlc.ir.space import Space, SpaceAttr
from dlc.ir.tensor import element_type, shape
from dlc.lowering.scope import LoopScope, Place
from dlc.strategies.row.along import Along


def feeding(reductions: Iterable[ReductionOp], sizes: tuple[int, ...]) -> list[SSAValue]:
    """Return the tensors of some sizes that reductions are made of and nothing of them computes."""
    return [value for value in makings(reductions) if is_given(value) and shape(value) == sizes]


def makings(reductions: Iterable[ReductionOp]) -> list[SSAValue]:
    """Return all values that reductions of a group are made of, given and computed."""
    todo: list[SSAValue] = [value for op in reductions for value in op.operands]
    seen = dict[SSAValue, None]()
    while todo:
        value = todo.pop()
        if value not in seen:
            seen[value] = None
            todo += value.owner.operands if isinstance(value.owner, Operation) else ()
    return list(seen)


def is_given(value: SSAValue) -> bool:
    """Whether a value of a group is one of its inputs."""
    return isinstance(value.owner, Block)


@dataclass
class Held(Along):
    """Rows whose inputs a team brings to shared memory first. copies: where they stand there."""

    copies: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])

    def __post_init__(self) -> None:
        super().__post_init__()
        self.scope = LoopScope(self.job.builder, self.job.buffers, self.reduce, self._copy)

    @property
    def is_eager(self) -> bool:
        return True

    def bring(self) -> None:
        ops = [op for op in self.job.group.body.block.ops if isinstance(op, ReductionOp)]
        for value in feeding(ops, self.space.shape):
            sizes = [self.teams, self.length]
            type = MemRefType(element_type(value), sizes, memory_space=SpaceAttr(Space.SHARED))
            copy = self.scope.b.insert(AllocOp(type))
            self._bring(value, copy)
            self.copies[value] = copy

    def _bring(self, value: SSAValue, copy: SSAValue) -> None:
        scope = self.scope

        def bring(position: AffineExpr) -> None:
            at, dims = scope.resolve(self.element(self.first, position))
            element = scope.b.insert(LoadOp(scope.buffers[value], at, dims))
            to, dims = scope.resolve([self.team, position])
            scope.b.builder.insert(StoreOp(element, copy, to, dims))

        def bring_vector(number: AffineExpr) -> None:
            if self.vector == 1:
                bring(number)
                return
            scope.parallel_loop(
                self.vector, LoopMap.VECTOR, lambda v: bring(number * self.vector + v)
            )

        scope.parallel_loop(self.length // self.vector, self.map, bring_vector)

    def _copy(self, operand: SSAValue, index: Index) -> Place | None:
        """Return where an element of the row stands; ``None`` for another tensor or row."""
        copy = self.copies.get(operand)
        if copy is None:
            return None
        position = linear_index([index[a] for a in self.axes], self.inner)
        own = self.element(self.first, position)
        gaps = [self.scope.interval(x - y) for x, y in zip(index, own, strict=True)]
        return (copy, [self.team, position]) if all(g.within(0, 0) for g in gaps) else None
