"""The two products of a step of keys, by register tiles."""

from collections.abc import Sequence
from dataclasses import replace

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import VectorType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.dialects.loop.attributes import LoopKind, LoopMap
from dlc.dialects.loop.structure import ForOp, YieldOp
from dlc.dialects.loop.vector import LoadVectorOp
from dlc.lowering.tile_scope import open_loop
from dlc.strategies.attention.cpu_nest import Block, Keys, Nest
from dlc.strategies.contract.register_tile import Reduction, RegisterTile


def score(nest: Nest, block: Block, queries: SSAValue, scores: SSAValue, keys: Keys) -> None:
    """Write the products of the rows and the keys that are seen, to the buffer of scores."""
    scope, tile, depth = nest.scope, nest.tile, nest.scores.gemm.k_size
    whole, rest = divmod(keys.count, tile.columns)

    def write(tile: RegisterTile, number: AffineExpr) -> None:
        def write_tile(row: AffineExpr) -> None:
            place = [block.number, keys.first // nest.tile.columns + number]

            def load_key(vector: int, at: Sequence[AffineExpr]) -> SSAValue:
                return _load(nest, nest.keys, [*place, *at], vector)

            reduction = Reduction([depth], lambda n, at: nest.load(queries, row + n, *at), load_key)
            totals = tile.sum_up(scope, tile.rows, nest.compute, reduction)
            tile.store(scope, totals, scores, row, number * nest.tile.columns)

        nest.each_tile(write_tile)

    if whole:
        until = None if keys.last is None else scope.count_until(keys.last, tile.columns, whole)
        loop = ForOp(0, whole, kind=LoopKind.REDUCTION, until=until)
        with scope.loop(loop) as number:
            write(tile, number)
            scope.b.builder.insert(YieldOp())
    if rest:
        first = AffineExpr.constant(whole * tile.columns)
        behind = AffineExpr.constant(0) if keys.last is None else first - keys.last
        last = AffineExpr.constant(whole)
        scope.where_below(behind, 1, lambda: write(_narrow(tile, rest), last))


def multiply(
    nest: Nest,
    block: Block,
    weights: SSAValue,
    sums: SSAValue,
    keys: Keys,
    factors: SSAValue | None,
) -> None:
    """Write the products of the weights and the values. factors: by which the sums so far are
    multiplied, for each row; ``None`` where there are no sums yet.
    """
    scope, tile = nest.scope, nest.tile
    whole, rest = divmod(nest.product.gemm.n_size, tile.columns)
    until = None if keys.last is None else scope.count_until(keys.last, 1, keys.count)

    def write(tile: RegisterTile, number: AffineExpr) -> None:
        def write_tile(row: AffineExpr) -> None:
            def load_value(vector: int, at: Sequence[AffineExpr]) -> SSAValue:
                return _load(nest, nest.values, [block.number, number, keys.first + at[0]], vector)

            column = number * nest.tile.columns
            start = [] if factors is None else _scaled(nest, tile, sums, factors, row, column)
            reduction = Reduction(
                [keys.count], lambda n, at: nest.load(weights, row + n, *at), load_value, until
            )
            totals = tile.sum_up(scope, tile.rows, nest.compute, reduction, start)
            tile.store(scope, totals, sums, row, column)

        nest.each_tile(write_tile)

    if whole:
        open_loop(scope, whole, LoopMap.SERIAL, lambda number: write(tile, number))
    if rest:
        write(_narrow(tile, rest), AffineExpr.constant(whole))


def _scaled(
    nest: Nest,
    tile: RegisterTile,
    sums: SSAValue,
    factors: SSAValue,
    row: AffineExpr,
    column: AffineExpr,
) -> list[SSAValue]:
    """Write the sums of a tile so far, by the factors of their rows."""
    b, scope, result = nest.scope.b, nest.scope, list[SSAValue]()
    type = VectorType(nest.compute, [tile.lanes])
    for n in range(tile.rows):
        factor = b.insert(vector.BroadcastOp(nest.load(factors, row + n), type))
        for number in range(tile.vectors):
            flat, dims = scope.resolve([row + n, column + number * tile.lanes])
            before = b.insert(LoadVectorOp(sums, flat, dims, tile.lanes))
            result.append(b.insert(arith.MulfOp(before, factor)))
    return result


def _load(nest: Nest, factor: SSAValue, place: Sequence[AffineExpr], vector: int) -> SSAValue:
    """Write the load of a vector of a row of a packed factor."""
    lanes = nest.tile.lanes
    flat, dims = nest.scope.resolve([*place, AffineExpr.constant(vector * lanes)])
    return nest.scope.b.insert(LoadVectorOp(factor, flat, dims, lanes))


def _narrow(tile: RegisterTile, columns: int) -> RegisterTile:
    """Return a tile that is no wider than some columns need."""
    return replace(tile, vectors=-(-columns // tile.lanes))
