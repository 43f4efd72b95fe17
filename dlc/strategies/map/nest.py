"""Parallel loops in each other, and the numbers of threads."""

from collections.abc import Callable, Sequence

from xdsl.ir.affine import AffineExpr

from dlc.dialects.loop.attributes import LoopMap
from dlc.lowering.scope import LoopScope

Write = Callable[[Sequence[AffineExpr]], None]


def nest(
    scope: LoopScope,
    sizes: Sequence[int],
    maps: Sequence[LoopMap],
    dims: Sequence[AffineExpr],
    write: Write,
) -> None:
    """Open one parallel loop per size and write into the innermost."""
    if not sizes:
        write(dims)
        return
    scope.parallel_loop(
        sizes[0], maps[0], lambda dim: nest(scope, sizes[1:], maps[1:], [*dims, dim], write)
    )


def each_thread(
    scope: LoopScope, threads: int, count: int, write: Callable[[AffineExpr], None]
) -> None:
    """Give each thread of blocks of ``threads`` a number below ``count``, as long as there are
    some.
    """
    blocks = -(-count // threads)

    def write_thread(dims: Sequence[AffineExpr]) -> None:
        position = dims[0] * threads + dims[1]
        if count == blocks * threads:
            write(position)
        else:
            scope.where_below(position, count, lambda: write(position))

    nest(scope, [blocks, threads], [LoopMap.GRID, LoopMap.THREAD], [], write_thread)
