"""Whether tiles of a factor are boxes of a tensor in memory, which tensor copies bring."""

from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineDimExpr

from dlc.analysis.dataflow import Cluster
from dlc.analysis.factor_copy import copy_bytes, source
from dlc.arch.memory import PIECE_BYTES
from dlc.core.affine import Ranges, extent, simplify, stride
from dlc.dialects.graph.computed import ContractionOp
from dlc.ir.tensor import shape

_DIVISIONS = (AffineBinaryOpKind.FloorDiv, AffineBinaryOpKind.CeilDiv, AffineBinaryOpKind.Mod)


def is_in_boxes(cluster: Cluster, op: ContractionOp, number: int, line: int, place: int) -> bool:
    """Return whether any lines of factor ``number``, each whole, are a box of a tensor.

    line, place: the dims of the domain that count lines, and the elements of one. They move along
    one axis each, the latter along the last one; lines end where that axis does. Pieces are
    aligned.
    """
    found = source(
        op.operands[number], op.indexing_maps()[number].results, lambda x: not cluster.inner(x)
    )
    if found is None or copy_bytes(cluster, op, number) != PIECE_BYTES:
        return False
    tensor, index = found
    counts = (*op.domain.parallel, *op.domain.reduction)
    sizes, ranges = shape(tensor), Ranges([extent(n) for n in counts])
    exprs = [simplify(expr, ranges) for expr in index]
    kinds = (p.kind for e in exprs for p in e.dfs() if isinstance(p, AffineBinaryOpExpr))
    if any(kind in _DIVISIONS for kind in kinds):
        return False
    lines = [axis for axis, expr in enumerate(exprs) if line in expr.used_dims()]
    places = [axis for axis, expr in enumerate(exprs) if place in expr.used_dims()]
    return (
        len(lines) == 1
        and places == [len(exprs) - 1]
        and exprs[lines[0]] == AffineDimExpr(line)
        and sizes[lines[0]] == counts[line]
        and stride(exprs[-1], place, ranges) == 1
    )
