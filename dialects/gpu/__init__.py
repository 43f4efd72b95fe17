"""Explicit SIMT: the program of one thread.

A value is a scalar of one thread, or a global, shared or register buffer. Control flow is ``scf``,
scalars are ``arith`` and ``math``, ``loop.load`` and ``loop.store`` read and write elements.
Parallel loops and tensors are not expressible here; a kernel is launched by the host program.
"""

from importlib import import_module
from pkgutil import iter_modules

from xdsl.ir import Dialect

from dlc.dialects.gpu.alloc import CounterAllocOp, RegisterAllocOp, SharedAllocOp, SwizzleAttr
from dlc.dialects.gpu.bulk_copy import BulkCopyOp
from dlc.dialects.gpu.capability import NeedsCapability
from dlc.dialects.gpu.cluster import (
    ClusterArriveOp,
    ClusterBarrierOp,
    ClusterLoadOp,
    ClusterRankOp,
    ClusterStoreOp,
    ClusterWaitOp,
)
from dlc.dialects.gpu.convert import CvtTf32Op
from dlc.dialects.gpu.copy import AtomicAddOp, CopyOp, CpAsyncOp
from dlc.dialects.gpu.dependent_launch import (
    GriddepcontrolLaunchDependentsOp,
    GriddepcontrolOp,
    GriddepcontrolWaitOp,
)
from dlc.dialects.gpu.grid_barrier import GridBarrierOp
from dlc.dialects.gpu.kernel import BlockIdOp, Dimension, EndOp, KernelOp, ThreadIdOp
from dlc.dialects.gpu.matrix_move import LdmatrixOp, MatrixMoveOp, StmatrixOp
from dlc.dialects.gpu.mbarrier import (
    CpAsyncArriveOp,
    MbarrierArriveOp,
    MbarrierInitOp,
    MbarrierWaitOp,
)
from dlc.dialects.gpu.mma import MmaOp
from dlc.dialects.gpu.named_barrier import BarArriveOp, BarSyncOp, NamedBarrierOp
from dlc.dialects.gpu.prefetch import PrefetchTensorOp
from dlc.dialects.gpu.publish import AwaitOp, PublishOp
from dlc.dialects.gpu.registers import SetRegistersOp
from dlc.dialects.gpu.st_async import StAsyncOp
from dlc.dialects.gpu.sync import (
    AsyncFenceOp,
    BarrierOp,
    CpAsyncCommitOp,
    CpAsyncWaitOp,
    FenceOp,
    MeetingOp,
    WarpBarrierOp,
)
from dlc.dialects.gpu.tensor_copy import (
    BulkCommitOp,
    BulkWaitOp,
    MappedOp,
    PrefetchTensorMapOp,
    TensorCopyOp,
    TensorStoreOp,
)
from dlc.dialects.gpu.tensor_map import TensorMapAttr, hardware_swizzle
from dlc.dialects.gpu.unroll import UNROLL
from dlc.dialects.gpu.warp import ShuffleMode, ShuffleOp
from dlc.dialects.gpu.wgmma import WgmmaCommitOp, WgmmaFenceOp, WgmmaOp, WgmmaWaitOp

_FAMILIES = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
Gpu = Dialect(
    "gpu",
    [op for family in _FAMILIES for op in getattr(family, "OPERATIONS", ())],
    [attribute for family in _FAMILIES for attribute in getattr(family, "ATTRIBUTES", ())],
)

__all__ = [
    "UNROLL",
    "AsyncFenceOp",
    "AtomicAddOp",
    "AwaitOp",
    "BarArriveOp",
    "BarSyncOp",
    "BarrierOp",
    "BlockIdOp",
    "BulkCommitOp",
    "BulkCopyOp",
    "BulkWaitOp",
    "ClusterArriveOp",
    "ClusterBarrierOp",
    "ClusterLoadOp",
    "ClusterRankOp",
    "ClusterStoreOp",
    "ClusterWaitOp",
    "CopyOp",
    "CounterAllocOp",
    "CpAsyncArriveOp",
    "CpAsyncCommitOp",
    "CpAsyncOp",
    "CpAsyncWaitOp",
    "CvtTf32Op",
    "Dimension",
    "EndOp",
    "FenceOp",
    "Gpu",
    "GridBarrierOp",
    "GriddepcontrolLaunchDependentsOp",
    "GriddepcontrolOp",
    "GriddepcontrolWaitOp",
    "KernelOp",
    "LdmatrixOp",
    "MappedOp",
    "MatrixMoveOp",
    "MbarrierArriveOp",
    "MbarrierInitOp",
    "MbarrierWaitOp",
    "MeetingOp",
    "MmaOp",
    "NamedBarrierOp",
    "NeedsCapability",
    "PrefetchTensorMapOp",
    "PrefetchTensorOp",
    "PublishOp",
    "RegisterAllocOp",
    "SetRegistersOp",
    "SharedAllocOp",
    "ShuffleMode",
    "ShuffleOp",
    "StAsyncOp",
    "StmatrixOp",
    "SwizzleAttr",
    "TensorCopyOp",
    "TensorMapAttr",
    "TensorStoreOp",
    "ThreadIdOp",
    "WarpBarrierOp",
    "WgmmaCommitOp",
    "WgmmaFenceOp",
    "WgmmaOp",
    "WgmmaWaitOp",
    "hardware_swizzle",
]
