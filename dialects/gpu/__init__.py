"""Explicit SIMT: the program of one thread.

A value is a scalar of one thread, or a global, shared or register buffer. Control flow is ``scf``,
scalars are ``arith`` and ``math``, ``loop.load`` and ``loop.store`` read and write elements.
Parallel loops and tensors are not expressible here; a kernel is launched by the host program.
"""

from xdsl.ir import Dialect

from dlc.dialects.gpu import _alloc, _copy, _kernel, _mma, _sync, _warp

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
