"""Running sums one after the other: who does a column goes along it, with some of its neighbours
beside each other.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.core.affine import unflatten
from dlc.dialects.graph.computed import Index, ReductionOp
from dlc.dialects.graph.scan import ScanOp
from dlc.dialects.loop.attributes import LoopKind, LoopMap
from dlc.dialects.loop.memory import AllocOp, LoadOp, StoreOp
from dlc.dialects.loop.structure import ForOp, YieldOp
from dlc.ir.space import Space, SpaceAttr
from dlc.ir.tensor import shape
from dlc.lowering.axes import store_elements
from dlc.lowering.job import Job
from dlc.lowering.scope import LoopScope


@dataclass
class Columns(ABC):
    """Columns of running sums, ``vector`` neighbouring ones together. sums: what has been added up
    of each. current: the result at the element that is being written.
    """

    job: Job
    op: ScanOp
    vector: int
    sums: list[SSAValue] = field(default_factory=list[SSAValue])
    current: Sequence[SSAValue] = ()

    def __post_init__(self) -> None:
        self.sizes, self.axis = shape(self.op.x), self.op.axis.value.data
        self.others = [n for a, n in enumerate(self.sizes) if a != self.axis]
        self.scope = LoopScope(self.job.builder, self.job.buffers, self._reduce)

    @abstractmethod
    def write(self) -> None:
        """Write the loops over columns."""

    @property
    def units(self) -> int:
        """The groups of columns that are done together."""
        return prod(self.others) // self.vector

    def write_unit(self, unit: AffineExpr) -> None:
        """Write the columns of a group."""
        self._write_columns(unit * self.vector)

    def _write_columns(self, first: AffineExpr) -> None:
        scope, space = self.scope, SpaceAttr(Space.REGISTER)
        nothing = self.op.identity(scope.b)
        types = [MemRefType(v.type, [self.vector], memory_space=space) for v in nothing]
        self.sums = [scope.b.insert(AllocOp(type)) for type in types]
        self._each_lane(lambda lane: self._set(lane, nothing))
        loop = ForOp(0, self.sizes[self.axis], kind=LoopKind.REDUCTION)
        # With one element, its place says nothing of the loop, in which the sums are.
        with scope.loop(loop, stay=self.sizes[self.axis] == 1) as number:
            last = self.sizes[self.axis] - 1
            place = number if self.op.reverse is None else number * -1 + last
            self._each_lane(lambda lane: self._write_element(first, lane, place))
            scope.b.builder.insert(YieldOp())

    def _each_lane(self, write: Callable[[AffineExpr], None]) -> None:
        if self.vector == 1:
            write(AffineExpr.constant(0))
        else:
            self.scope.parallel_loop(self.vector, LoopMap.VECTOR, write)

    def _write_element(self, first: AffineExpr, lane: AffineExpr, place: AffineExpr) -> None:
        scope, others = self.scope, unflatten(first + lane, self.others)
        at = [*others[: self.axis], place, *others[self.axis :]]
        (own,), dims = scope.resolve([lane])
        before = [scope.b.insert(LoadOp(buffer, [own], dims)) for buffer in self.sums]
        after = self.op.combine(scope.b, before, [scope.read(self.op.x, at)])
        self._set(lane, after)
        self.current = after if self.op.exclusive is None else before
        for output in self.job.outputs:
            store_elements(scope, [output], at)

    def _set(self, lane: AffineExpr, values: Sequence[SSAValue]) -> None:
        (own,), dims = self.scope.resolve([lane])
        for value, buffer in zip(values, self.sums, strict=True):
            self.scope.b.builder.insert(StoreOp(value, buffer, [own], dims))

    def _reduce(self, scope: LoopScope, op: ReductionOp, index: Index) -> Sequence[SSAValue]:
        return self.current
