"""Explicit SIMT: the program of one thread.

A value is a scalar of one thread, or a global, shared or register buffer. Control flow is ``scf``,
scalars are ``arith`` and ``math``, ``loop.load`` and ``loop.store`` read and write elements.
Parallel loops and tensors are not expressible here; a kernel is launched by the host program.
"""

from xdsl.ir import Dialect

from dlc.dialects.gpu import alloc, copy, kernel, mma, sync, warp
from dlc.dialects.gpu.alloc import CounterAllocOp, RegisterAllocOp, SharedAllocOp, SwizzleAttr
from dlc.dialects.gpu.capability import NeedsCapability
from dlc.dialects.gpu.copy import AtomicAddOp, CopyOp, CpAsyncOp
from dlc.dialects.gpu.kernel import BlockIdOp, Dimension, EndOp, KernelOp, ThreadIdOp
from dlc.dialects.gpu.mma import LdmatrixOp, MmaOp, RoundTf32Op
from dlc.dialects.gpu.sync import (
    BarrierOp,
    CpAsyncCommitOp,
    CpAsyncWaitOp,
    FenceOp,
    MeetingOp,
    WarpBarrierOp,
)
from dlc.dialects.gpu.unroll import UNROLL
from dlc.dialects.gpu.warp import ShuffleMode, ShuffleOp

Gpu = Dialect(
    "gpu",
    [
        *kernel.OPERATIONS,
        *alloc.OPERATIONS,
        *copy.OPERATIONS,
        *sync.OPERATIONS,
        *warp.OPERATIONS,
        *mma.OPERATIONS,
    ],
    [*kernel.ATTRIBUTES, *alloc.ATTRIBUTES, *warp.ATTRIBUTES],
)

__all__ = [
    "UNROLL",
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
    "KernelOp",
    "LdmatrixOp",
    "MeetingOp",
    "MmaOp",
    "NeedsCapability",
    "RegisterAllocOp",
    "RoundTf32Op",
    "SharedAllocOp",
    "ShuffleMode",
    "ShuffleOp",
    "SwizzleAttr",
    "ThreadIdOp",
    "WarpBarrierOp",
]
