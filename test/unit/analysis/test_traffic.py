"""What kernels move and compute, counted by hand."""

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, TensorType, UnitAttr, f32, i64
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block, SSAValue

from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.analysis.traffic import evaluations, least_work, traffic_bytes, work
from dlc.dialects.graph.elementwise import AddOp, MulOp
from dlc.dialects.graph.layout import ConcatOp, SliceOp, TransposeOp
from dlc.dialects.graph.math import ExpOp
from dlc.dialects.graph.max_pool import MaxPoolOp
from dlc.dialects.graph.reduction import ReduceSumOp
from dlc.dialects.graph.scan import CumSumOp
from dlc.dialects.graph.structure import GraphOp


class _Program:
    def __init__(self, *sizes: int):
        self.block = Block(arg_types=[TensorType(f32, sizes)])
        self.x: SSAValue = self.block.args[0]

    def add(self, op: GraphOp) -> SSAValue:
        self.block.add_op(op)
        return op.results[0]

    def clusters(self, *results: SSAValue) -> list[Cluster]:
        """Return one cluster per op."""
        self.block.add_op(ReturnOp(*results))
        flow = Dataflow(self.block)
        return [Cluster(flow, (op,)) for op in flow.ops]


def _integers(*values: int) -> DenseArrayBase:
    return DenseArrayBase.from_list(i64, values)


def test_fusing_a_chain_saves_a_write_and_a_read() -> None:
    program = _Program(1000, 1000)
    y = program.add(AddOp.make(program.x, program.x))
    first, second = program.clusters(program.add(ExpOp.make(y)))
    assert traffic_bytes(first) == traffic_bytes(second) == 8_000_000
    assert traffic_bytes(first.merged(second)) == 8_000_000


def test_value_read_elsewhere_is_still_written() -> None:
    program = _Program(1000, 1000)
    y = program.add(AddOp.make(program.x, program.x))
    first, second = program.clusters(program.add(ExpOp.make(y)), y)
    assert traffic_bytes(first.merged(second)) == 12_000_000
    assert len(first.merged(second).results) == 2


def test_only_the_slice_is_read() -> None:
    program = _Program(1000, 1000)
    part = SliceOp.make(
        program.x, starts=_integers(0, 0), stops=_integers(1000, 10), steps=_integers(1, 1)
    )
    (cluster,) = program.clusters(program.add(part))
    assert traffic_bytes(cluster) == 2 * 10 * 1000 * 4


def test_windows_recompute_what_they_read() -> None:
    program = _Program(1, 1, 10, 10)
    y = program.add(ExpOp.make(program.x))
    pool = MaxPoolOp.make(
        y,
        window=_integers(3, 3),
        strides=_integers(1, 1),
        padding=_integers(0, 0, 0, 0),
        dilations=_integers(1, 1),
    )
    exp, window = program.clusters(program.add(pool))
    counts = evaluations(exp.merged(window))
    assert counts[exp.ops[0]] == 64 * 9
    assert counts[window.ops[0]] == 64
    assert work(exp) == 100 * 9


def test_two_readers_at_one_index_share_the_value() -> None:
    program = _Program(10, 20)
    y = program.add(ExpOp.make(program.x))
    moved = program.add(TransposeOp.make(y, permutation=_integers(1, 0)))
    left, right, last = program.clusters(program.add(AddOp.make(moved, moved)))
    counts = evaluations(left.merged(right).merged(last))
    assert set(counts.values()) == {200}


def test_what_a_row_has_one_of_is_computed_once() -> None:
    program = _Program(10, 64)
    total = program.add(ReduceSumOp.make(program.x, axes=_integers(1), keep_dims=UnitAttr()))
    factor = program.add(ExpOp.make(total))
    first, second, third = program.clusters(program.add(MulOp.make(program.x, factor)))
    counts = evaluations(first.merged(second).merged(third))
    assert list(counts.values()) == [640, 10, 10]


def test_of_a_concatenation_each_element_is_computed_once() -> None:
    program = _Program(1000)
    parts = [program.add(ExpOp.make(program.x)) for _ in range(4)]
    axis = IntegerAttr(0, i64)
    clusters = program.clusters(program.add(ConcatOp.make(*parts, axis=axis)))
    whole = clusters[0]
    for cluster in clusters[1:]:
        whole = whole.merged(cluster)
    counts = evaluations(whole)
    assert [counts[op] for op in whole.ops] == [1000, 1000, 1000, 1000, 4000]


def test_each_point_of_a_reduction_takes_a_multiply_add_at_least() -> None:
    program = _Program(10, 64)
    (cluster,) = program.clusters(program.add(ReduceSumOp.make(program.x, axes=_integers(1))))
    assert least_work(cluster) == 2 * 10 * 64


def test_running_sums_have_their_points_in_common() -> None:
    program = _Program(10, 64)
    (cluster,) = program.clusters(program.add(CumSumOp.make(program.x, axis=IntegerAttr(1, i64))))
    assert least_work(cluster) == 2 * 10 * 64
