"""Every op that computes can stand in a group of its own, and has a schedule on every kind of
chip.
"""

from importlib import import_module

import pytest
from samples import Sample
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region

from dlc.core.context import DlcContext
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.graph.computed import ComputedOp
from dlc.passes.fuse import FusePass
from dlc.passes.tile import TilePass

FAMILIES = ("contraction", "elementwise", "grid_sample", "layout", "reduction")
SAMPLES: list[Sample] = [
    this
    for family in FAMILIES
    for this in import_module(f"test_graph_ops_{family}").SAMPLES
    if isinstance(this.op, ComputedOp) and not (this.op.is_view or this.op.is_constant)
]


def module_of(this: Sample) -> ModuleOp:
    """Return a module whose ``main`` is the op of a sample."""
    block = Block(arg_types=[v.type for v in this.op.operands])
    op = this.op.clone(dict(zip(this.op.operands, block.args, strict=True)))
    block.add_ops([op, ReturnOp(*op.results)])
    types = ([a.type for a in block.args], [r.type for r in op.results])
    return ModuleOp([FuncOp("main", types, Region(block))])


@pytest.mark.parametrize("arch", ["h200", "cpu-avx2"])
@pytest.mark.parametrize("this", SAMPLES, ids=str)
def test_op_has_a_group_and_a_schedule(this: Sample, arch: str) -> None:
    module = module_of(this)
    FusePass(arch=arch).apply(DlcContext(), module)
    TilePass(arch=arch).apply(DlcContext(), module)
    module.verify()
    (group,) = (op for op in module.walk() if isinstance(op, GroupOp))
    assert group.schedule is not None
    assert group.bound is not None
    assert 0 < group.bound.get("time_us", 0.0) < 1e6
