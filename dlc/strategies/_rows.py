"""What row reductions need in order to share a kernel: every value of it belongs to one row."""

from collections.abc import Iterator

from xdsl.ir import SSAValue

from dlc.analysis.dataflow import Cluster
from dlc.analysis.role import Role, RowSpace
from dlc.dialects.graph.computed import ComputedOp, ElementwiseOp
from dlc.ir.tensor import shape


def row_reductions(cluster: Cluster) -> list[ComputedOp]:
    """Return the reductions over rows, in order."""
    return [op for op, role in cluster.roles.items() if role is Role.ROW]


def obstacles(cluster: Cluster) -> Iterator[str]:
    """Yield why the row reductions of ``cluster``, at least one, do not share a kernel with all of
    its ops.
    """
    if Role.WINDOW in cluster.kinds:
        yield "a window does not join a row reduction"
    rows = row_reductions(cluster)
    spaces = {cluster.facts(op).rows for op in rows}
    space = spaces.pop()
    if spaces or space is None:
        yield "reductions over different axes"
        return
    dependent = cluster.after(rows) | set(rows)
    for op in cluster.ops:
        inside = [v for v in op.operands if cluster.flow.origin(v).owner in dependent]
        if not all(_same_without_ones(v, cluster.flow.origin(v)) for v in inside):
            yield "a change of layout after a row reduction"
        if inside and cluster.roles[op] is not Role.ROW:
            yield from _obstacles_after(op, inside, space)
    if not all(_is_of_row(value, space, dependent) for value in cluster.results):
        yield "a result that is not of the row's shape"


def _obstacles_after(op: ComputedOp, inside: list[SSAValue], space: RowSpace) -> Iterator[str]:
    """Yield why ``op`` does not compute an element of a row from that row's elements and
    reductions only.
    """
    own, sources = shape(op.results[0]), {shape(v) for v in inside}
    if not isinstance(op, ElementwiseOp):
        yield "data movement after a row reduction"
    if own == space.squeezed:
        fits = sources <= {space.squeezed}
    else:
        fits = own in (space.shape, space.reduced) and sources <= {space.shape, space.reduced}
    if not fits:
        yield "mixes elements of different rows"


def _is_of_row(value: SSAValue, space: RowSpace, dependent: set[ComputedOp]) -> bool:
    allowed = {space.shape}
    if value.owner in dependent:
        allowed |= {space.reduced, space.squeezed}
    return shape(value) in allowed


def _same_without_ones(left: SSAValue, right: SSAValue) -> bool:
    return [n for n in shape(left) if n > 1] == [n for n in shape(right) if n > 1]
