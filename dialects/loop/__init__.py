"""Loop nests over buffers.

A value is a buffer (``memref``) or a scalar of a compute type. Loops have a kind and a mapping to
the workers of a machine; what cannot be expressed here is how workers synchronise and which
instructions they use.
"""

from xdsl.ir import Dialect

from dlc.dialects.loop.accumulator import CombinePartsOp, ContractOp, ZeroOp
from dlc.dialects.loop.attributes import BarrierScope as BarrierScope
from dlc.dialects.loop.attributes import (
    BarrierScopeAttr,
    BoundAttr,
    CallAttr,
    CombineScopeAttr,
    KindAttr,
    MapAttr,
    MeasuredAttr,
    ScheduleAttr,
)
from dlc.dialects.loop.barrier import BarrierOp
from dlc.dialects.loop.combination import ArrivalsOp, CombineOp, MeetOp, PrefixOp
from dlc.dialects.loop.drain_parts import DrainInClusterOp, DrainPartsOp
from dlc.dialects.loop.elements import DrainOp, MapAccumulatorOp
from dlc.dialects.loop.kernel import EndOp, KernelOp
from dlc.dialects.loop.memory import AllocOp, IndexOp, LoadOp, StoreOp
from dlc.dialects.loop.online_softmax import (
    LoadFragmentOp,
    NormalizeOp,
    OnlineSoftmaxOp,
    RoundFragmentOp,
)
from dlc.dialects.loop.prefetch import PrefetchOp
from dlc.dialects.loop.remainder import RemfOp
from dlc.dialects.loop.roles import RolesOp
from dlc.dialects.loop.spread import SpreadAttr
from dlc.dialects.loop.stage import StageOp
from dlc.dialects.loop.structure import ForOp, YieldOp
from dlc.dialects.loop.task_map import TaskMapAttr
from dlc.dialects.loop.total_rows import TotalRowsOp
from dlc.dialects.loop.vector import LoadVectorOp, StoreVectorOp
from dlc.ir.space import SpaceAttr

Loop = Dialect(
    "loop",
    [
        AllocOp,
        BarrierOp,
        CombineOp,
        CombinePartsOp,
        ContractOp,
        DrainOp,
        DrainInClusterOp,
        DrainPartsOp,
        EndOp,
        ForOp,
        IndexOp,
        KernelOp,
        LoadFragmentOp,
        LoadOp,
        LoadVectorOp,
        MapAccumulatorOp,
        ArrivalsOp,
        MeetOp,
        NormalizeOp,
        OnlineSoftmaxOp,
        PrefetchOp,
        PrefixOp,
        RemfOp,
        RolesOp,
        RoundFragmentOp,
        StageOp,
        StoreOp,
        StoreVectorOp,
        TotalRowsOp,
        YieldOp,
        ZeroOp,
    ],
    [
        BarrierScopeAttr,
        BoundAttr,
        CallAttr,
        CombineScopeAttr,
        KindAttr,
        MapAttr,
        MeasuredAttr,
        ScheduleAttr,
        SpaceAttr,
        SpreadAttr,
        TaskMapAttr,
    ],
)
