"""Fusing changes no result: random graphs, run by the oracle before and after."""

import random
from collections.abc import Callable

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from dlc.analysis.dataflow import origin
from dlc.core.context import DlcContext
from dlc.core.weights import WeightStore
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.graph.contraction import MatmulOp
from dlc.dialects.graph.elementwise import AddOp, MulOp
from dlc.dialects.graph.layout import ConcatOp, TransposeOp
from dlc.dialects.graph.properties import integer, integers
from dlc.dialects.graph.reduction import ReduceMaxOp, ReduceSumOp
from dlc.dialects.graph.reshape import ReshapeOp
from dlc.dialects.graph.structure import GraphOp
from dlc.oracle import run_reference
from dlc.passes.fuse import FusePass

SIDE = 40
"""Long enough for a reduction to be shared between threads and for a product to be tiled."""


class _Graph:
    """A function that grows by random ops on square matrices and their rows."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        type = TensorType(f32, [SIDE, SIDE])
        self.block = Block(arg_types=[type, type])
        self.values: list[SSAValue] = list(self.block.args)

    def add(self, op: GraphOp) -> SSAValue:
        self.block.add_op(op)
        return op.results[0]

    def pick(self) -> SSAValue:
        """Return a recent value more often than an old one."""
        back = min(int(self.random.expovariate(0.5)), len(self.values) - 1)
        return self.values[-1 - back]

    def grow(self) -> None:
        kinds: list[Callable[[], SSAValue]] = [
            lambda: self.add(AddOp.make(self.pick(), self.pick())),
            lambda: self.add(MulOp.make(self.pick(), self.pick())),
            lambda: self.add(MatmulOp.make(self.pick(), self.pick())),
            lambda: self.add(TransposeOp.make(self.pick(), permutation=integers([1, 0]))),
            self._normalised,
            self._reshaped,
            self._halves,
        ]
        weights = [4, 3, 2, 2, 2, 1, 1]
        (kind,) = self.random.choices(kinds, weights)
        self.values.append(kind())

    def _normalised(self) -> SSAValue:
        x = self.pick()
        axis = self.random.choice([0, 1])
        reduce = self.random.choice([ReduceMaxOp, ReduceSumOp])
        total = self.add(reduce.make(x, axes=integers([axis])))
        sizes = [1, SIDE] if axis == 0 else [SIDE, 1]
        column = self.add(ReshapeOp.make(total, sizes=integers(sizes)))
        return self.add(AddOp.make(x, column))

    def _reshaped(self) -> SSAValue:
        wide = self.add(ReshapeOp.make(self.pick(), sizes=integers([SIDE // 2, 2, SIDE])))
        moved = self.add(TransposeOp.make(wide, permutation=integers([1, 0, 2])))
        return self.add(ReshapeOp.make(moved, sizes=integers([SIDE, SIDE])))

    def _halves(self) -> SSAValue:
        both = self.add(ConcatOp.make(self.pick(), self.pick(), axis=integer(0)))
        wide = self.add(ReshapeOp.make(both, sizes=integers([2, SIDE, SIDE])))
        return self.add(ReduceMaxOp.make(wide, axes=integers([0])))

    def module(self) -> ModuleOp:
        results = list(dict.fromkeys([self.values[-1], self.pick(), self.pick()]))
        self.block.add_op(ReturnOp(*results))
        types = ([a.type for a in self.block.args], [r.type for r in results])
        return ModuleOp([FuncOp("main", types, Region(self.block))])


def _feeds(seed: int) -> dict[str, np.ndarray]:
    generator = np.random.default_rng(seed)
    return {
        f"input{i}": generator.standard_normal((SIDE, SIDE)).astype(np.float32) / SIDE
        for i in range(2)
    }


@pytest.mark.parametrize(
    ("search", "seed"),
    [("greedy", n) for n in range(40)] + [(each, n) for each in ("beam", "dp") for n in range(10)],
)
def test_random_graph_keeps_its_results(search: str, seed: int) -> None:
    graph = _Graph(seed)
    for _ in range(18):
        graph.grow()
    module = graph.module()
    module.verify()
    feeds = _feeds(seed)
    before = run_reference(module, feeds, WeightStore())
    FusePass(search=search).apply(DlcContext(), module)
    module.verify()
    after = run_reference(module, feeds, WeightStore())
    for name in before:
        np.testing.assert_array_equal(after[name], before[name])


@pytest.mark.parametrize("seed", range(5))
def test_every_computing_op_is_in_a_group(seed: int) -> None:
    graph = _Graph(seed)
    for _ in range(30):
        graph.grow()
    module = graph.module()
    FusePass().apply(DlcContext(), module)
    (function,) = module.ops
    assert isinstance(function, FuncOp)
    outside = [op for op in function.body.block.ops if _computes(op)]
    assert outside == []
    assert any(isinstance(op, GroupOp) for op in function.body.block.ops)
    parts = [
        origin(value)
        for op in function.body.block.ops
        if isinstance(op, ConcatOp)
        for value in op.operands
    ]
    assert all(isinstance(part.owner, GroupOp) for part in parts)
    assert len(set(parts)) == len(parts)


def _computes(op: Operation) -> bool:
    free = isinstance(op, GraphOp) and (op.is_view or op.is_constant or op.operand_offsets)
    return isinstance(op, GraphOp) and not free


def test_fusing_twice_gives_the_same_text() -> None:
    texts: set[str] = set()
    for _ in range(2):
        graph = _Graph(7)
        for _ in range(40):
            graph.grow()
        module = graph.module()
        FusePass().apply(DlcContext(), module)
        texts.add(str(module))
    assert len(texts) == 1
