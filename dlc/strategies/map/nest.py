"""Parallel loops in each other."""

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
