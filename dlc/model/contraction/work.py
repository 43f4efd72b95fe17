"""What a contraction does, whatever the chip and the schedule."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Contraction:
    """A product, and what is before and after it.

    row_loop: the innermost loop of the rows (a convolution's last image axis).
    element: the factors' type as units name it (``f16``, ``tf32``). compute: that of sums.
    factor_bytes, compute_bytes: of one element of the factors and of an accumulator. lhs_bytes,
    rhs_bytes: what is read of the factors at least. read_bytes, written_bytes: by the epilogue.
    lhs_copy, rhs_copy: bytes of one asynchronous copy of a factor; 0 where its elements go through
    registers. guarded: whether an element of the lhs may be in the padding.
    lhs_reads: elements that are read for one of the lhs that goes through registers. lhs_run,
    rhs_run: of such, the neighbours along the reduction that a thread brings together.
    lhs_operations, operations: scalar operations, in units of an addition, for one element of the
    lhs, and of the result beside its sum. together: neighbouring columns that lie together in all
    results, aligned. lhs_along_k, rhs_along_k: whether lines of a staged factor are along the
    reduction.
    mapped_line: bytes of a line of a slice, along the reduction, that tensor copies bring of both
    factors; 0 where they bring not both.
    batch_loop: the innermost loop of the batch. beside: products of the batch that are one here:
    ``n`` and ``k`` are those of all of them, each with its own part of both.
    lhs_inside: whether the lhs is computed in the kernel. lhs_piece: bytes of it that lie together
    along the reduction, between others that are not read with them; 0 where there are no others.
    adjacent: whether neighbouring columns are neighbours in memory in all results.
    results: tensors that are stored. row_totals: reductions of whole rows behind the product, one
    after the other.
    """

    batch: int
    m: int
    n: int
    k: int
    row_loop: int
    element: str
    factor_bytes: int
    compute_bytes: int
    lhs_bytes: int
    rhs_bytes: int
    read_bytes: int
    written_bytes: int
    lhs_copy: int = 16
    rhs_copy: int = 16
    guarded: bool = False
    lhs_reads: int = 1
    lhs_operations: float = 0.0
    operations: float = 0.0
    together: int = 8
    lhs_along_k: bool = True
    rhs_along_k: bool = True
    compute: str = "f32"
    lhs_inside: bool = False
    lhs_piece: int = 0
    adjacent: bool = True
    lhs_run: int = 1
    rhs_run: int = 1
    mapped_line: int = 0
    results: int = 1
    batch_loop: int = 1
    beside: int = 1
    row_totals: int = 0

    @property
    def flops(self) -> float:
        """The operations of the result."""
        return 2.0 * self.batch * self.m * self.n * self.k / self.beside

    @property
    def global_bytes(self) -> int:
        """What crosses the global memory at least."""
        return self.lhs_bytes + self.rhs_bytes + self.read_bytes + self.written_bytes

    def joined(self, count: int) -> "Contraction":
        """Return it with ``count`` products of the batch beside each other in a tile: pieces of the
        lhs that lie together in memory are as many times as long where these are neighbours.
        """
        if count == 1:
            return self
        return replace(
            self,
            batch=self.batch // count,
            batch_loop=self.batch_loop // count,
            n=self.n * count,
            k=self.k * count,
            lhs_piece=self.lhs_piece * count,
            beside=count,
        )

    def through_registers(self) -> "Contraction":
        """Return it with factors that threads change on their way to shared memory."""
        lhs, rhs = (max(1, copy // self.factor_bytes) for copy in (self.lhs_copy, self.rhs_copy))
        lhs = max(lhs, self.lhs_run)
        return replace(self, lhs_copy=0, rhs_copy=0, lhs_run=lhs, rhs_run=rhs)
