"""Kernels whose neighbouring blocks may run as clusters."""

from abc import ABC, abstractmethod

from xdsl.ir import Operation


class ClusteredKernel(Operation, ABC):
    """A kernel, at a level that knows of blocks."""

    @property
    @abstractmethod
    def cluster_blocks(self) -> int:
        """The blocks of a cluster, 1 where there are none."""

    @staticmethod
    def around(op: Operation) -> "ClusteredKernel | None":
        """Return the kernel that an op is in, if it is in one."""
        parent = op.parent_op()
        while parent is not None and not isinstance(parent, ClusteredKernel):
            parent = parent.parent_op()
        return parent
