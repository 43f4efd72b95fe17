"""A softmax between two products of tiles, part by part: what happens to a tile of scores.

The sums of the second product are of weights that are not divided by their total yet, and relative
to the largest score so far. For each row of them, their accumulator has this score, too, at first
minus infinity, and the total of the weights, at first zero (Milakov and Gimelshein, "Online
normalizer calculation for softmax", 2018; Dao, "FlashAttention-2", 2023).
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    AffineMapAttr,
    DenseArrayBase,
    IndexType,
    MemRefType,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import (
    MemoryAllocEffect,
    MemoryReadEffect,
    MemoryWriteEffect,
    RecursiveMemoryEffect,
)
from xdsl.utils.exceptions import VerifyException

from dlc.dialects.loop.accumulator import verify_accumulator
from dlc.dialects.loop.memory import IntegerList, buffer_element, buffer_shape
from dlc.dialects.loop.spread import spread_of
from dlc.dialects.loop.stage import TileOp, tile_sizes, verify_tile
from dlc.dialects.loop.structure import YieldOp
from dlc.ir.access import INDEX, Positions, canonical_access
from dlc.ir.tensor import compute_type


def _verify_lanes(tile: SSAValue) -> None:
    """Raise VerifyException unless the lanes of a warp hold a tile for each other."""
    verify_accumulator(tile)
    if spread_of(tile).row.c.place is None:
        raise VerifyException(
            f"{spread_of(tile).instruction} gives each thread elements of its own; take a matrix "
            "instruction"
        )


@irdl_op_definition
class LoadFragmentOp(TileOp):
    """Take a staged tile to registers, where ``loop.contract`` finds it as the lhs of products.

    ``transpose``: the tile has the elements ``[k, m]``.

    ``%h = loop.load_fragment %s : memref<64x64xf16, #loop.space<shared>> -> memref<64x64xf16,
    #loop.spread<instruction = "mma.m16n8k16", map = spatial(4, 1) * repeat(1, 8)>,
    #loop.space<register>>``
    """

    name = "loop.load_fragment"
    tile = operand_def(MemRefType)
    transpose = opt_prop_def(UnitAttr)
    held = result_def(MemRefType)
    traits = traits_def(MemoryReadEffect(), MemoryAllocEffect(), MemoryWriteEffect())
    assembly_format = "$tile (`transpose` $transpose^)? attr-dict `:` type($tile) `->` type($held)"

    def __init__(self, tile: SSAValue, type: MemRefType[Attribute], transpose: bool = False):
        super().__init__(
            operands=[tile],
            properties={"transpose": UnitAttr() if transpose else None},
            result_types=[type],
        )

    def verify_(self) -> None:
        verify_tile(self.tile, AffineMap(0, 0, ()))
        _verify_lanes(self.held)
        sizes, held = tile_sizes(self.tile, ()), buffer_shape(self.held)
        sizes = sizes[::-1] if self.transpose else sizes
        if sizes != held or buffer_element(self.tile) != buffer_element(self.held):
            raise VerifyException(f"takes all of {self.tile.type}, gives {self.held.type}")


@irdl_op_definition
class MapAccumulatorOp(TileOp):
    """Put in place of each element of an accumulator what the region yields for it.

    The region takes the element's row, column and value. Rows and columns are counted from ``at``;
    elements that are not below ``within`` stay what they are.

    ``loop.map_accumulator %acc at [%r * 64, 0] within [197, 32] : memref<64x32xf32, ..> {..}``
    """

    name = "loop.map_accumulator"
    accumulator = operand_def(MemRefType)
    indices = var_operand_def(INDEX)
    first = prop_def(AffineMapAttr)
    within = prop_def(DenseArrayBase.constr(i64))
    body = region_def("single_block")
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect(), RecursiveMemoryEffect())
    irdl_options = (ParsePropInAttrDict(),)
    custom_directives = (Positions, IntegerList)
    assembly_format = (
        "$accumulator `at` custom<Positions>($indices, $first) `within` "
        "custom<IntegerList>($within) attr-dict `:` type($accumulator) $body"
    )

    def __init__(
        self,
        accumulator: SSAValue,
        first: Sequence[AffineExpr],
        dims: Sequence[SSAValue],
        within: Sequence[int],
        body: Region,
    ):
        """first: the row and column of the first element. body: takes row, column and value."""
        map, indices = canonical_access(first, dims)
        super().__init__(
            operands=[accumulator, indices],
            properties={"first": map, "within": DenseArrayBase.from_list(i64, list(within))},
            regions=[body],
        )

    @staticmethod
    def block(accumulator: SSAValue) -> Block:
        """Return an empty block for the region of a map."""
        type = compute_type(buffer_element(accumulator))
        return Block(arg_types=[IndexType(), IndexType(), type])

    @property
    def limits(self) -> tuple[int, ...]:
        """The numbers of rows and columns that there are."""
        return tuple(map(int, self.within.get_values()))

    def verify_(self) -> None:
        verify_accumulator(self.accumulator)
        if len(self.first.data.results) != 2 or len(self.limits) != 2:
            raise VerifyException("a map starts at a row and a column and has a limit for each")
        type = compute_type(buffer_element(self.accumulator))
        if tuple(self.body.block.arg_types) != (IndexType(), IndexType(), type):
            raise VerifyException(f"the region takes a row, a column and an element, of {type}")
        last = self.body.block.last_op
        if not isinstance(last, YieldOp) or list(last.arguments.types) != [type]:
            raise VerifyException(f"the region ends with loop.yield of the element, in {type}")


@irdl_op_definition
class OnlineSoftmaxOp(TileOp):
    """Turn a tile of scores into weights, and make ``sums`` what they are beside them.

    For each row, ``m`` being the larger of its largest score so far and that of the tile:
    ``w = exp(score - m)`` replaces each score; the sums so far, and the total of their
    weights, are multiplied by the weight of what was the largest score; the tile's weights are
    added to the total. Columns from ``within`` on, counted from ``at``, have no weight. A row all
    of whose scores so far are minus infinity has weights of zero.

    ``loop.online_softmax %scores at [%k * 64] within [197] for %sums : .., ..``
    """

    name = "loop.online_softmax"
    scores = operand_def(MemRefType)
    sums = operand_def(MemRefType)
    indices = var_operand_def(INDEX)
    first = prop_def(AffineMapAttr)
    within = prop_def(DenseArrayBase.constr(i64))
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    irdl_options = (ParsePropInAttrDict(),)
    custom_directives = (Positions, IntegerList)
    assembly_format = (
        "$scores `at` custom<Positions>($indices, $first) `within` custom<IntegerList>($within) "
        "`for` $sums attr-dict `:` type($scores) `,` type($sums)"
    )

    def __init__(
        self,
        scores: SSAValue,
        sums: SSAValue,
        first: AffineExpr,
        dims: Sequence[SSAValue],
        within: int,
    ):
        map, indices = canonical_access([first], dims)
        super().__init__(
            operands=[scores, sums, indices],
            properties={
                "first": map,
                "within": DenseArrayBase.from_list(i64, [within]),
            },
        )

    @property
    def limit(self) -> int:
        """The number of columns that there are."""
        return int(self.within.get_values()[0])

    def verify_(self) -> None:
        _verify_lanes(self.scores)
        _verify_lanes(self.sums)
        scores, sums = spread_of(self.scores), spread_of(self.sums)
        if scores.rows != sums.rows or scores.beside > 1:
            raise VerifyException(
                f"a row of scores and its sums are in the same threads of one group, not {scores} "
                f"and {sums}"
            )
        if len(self.first.data.results) != 1 or len(self.within.get_values()) != 1:
            raise VerifyException("scores have a first column and a limit")


@irdl_op_definition
class NormalizeOp(TileOp):
    """Divide each row of sums by the total of its weights (``loop.online_softmax``).

    ``zero``: a row that has no total, or whose total is no number, becomes zero; without it, NaN.

    ``loop.normalize %sums zero : memref<64x64xf32, ..>``
    """

    name = "loop.normalize"
    sums = operand_def(MemRefType)
    zero = opt_prop_def(UnitAttr)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$sums (`zero` $zero^)? attr-dict `:` type($sums)"

    def __init__(self, sums: SSAValue, zero: bool):
        super().__init__(operands=[sums], properties={"zero": UnitAttr() if zero else None})

    def verify_(self) -> None:
        _verify_lanes(self.sums)
