"""Where the scope writes what: once per index, outside the loops that do not change it."""

import pytest
from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, MemRefType, TensorType, UnitAttr, f32, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from dlc.core.affine import extent
from dlc.dialects.graph.elementwise import AddOp, MulOp
from dlc.dialects.graph.properties import integers
from dlc.dialects.graph.reduction import ReduceMaxOp, ReduceSumOp
from dlc.dialects.graph.structure import GraphOp
from dlc.dialects.loop import ForOp, LoadOp, YieldOp
from dlc.dialects.loop.attributes import LoopKind
from dlc.errors import CompileError
from dlc.lowering.scope import LoopScope


class Setting:
    """A group argument ``x`` of 4 x 8 elements in a buffer, and a scope at the end of a block."""

    def __init__(self) -> None:
        self.group = Block(arg_types=[TensorType(f32, [4, 8])])
        self.block = Block(arg_types=[MemRefType(f32, [4, 8])])
        self.x = self.group.args[0]
        builder = Builder(InsertPoint.at_end(self.block))
        self.scope = LoopScope(builder, {self.x: self.block.args[0]})

    def add(self, op: GraphOp) -> SSAValue:
        self.group.add_op(op)
        return op.results[0]

    def ops(self, kind: type[Operation]) -> list[Operation]:
        return [op for op in self.block.walk() if isinstance(op, kind)]


def made_by(value: SSAValue) -> LoadOp:
    assert isinstance(value.owner, LoadOp)
    return value.owner


@pytest.fixture
def setting() -> Setting:
    return Setting()


def test_a_load_leaves_the_loops_that_do_not_change_it(setting: Setting) -> None:
    scope, rows, columns = setting.scope, *(ForOp(0, n, kind=LoopKind.PARALLEL) for n in (4, 8))
    with scope.loop(rows) as i:
        with scope.loop(columns) as j:
            inner, outer = scope.read(setting.x, [i, j]), scope.read(setting.x, [i, i])
            scope.b.builder.insert(YieldOp())
        scope.b.builder.insert(YieldOp())
    assert inner.owner.parent_block() is columns.body.block
    assert outer.owner.parent_block() is rows.body.block
    order = list(rows.body.block.ops)
    assert order.index(made_by(outer)) < order.index(columns)


def test_a_shared_element_is_computed_once(setting: Setting) -> None:
    total = setting.add(AddOp.make(setting.x, setting.x))
    for _ in range(20):  # without memory, 2**20 additions
        total = setting.add(AddOp.make(total, total))
    with setting.scope.loop(ForOp(0, 4, kind=LoopKind.PARALLEL)) as i:
        setting.scope.read(total, [i, i])
    assert len(setting.ops(LoadOp)) == 1


def test_a_reduction_inside_a_reduction_is_done_before_it(setting: Setting) -> None:
    axes = integers([1])
    largest = setting.add(ReduceMaxOp.make(setting.x, axes=axes))
    wide = setting.add(ReduceMaxOp.make(setting.x, axes=axes, keep_dims=UnitAttr()))
    scaled = setting.add(MulOp.make(setting.x, wide))
    total = setting.add(ReduceSumOp.make(scaled, axes=axes))
    with setting.scope.loop(ForOp(0, 4, kind=LoopKind.PARALLEL)) as i:
        setting.scope.read(total, [i])
        setting.scope.read(largest, [i])
    depths = [_loops_around(op) for op in setting.ops(ForOp)]
    assert depths == [0, 1, 1, 1]


def _loops_around(op: Operation) -> int:
    parent = op.parent_op()
    return 0 if parent is None else _loops_around(parent) + isinstance(parent, ForOp)


def test_nothing_leaves_a_branch(setting: Setting) -> None:
    scope = setting.scope
    loop = ForOp(0, 9, kind=LoopKind.PARALLEL)
    with scope.loop(ForOp(0, 4, kind=LoopKind.PARALLEL)) as i, scope.loop(loop) as j:

        def write() -> None:
            scope.read(setting.x, [i, i])

        scope.where_below(j, 8, write)
    (load,) = setting.ops(LoadOp)
    assert isinstance(load.parent_op(), scf.IfOp)


def test_ranges_decide_comparisons(setting: Setting) -> None:
    scope = setting.scope
    with scope.loop(ForOp(0, 4, kind=LoopKind.PARALLEL)) as i:
        position = scope.integer(i + 4, i64)
        taken = scope.b.branch(
            scope.b.compare("lt", position, scope.b.constant(8, i64)),
            lambda: [scope.read(setting.x, [i, i + 4])],
            lambda: [scope.read(setting.x, [i, i - 8])],
        )
    assert len(taken) == 1
    assert not setting.ops(scf.IfOp)
    assert len(setting.ops(LoadOp)) == 1


def test_a_guard_that_ranges_decide_is_none(setting: Setting) -> None:
    with setting.scope.loop(ForOp(0, 4, kind=LoopKind.PARALLEL)) as i:
        inside = setting.scope.read(setting.x, [i, i + 4], guard=[0, 1])
        outside = setting.scope.read(setting.x, [i, i + 5], guard=[0, 1])
    assert [load.guard_axes for load in map(made_by, (inside, outside))] == [(), (1,)]


def test_what_is_not_computed_by_elements_is_an_error(setting: Setting) -> None:
    other = Block(arg_types=[TensorType(f32, [4])])
    zero = setting.scope.b.constant(0, IndexType())
    with pytest.raises(CompileError, match="argument without a buffer"):
        setting.scope.read(other.args[0], [setting.scope.symbol(zero)])


def test_a_place_is_what_it_means_where_neighbours_follow_each_other(setting: Setting) -> None:
    """One that is counted on stands for itself only in an index that would divide."""
    scope = setting.scope
    with scope.loop(ForOp(0, 32, kind=LoopKind.PARALLEL)) as i:
        counted = scope.dim(scope.index_value(i % 8), extent(8), i % 8)
        along, across = [i // 8, counted], [counted // 2, counted]
        assert list(scope.straight(along, (4, 8))) == [i // 8, i % 8]
        assert list(scope.straight(across, (4, 8))) == across
        scope.b.builder.insert(YieldOp())


def test_an_index_is_compared_as_an_index(setting: Setting) -> None:
    scope = setting.scope
    with scope.loop(ForOp(0, 32, kind=LoopKind.PARALLEL)) as i:
        limit, data = scope.b.constant(7, i64), scope.b.constant(3, i64)
        scope.b.compare("lt", scope.integer(i, i64), limit)
        scope.b.compare("lt", scope.b.add(data, limit), limit)
        scope.b.builder.insert(YieldOp())
    assert [op.operands[0].type for op in setting.ops(arith.CmpiOp)] == [IndexType(), i64]
