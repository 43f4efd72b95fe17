"""The loops of ``attention`` on a CPU: a core has some rows of queries, and their scores in its
cache.

1. Keys and values are packed as register tiles read them (``pack_rhs``).
2. Each task takes some rows of queries to a buffer, multiplies them with the keys, makes weights of
   their scores row by row, and multiplies these with the values: with all keys that one of the rows
   sees, or step by step.
3. The sums are divided by the totals of the weights on their way through the ops after attention.

Rows beyond the last one are that one again: they compute and store the same.
"""

from collections.abc import Callable

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.attention import attention_of
from dlc.core.affine import unflatten
from dlc.dialects.graph.computed import ContractionOp
from dlc.dialects.loop.attributes import LoopKind, LoopMap
from dlc.dialects.loop.structure import ForOp, YieldOp
from dlc.errors import CompileError
from dlc.lowering.job import Job
from dlc.lowering.product import Product
from dlc.lowering.product import split as split_loops
from dlc.lowering.tile_scope import open_loop
from dlc.strategies.attention.cpu_nest import ZERO, Block, Keys, Nest
from dlc.strategies.attention.cpu_order import in_turns
from dlc.strategies.attention.cpu_products import multiply, score
from dlc.strategies.attention.cpu_schedule import AttentionOnCpu
from dlc.strategies.attention.cpu_softmax import Rows, weigh
from dlc.strategies.attention.logits import logits_of
from dlc.strategies.contract.cpu_factors import pack_rhs


def lower(job: Job, schedule: AttentionOnCpu) -> None:
    """Write the kernel of a group with attention."""
    products = [op for op in job.group.body.block.ops if isinstance(op, ContractionOp)]
    found = attention_of(products[-1]) if products else None
    if found is None:
        raise CompileError("strategy attention needs the two products of attention")
    cores = LoopMap.CORES if schedule.cores else LoopMap.SERIAL
    pairs = zip((found.scores, found.product), found.loops, strict=True)
    scores, product = (Product(op, loops) for op, loops in pairs)
    keys, values = (pack_rhs(job, each, schedule.tile[1], cores) for each in (scores, product))
    rows, key_count = scores.gemm.m_size, scores.gemm.n_size
    tile, step = schedule.register_tile(rows), schedule.step_of(key_count)
    tiles = min(schedule.tiles, -(-rows // tile.rows))
    nest = Nest(job, found, scores, product, keys, values, tile, tiles, step)
    sizes = [scores.gemm.batch_size, -(-rows // nest.block_rows)]
    total = sizes[0] * sizes[1]
    open_loop(nest.scope, total, cores, lambda flat: _write_block(nest, *unflatten(flat, sizes)))


def _write_block(nest: Nest, batch: AffineExpr, place: AffineExpr) -> None:
    """Write what a core does with some rows of queries."""
    scope, seen = nest.scope, logits_of(nest.attention).last
    number = scope.named("batch", batch)
    blocks = -(-nest.rows // nest.block_rows)
    turn = place if seen is None else in_turns(place, blocks)
    first = scope.named("block", turn) * nest.block_rows
    last = None if seen is None else first + (nest.block_rows - 1 + seen)
    block = Block(number, split_loops(number, nest.scores.gemm.batch), first, last)
    tile, columns = nest.tile, nest.product.gemm.n_size
    queries = _bring(nest, block)
    # One vector more: rows do not meet in the same sets of a cache.
    scores = nest.alloc(-(-nest.step // tile.columns) * tile.columns + tile.lanes, "scores")
    sums = nest.alloc(-(-columns // tile.lanes) * tile.lanes, "sums")
    rows = Rows.of(nest)
    if nest.is_stepped:
        _begin(nest, block, rows, sums)

    def write_step(keys: Keys) -> None:
        score(nest, block, queries, scores, keys)
        weigh(nest, block, scores, rows, keys)
        multiply(nest, block, scores, sums, keys, rows.factors)

    _each_step(nest, block, write_step)
    with scope.branch_level():
        _finish(nest, block, sums, rows)


def _bring(nest: Nest, block: Block) -> SSAValue:
    """Write what brings the queries; return their buffer."""
    scope, gemm = nest.scope, nest.scores.gemm
    queries = nest.alloc(gemm.k_size, "queries")

    def write(row: AffineExpr, at: AffineExpr) -> None:
        def write_element(k: AffineExpr) -> None:
            place = [*block.at, *split_loops(at, gemm.m), *split_loops(k, gemm.k)]
            index = nest.scores.lhs_index(nest.scores.dims(place))
            nest.store(scope.read(nest.scores.op.operands[0], index), queries, row, k)

        open_loop(scope, gemm.k_size, LoopMap.VECTOR, write_element)

    nest.each_row(block, write)
    return queries


def _begin(nest: Nest, block: Block, rows: Rows, sums: SSAValue) -> None:
    """Write what is there before the first step: no sums."""

    def write(row: AffineExpr, _: AffineExpr) -> None:
        rows.begin(nest, row)
        none = nest.scope.b.constant(0.0, nest.compute)
        columns = nest.product.gemm.n_size
        clear = lambda column: nest.store(none, sums, row, column)
        open_loop(nest.scope, columns, LoopMap.VECTOR, clear)

    nest.each_row(block, write)


def _each_step(nest: Nest, block: Block, write: Callable[[Keys], None]) -> None:
    """Write a loop over the steps of keys that one of the rows sees, and the last, shorter one."""
    scope, step, last = nest.scope, nest.step, block.last
    if not nest.is_stepped:
        write(Keys(ZERO, nest.key_count, last))
        return
    whole, rest = divmod(nest.key_count, step)
    until = None if last is None else scope.count_until(last, step, whole)
    loop = ForOp(0, whole, kind=LoopKind.REDUCTION, until=until)
    with scope.loop(loop) as number:
        first = number * step
        write(Keys(first, step, None if last is None else last - first))
        scope.b.builder.insert(YieldOp())
    if rest:
        first = AffineExpr.constant(whole * step)
        behind = ZERO if last is None else first - last
        keys = Keys(first, rest, None if last is None else last - first)
        scope.where_below(behind, 1, lambda: write(keys))


def _finish(nest: Nest, block: Block, sums: SSAValue, rows: Rows) -> None:
    """Write what the ops after attention make of the sums, and store it."""
    scope, gemm = nest.scope, nest.product.gemm

    def write(row: AffineExpr, at: AffineExpr) -> None:
        def write_element(column: AffineExpr) -> None:
            place = [*block.at, *split_loops(at, gemm.m), *split_loops(column, gemm.n)]
            index = nest.product.result_index(nest.product.dims(place))
            scope.store(index, lambda: _quotient(nest, sums, rows, row, column))

        open_loop(scope, gemm.n_size, LoopMap.VECTOR, write_element)

    nest.each_row(block, write)


def _quotient(
    nest: Nest, sums: SSAValue, rows: Rows, row: AffineExpr, column: AffineExpr
) -> SSAValue:
    """Write a sum of weighted values, divided by the total of the weights."""
    b, total = nest.scope.b, nest.load(rows.totals, row)
    result = b.div(nest.load(sums, row, column), total)
    if not nest.attention.zero:
        return result
    zero = b.constant(0, nest.compute)
    return b.select(b.compare("gt", total, zero), result, zero)
