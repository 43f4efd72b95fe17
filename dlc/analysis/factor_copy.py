"""How many bytes of a contraction's factor lie together, aligned, so that one copy brings them."""

from collections.abc import Callable, Sequence
from math import gcd, prod

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.contraction import Gemm, GemmLoop, gemm
from dlc.analysis.dataflow import Cluster
from dlc.analysis.element_profile import Read, profile
from dlc.analysis.factor_run import elements_read
from dlc.analysis.form import once_per_form
from dlc.analysis.staged_copy import COPY_BYTES
from dlc.analysis.tensor_column import MOST_OFFSET
from dlc.arch.matrix_descriptor import ROW_BYTES
from dlc.arch.memory import PIECE_BYTES
from dlc.core.affine import (
    Ranges,
    divisor_of,
    extent,
    interval_of,
    linear_index,
    simplify,
    stride,
)
from dlc.core.tensor_map import TensorMap
from dlc.dialects.graph.computed import ComputedOp, ContractionOp, apply_map
from dlc.ir.tensor import element_bytes, element_count, element_type, shape

_IMAGE_AXES = (3, 4, 5)
"""Of images, their spatial axes and channels, that a tensor map takes in im2col mode."""


def copy_bytes(cluster: Cluster, op: ContractionOp, number: int) -> int:
    """Return the bytes of one asynchronous copy of factor ``number`` in its better way round; 0
    where its elements are computed or do not lie together.
    """
    return max(_both_ways(cluster, op, number))


def lies_along_k(cluster: Cluster, op: ContractionOp, number: int) -> bool:
    """Return whether lines of a staged tile of factor ``number`` are along the reduction."""
    along_k, along_rows = _both_ways(cluster, op, number)
    return along_k >= along_rows


def mapped_bytes(op: ContractionOp, number: int, is_stored: Callable[[SSAValue], bool]) -> int:
    """Return the bytes along the reduction through which lines of tensor copies may go, whose
    length divides them: any of factor ``number`` that is a matrix in memory; those of a pixel where
    the rows of the lhs are pixels of images, a convolution with its channels last. 0 where tensor
    copies cannot bring it, and for products of a batch, which nobody has rated.
    """
    found = _moved(op.operands[number], is_stored)
    if found is None or gemm(op).batch:
        return 0
    value, moves = found
    bytes = element_bytes(element_type(value))
    if _copies(op, number, moves, shape(value), bytes)[0] != PIECE_BYTES:
        return 0
    if _in_rows(op, number, moves, shape(value)):
        return max(ROW_BYTES)
    return 0 if number else _channels(op, moves, shape(value), bytes) * bytes


def run_bytes(cluster: Cluster, op: ContractionOp, number: int) -> int:
    """Return the bytes of factor ``number`` that lie together along the reduction and have others
    between them and those of the next row; 0 where there are none between. Of a factor that is
    computed of others, the largest of these counts.
    """
    index = op.indexing_maps()[number].results
    read = elements_read(cluster, op.operands[number], index)
    if not read:
        return 0
    value, index = max(read, key=lambda leaf: element_count(leaf[0]))
    return _run(op, number, tuple(index), shape(value)) * element_bytes(element_type(value))


def _both_ways(cluster: Cluster, op: ContractionOp, number: int) -> tuple[int, int]:
    """Return the bytes of one copy along the reduction, and along the rows."""
    found = _moved(op.operands[number], lambda value: not cluster.inner(value))
    if found is None:
        return 0, 0
    value, moves = found
    return _copies(op, number, moves, shape(value), element_bytes(element_type(value)))


def source(
    value: SSAValue, index: Sequence[AffineExpr], is_stored: Callable[[SSAValue], bool]
) -> tuple[SSAValue, Sequence[AffineExpr]] | None:
    """Return the tensor in memory, and the index in it, whose elements ``value`` has at ``index``;
    ``None`` where they are computed.
    """
    found = _moved(value, is_stored)
    if found is None:
        return None
    value, moves = found
    for move in moves:
        index = apply_map(move.map, index)
    return value, index


def _moved(
    value: SSAValue, is_stored: Callable[[SSAValue], bool]
) -> tuple[SSAValue, tuple[Read, ...]] | None:
    """Return the tensor in memory whose elements ``value`` has, zeros beside them, and how each op
    on the way to it reads them, the last op first; ``None`` where they are computed.
    """
    moves: list[Read] = []
    while not is_stored(value):
        owner = value.owner
        if not isinstance(owner, ComputedOp) or not owner.moves_data:
            return None
        reads = profile(owner).reads
        if len(reads) != 1 or reads[0].is_gather or reads[0].reduced:
            return None
        if reads[0].guarded and reads[0].fill:
            return None
        moves.append(reads[0])
        value = owner.operands[reads[0].operand]
    return value, tuple(moves)


def _position(
    op: ContractionOp, number: int, moves: Sequence[Read], sizes: Sequence[int]
) -> tuple[AffineExpr, Ranges, set[int]]:
    """Return where an element of a factor is in memory, the ranges of the op's dims, and those that
    padding looks at.

    moves: between the factor and the tensor in memory, of shape ``sizes``.
    """
    index: Sequence[AffineExpr] = op.indexing_maps()[number].results
    padded = () if number else op.lhs_guard
    guarded = {dim for axis in padded for dim in index[axis].used_dims()}
    for move in moves:
        index = apply_map(move.map, index)
        guarded |= {dim for axis in move.guard for dim in index[axis].used_dims()}
    ranges = Ranges([extent(n) for n in (*op.domain.parallel, *op.domain.reduction)])
    return simplify(linear_index(index, sizes), ranges), ranges, guarded


@once_per_form
def _in_rows(
    op: ContractionOp, number: int, moves: tuple[Read, ...], sizes: tuple[int, ...]
) -> bool:
    if (not number and op.lhs_guard) or any(move.guarded for move in moves):
        return False
    product = gemm(op)
    position, ranges, _ = _position(op, number, moves, sizes)

    def distance(loops: Sequence[GemmLoop]) -> int | None:
        """Return by how much the position grows from one iteration of a nest to the next."""
        steps = [stride(position, loop.dim, ranges) for loop in loops]
        found = [None if n is None else n * x.step for n, x in zip(steps, loops, strict=True)]
        even = all(
            inner is not None and outer == inner * loop.size
            for outer, inner, loop in zip(found, found[1:], loops[1:], strict=False)
        )
        return found[-1] if found and even else None

    rows = product.n if number else product.m
    return distance(product.k) == 1 and distance(rows) is not None


@once_per_form
def _channels(
    op: ContractionOp, moves: tuple[Read, ...], sizes: tuple[int, ...], bytes: int
) -> int:
    """Return the channels that a convolution reduces, of images of shape ``sizes``: its rows go
    through images, lines and pixels, in that order, and a tensor map can say so.

    bytes: of an element.
    """
    product = gemm(op)
    if len(sizes) not in _IMAGE_AXES or not product.k or any(move.guarded for move in moves):
        return 0
    index: Sequence[AffineExpr] = op.indexing_maps()[0].results
    for move in moves:
        index = apply_map(move.map, index)
    channels, rows = product.k[-1], [loop.dim for loop in product.m]
    through = [dim for expr in index[:-1] for dim in sorted(expr.used_dims()) if dim in rows]
    is_image = through == rows and index[-1] == AffineExpr.dimension(channels.dim)
    if not is_image or channels.step != 1:
        return 0
    return channels.size if _has_windows(op, product, index[1:-1], sizes, bytes) else 0


def _has_windows(
    op: ContractionOp,
    product: Gemm,
    index: Sequence[AffineExpr],
    sizes: tuple[int, ...],
    bytes: int,
) -> bool:
    """Return whether a tensor map has the windows of images of shape ``sizes`` whose pixels the
    rows go through, and instructions can name the places in a kernel.

    index: of the spatial axes. bytes: of an element.
    """
    rows = {loop.dim: loop for loop in product.m}
    dims = (*op.domain.parallel, *op.domain.reduction)
    ranges = Ranges([extent(n) for n in dims])
    first = Ranges([extent(1 if dim in rows else n) for dim, n in enumerate(dims)])
    steps, lower, upper = list[int](), list[int](), list[int]()
    for expr, size in zip(index, sizes[1:-1], strict=True):
        loops = [rows[dim] for dim in expr.used_dims() if dim in rows]
        step = stride(expr, loops[0].dim, ranges) if len(loops) == 1 else None
        low, high = interval_of(expr, first)
        if step is None or low is None or high is None or high - low > MOST_OFFSET[len(index)]:
            return False
        steps.append(step)
        lower.append(low)
        upper.append(low + (loops[0].size - 1) * step + 1 - size)
    strides = tuple(prod(sizes[axis + 1 :]) * bytes for axis in range(len(sizes) - 1))
    corners = tuple(lower), tuple(upper)
    map = TensorMap(sizes, strides, (1, 1), (1, *steps, 1), 0, 0, *corners)
    return not any(map.problems())


@once_per_form
def _run(
    op: ContractionOp, number: int, index: tuple[AffineExpr, ...], sizes: tuple[int, ...]
) -> int:
    """Return the neighbours in memory along the reduction, 0 where those of the next row follow.

    index: of the element in the tensor in memory, of shape ``sizes``.
    """
    ranges = Ranges([extent(n) for n in (*op.domain.parallel, *op.domain.reduction)])
    position = simplify(linear_index(index, sizes), ranges)
    product, length = gemm(op), 1
    for loop in reversed(product.k):
        if loop.step != 1 or stride(position, loop.dim, ranges) != length:
            break
        length *= loop.size
    rows = product.n if number else product.m
    to_next = stride(position, rows[-1].dim, ranges) if rows else None
    return length if to_next and to_next > length else 0


@once_per_form
def _copies(
    op: ContractionOp, number: int, moves: tuple[Read, ...], sizes: tuple[int, ...], size: int
) -> tuple[int, int]:
    """Return the bytes of one copy both ways.

    moves: between the factor and the tensor in memory, of shape ``sizes``, elements of ``size``
    bytes.
    """
    product = gemm(op)
    rows = product.n if number else product.m
    position, ranges, guarded = _position(op, number, moves, sizes)
    along_k, along_rows = (
        _along(position, loops, guarded, ranges, size) for loops in (product.k, rows)
    )
    return along_k, along_rows


def _along(
    position: AffineExpr,
    loops: Sequence[GemmLoop],
    guarded: set[int],
    ranges: Ranges,
    size: int,
) -> int:
    """Return the bytes that lie together along the innermost of some loops.

    position: of an element of ``size`` bytes in memory. guarded: the dims that padding looks at.
    """
    length, walked = 1, set[int]()
    for loop in reversed(loops):
        if loop.step != 1 or loop.dim in guarded or stride(position, loop.dim, ranges) != length:
            break
        length, walked = length * loop.size, walked | {loop.dim}
    if not walked:
        return 0
    steps = [0 if dim in walked else 1 for dim in range(max(walked) + 1)]
    together = gcd(length, divisor_of(position, steps, ranges))
    return next((n for n in COPY_BYTES if n % size == 0 and together % (n // size) == 0), 0)
