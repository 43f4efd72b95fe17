"""Explicit SIMT: the program of one thread.

A value is a scalar of one thread, or a global, shared or register buffer. Control flow is ``scf``,
scalars are ``arith`` and ``math``, ``loop.load`` and ``loop.store`` read and write elements.
Parallel loops and tensors are not expressible here; a kernel is launched by the host program.
"""

from xdsl.ir import Dialect

from dlc.dialects.gpu import _alloc, _copy, _kernel, _mma, _sync, _warp
from dlc.dialects.gpu._alloc import CounterAllocOp, RegisterAllocOp, SharedAllocOp, SwizzleAttr
from dlc.dialects.gpu._capability import NeedsCapability
from dlc.dialects.gpu._copy import AtomicAddOp, CopyOp, CpAsyncOp
from dlc.dialects.gpu._kernel import BlockIdOp, Dimension, EndOp, KernelOp, ThreadIdOp
from dlc.dialects.gpu._mma import LdmatrixOp, MmaOp, RoundTf32Op
from dlc.dialects.gpu._sync import (
    BarrierOp,
    CpAsyncCommitOp,
    CpAsyncWaitOp,
    FenceOp,
    Group,
    SynchronizingOp,
    WarpBarrierOp,
)
from dlc.dialects.gpu._warp import ShuffleMode, ShuffleOp

Gpu = Dialect(
    "gpu",
    [
        *_kernel.OPERATIONS,
        *_alloc.OPERATIONS,
        *_copy.OPERATIONS,
        *_sync.OPERATIONS,
        *_warp.OPERATIONS,
        *_mma.OPERATIONS,
    ],
    [*_kernel.ATTRIBUTES, *_alloc.ATTRIBUTES, *_warp.ATTRIBUTES],
)

__all__ = [
    "AtomicAddOp",
    "BarrierOp",
    "BlockIdOp",
    "CopyOp",
    "CounterAllocOp",
    "CpAsyncCommitOp",
    "CpAsyncOp",
    "CpAsyncWaitOp",
    "Dimension",
    "EndOp",
    "FenceOp",
    "Gpu",
    "Group",
    "KernelOp",
    "LdmatrixOp",
    "MmaOp",
    "NeedsCapability",
    "RegisterAllocOp",
    "RoundTf32Op",
    "SharedAllocOp",
    "ShuffleMode",
    "ShuffleOp",
    "SwizzleAttr",
    "SynchronizingOp",
    "ThreadIdOp",
    "WarpBarrierOp",
]
