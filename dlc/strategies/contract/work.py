"""What a contraction group does, as the model of the chip asks."""

from collections.abc import Sequence, Set
from functools import lru_cache

from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, Float64Type
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.contraction import Gemm, GemmLoop, gemm
from dlc.analysis.dataflow import Cluster
from dlc.analysis.epilogue import Place, epilogue
from dlc.analysis.factor_copy import (
    copy_bytes,
    lies_along_k,
    mapped_bytes,
    run_bytes,
)
from dlc.analysis.factor_run import computed_run
from dlc.analysis.role import Role
from dlc.analysis.traffic import traffic_bytes
from dlc.arch.matrix_descriptor import ROW_BYTES
from dlc.arch.memory import ACCESS_BYTES
from dlc.core.affine import Ranges, divisor_of, extent, linear_index, simplify, stride
from dlc.dialects.graph.computed import ContractionOp
from dlc.ir.tensor import (
    compute_type,
    element_bytes,
    element_count,
    element_type,
    shape,
    tensor_bytes,
)
from dlc.model.contraction import Contraction


def work_of(cluster: Cluster) -> Contraction:
    """Return the work of a cluster whose strategy is ``contract``."""
    op = next(op for op, role in cluster.roles.items() if role is Role.ANCHOR)
    assert isinstance(op, ContractionOp)
    product = gemm(op)
    element = element_type(op.operands[0])
    bytes_each = element_bytes(element)
    points = product.batch_size * product.k_size * bytes_each
    lhs_bytes = min(tensor_bytes(op.operands[0]), points * product.m_size)
    rhs_bytes = min(tensor_bytes(op.operands[1]), points * product.n_size)
    written = sum(map(tensor_bytes, cluster.results))
    after, rows = epilogue(op.results[0], cluster.ops, cluster.profile)
    behind_it = after.keys() | rows.values
    before, behind = _operations(cluster, op, behind_it)
    lhs_copy, rhs_copy = (copy_bytes(cluster, op, number) for number in (0, 1))
    return Contraction(
        product.batch_size,
        product.m_size,
        product.n_size,
        product.k_size,
        product.m[-1].size if product.m else 1,
        _element_name(op),
        bytes_each,
        element_bytes(compute_type(element)),
        lhs_bytes,
        rhs_bytes,
        max(0, traffic_bytes(cluster) - lhs_bytes - rhs_bytes - written),
        written,
        lhs_copy,
        rhs_copy,
        guarded=bool(op.lhs_guard),
        lhs_reads=_reads_before(cluster, behind_it),
        lhs_operations=before / max(1, product.batch_size * product.m_size * product.k_size),
        operations=behind / max(1, product.batch_size * product.m_size * product.n_size),
        together=min(_together(op, product, after, result) for result in cluster.results),
        lhs_along_k=lies_along_k(cluster, op, 0),
        rhs_along_k=lies_along_k(cluster, op, 1),
        compute=str(compute_type(element)),
        lhs_inside=cluster.inner(op.operands[0]),
        lhs_run=computed_run(cluster, op) if cluster.inner(op.operands[0]) and not lhs_copy else 1,
        lhs_piece=run_bytes(cluster, op, 0) if lies_along_k(cluster, op, 0) else 0,
        adjacent=all(_is_adjacent(op, product, after, result) for result in cluster.results),
        mapped_line=_mapped_line(cluster, op),
        results=len(cluster.results),
        batch_loop=product.batch[-1].size if product.batch else 1,
        row_totals=len(rows.totals),
    )


def _mapped_line(cluster: Cluster, op: ContractionOp) -> int:
    """Return the bytes of the longest line of a slice that tensor copies bring of both factors; 0
    where they cannot.
    """
    bytes = [mapped_bytes(op, number, lambda value: not cluster.inner(value)) for number in (0, 1)]
    return next((line for line in ROW_BYTES if all(n and n % line == 0 for n in bytes)), 0)


def _operations(cluster: Cluster, root: ContractionOp, after: Set[SSAValue]) -> tuple[float, float]:
    """Return the scalar operations before and after the contraction, each element counted once."""
    before = behind = 0.0
    for op in cluster.ops:
        if op is not root:
            facts = cluster.facts(op)
            cost = facts.points * facts.cost
            if op.results[0] in after:
                behind += cost
            else:
                before += cost
    return before, behind


def _reads_before(cluster: Cluster, after: Set[SSAValue]) -> int:
    """Return how many elements of tensors are read for one that is computed for the lhs."""
    before = [op for op in cluster.ops if op.results[0] not in after]
    read = {v for op in before for v in op.operands if not cluster.inner(v)}
    return max(1, sum(element_count(v) > 1 for v in read))


def _together(
    op: ContractionOp, product: Gemm, after: dict[SSAValue, Place], result: SSAValue
) -> int:
    """Return how many neighbouring columns of the product lie together in ``result``, aligned: a
    power of two, as many as 16 bytes hold at most.
    """
    if not product.n or product.n[-1].step != 1 or result not in after:
        return 1
    most = ACCESS_BYTES // element_bytes(element_type(result))
    index, sizes = after[result].index, shape(op.results[0])
    return _longest_run(index, shape(result), product.n[-1], sizes, most)


@lru_cache(4096)
def _longest_run(
    index: tuple[AffineExpr, ...],
    target: tuple[int, ...],
    column: GemmLoop,
    sizes: tuple[int, ...],
    most: int,
) -> int:
    """Return how many neighbours along ``column`` lie together in a tensor of shape ``target``.

    index: where the element at the dims, of ``sizes``, is in it.
    """
    position, run = linear_index(index, target), most
    while run > 1 and (column.size % run or not _is_run(position, column.dim, sizes, run)):
        run //= 2
    return run


def _is_adjacent(
    op: ContractionOp, product: Gemm, after: dict[SSAValue, Place], result: SSAValue
) -> bool:
    """Return whether neighbouring columns of the product are neighbours in ``result``."""
    if not product.n or product.n[-1].step != 1 or result not in after:
        return False
    ranges = Ranges([extent(n) for n in shape(op.results[0])])
    position = simplify(linear_index(after[result].index, shape(result)), ranges)
    return stride(position, product.n[-1].dim, ranges) == 1


def _is_run(position: AffineExpr, dim: int, sizes: Sequence[int], run: int) -> bool:
    """Return whether the positions of ``run`` neighbours along a dim are one aligned piece."""
    dims = [AffineExpr.dimension(i) for i in range(len(sizes))]
    outer = [extent(n // run if i == dim else n) for i, n in enumerate(sizes)]
    ranges = Ranges([*outer, extent(run)])
    neighbour = len(sizes)
    dims[dim] = dims[dim] * run + AffineExpr.dimension(neighbour)
    position = simplify(position.replace_dims_and_symbols(dims, ()), ranges)
    first = [AffineExpr.dimension(i) for i in range(neighbour)] + [AffineExpr.constant(0)]
    start = simplify(position.replace_dims_and_symbols(first, ()), ranges)
    return stride(position, neighbour, ranges) == 1 and divisor_of(start, (), ranges) % run == 0


def _element_name(op: ContractionOp) -> str:
    """Return the factors' type as units and capabilities name it."""
    if op.precision is not None:
        return op.precision.data.name
    match element_type(op.operands[0]):
        case Float16Type():
            return "f16"
        case BFloat16Type():
            return "bf16"
        case Float32Type():
            return "f32"
        case Float64Type():
            return "f64"
        case element:
            return "i8" if element_bytes(element) == 1 else "i32"


def describe(work: Contraction) -> str:
    """Return the words for a work in an error."""
    return f"a contraction of {work.m} x {work.n} x {work.k}"
