"""Loop nests over buffers.

A value is a buffer (``memref``) or a scalar of a compute type. Loops have a kind and a mapping to
the workers of a machine; what cannot be expressed here is how workers synchronise and which
instructions they use.
"""

from xdsl.ir import Dialect

from dlc.dialects._space import SpaceAttr
from dlc.dialects.loop._accumulator import CombinePartsOp, ContractOp, DrainOp, ZeroOp
from dlc.dialects.loop._attributes import (
    BoundAttr,
    CombineScopeAttr,
    KindAttr,
    MapAttr,
    ScheduleAttr,
)
from dlc.dialects.loop._memory import AllocOp, IndexOp, LoadOp, StoreOp
from dlc.dialects.loop._remainder import RemfOp
from dlc.dialects.loop._stage import StageOp
from dlc.dialects.loop._structure import CombineOp, EndOp, ForOp, KernelOp, YieldOp
from dlc.dialects.loop._task_map import TaskMapAttr
from dlc.dialects.loop._vector import LoadVectorOp, StoreVectorOp

Loop = Dialect(
    "loop",
    [
        AllocOp,
        CombineOp,
        CombinePartsOp,
        ContractOp,
        DrainOp,
        EndOp,
        ForOp,
        IndexOp,
        KernelOp,
        LoadOp,
        LoadVectorOp,
        RemfOp,
        StageOp,
        StoreOp,
        StoreVectorOp,
        YieldOp,
        ZeroOp,
    ],
    [BoundAttr, CombineScopeAttr, KindAttr, MapAttr, ScheduleAttr, SpaceAttr, TaskMapAttr],
)
