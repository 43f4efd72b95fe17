"""A softmax between two products of tiles, part by part: what happens to a tile of scores.

The sums of the second product are of weights that are not divided by their total yet, and relative
to the largest score so far. For each row of them, their accumulator has this score, too, at first
minus infinity, and the total of the weights, at first zero (Milakov and Gimelshein, "Online
normalizer calculation for softmax", 2018; Dao, "FlashAttention-2", 2023).
"""

from collections.abc import Sequence
from math import inf

from xdsl.dialects.builtin import (
    AffineMapAttr,
    DenseArrayBase,
    FloatAttr,
    MemRefType,
    UnitAttr,
    f32,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import (
    MemoryAllocEffect,
    MemoryReadEffect,
    MemoryWriteEffect,
)
from xdsl.utils.exceptions import VerifyException

from dlc.dialects.loop.accumulator import verify_fragments, verify_whole
from dlc.dialects.loop.memory import IntegerList, buffer_element, buffer_shape
from dlc.dialects.loop.spread import spread_of
from dlc.dialects.loop.stage import TileOp, tile_sizes, verify_tile
from dlc.ir.access import INDEX, Positions, canonical_access


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
        verify_fragments(self.held)
        sizes, held = tile_sizes(self.tile, ()), buffer_shape(self.held)
        sizes = sizes[::-1] if self.transpose else sizes
        if sizes != held or buffer_element(self.tile) != buffer_element(self.held):
            raise VerifyException(f"takes all of {self.tile.type}, gives {self.held.type}")


@irdl_op_definition
class RoundFragmentOp(TileOp):
    """Round a tile in registers to the type of another one, which then is the lhs of products
    (``loop.contract``) and keeps its elements when the first one changes.

    ``loop.round_fragment %scores to %weights : memref<64x64xf32, ..>, memref<64x64xf16, ..>``
    """

    name = "loop.round_fragment"
    tile = operand_def(MemRefType)
    rounded = operand_def(MemRefType)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$tile `to` $rounded attr-dict `:` type($tile) `,` type($rounded)"

    def __init__(self, tile: SSAValue, rounded: SSAValue):
        super().__init__(operands=[tile, rounded])

    def verify_(self) -> None:
        verify_fragments(self.tile)
        verify_fragments(self.rounded)
        if buffer_shape(self.tile) != buffer_shape(self.rounded) or (
            spread_of(self.tile) != spread_of(self.rounded)
        ):
            raise VerifyException(f"{self.tile.type} does not lie as {self.rounded.type} does")


@irdl_op_definition
class OnlineSoftmaxOp(TileOp):
    """Turn a tile of scores into weights, and make ``sums`` what they are beside them.

    For each row, ``m`` being the larger of its largest score so far and that of the tile:
    ``w = exp(score - m)`` replaces each score; the sums so far, and the total of their
    weights, are multiplied by the weight of what was the largest score; the tile's weights are
    added to the total. Columns from ``within`` on, counted from ``at``, have no weight. Where there
    is a second position, it is that of the last column of which the first row has a weight; each
    row has one of one column more than the row before. ``scale``: scores count as so many times
    what they are. A row all of whose scores so far are minus infinity has weights of zero. Where
    ``sums`` has teams, each has its own columns of the scores, and what is beside the sums of a row
    is of these. ``await``: products that add to the sums may be under way; they are awaited when
    the weights are there, before the sums are multiplied.

    ``loop.online_softmax %scores at [%k * 64, %row] within [197] for %sums {scale = 0.125 : f32} :
    .., ..``
    """

    name = "loop.online_softmax"
    scores = operand_def(MemRefType)
    sums = operand_def(MemRefType)
    indices = var_operand_def(INDEX)
    first = prop_def(AffineMapAttr)
    within = prop_def(DenseArrayBase.constr(i64))
    scale = opt_prop_def(FloatAttr.constr(type=f32))
    awaits = opt_prop_def(UnitAttr)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    irdl_options = (ParsePropInAttrDict(),)
    custom_directives = (Positions, IntegerList)
    assembly_format = (
        "$scores `at` custom<Positions>($indices, $first) `within` custom<IntegerList>($within) "
        "`for` $sums (`await` $awaits^)? attr-dict `:` type($scores) `,` type($sums)"
    )

    def __init__(
        self,
        scores: SSAValue,
        sums: SSAValue,
        first: AffineExpr,
        dims: Sequence[SSAValue],
        within: int,
        seen: AffineExpr | None = None,
        scale: float = 1.0,
    ):
        """first: the first column. seen: the last one of which the first row has a weight."""
        map, indices = canonical_access([first] if seen is None else [first, seen], dims)
        super().__init__(
            operands=[scores, sums, indices],
            properties={
                "first": map,
                "within": DenseArrayBase.from_list(i64, [within]),
                "scale": None if scale == 1 else FloatAttr(scale, f32),
            },
        )

    @property
    def factor(self) -> float:
        """How often what they are scores count."""
        return 1.0 if self.scale is None else self.scale.value.data

    @property
    def limit(self) -> int:
        """The number of columns that there are."""
        return int(self.within.get_values()[0])

    def verify_(self) -> None:
        verify_fragments(self.scores)
        verify_fragments(self.sums)
        scores, sums = spread_of(self.scores), spread_of(self.sums)
        if scores.rows != sums.rows or scores.beside != sums.teams or scores.teams > 1:
            raise VerifyException(
                f"a row of scores and its sums are in the same threads of one group, not {scores} "
                f"and {sums}"
            )
        if not 0 < self.factor < inf:
            raise VerifyException(f"scale = {self.factor} should be a positive number")
        if len(self.first.data.results) not in (1, 2) or len(self.within.get_values()) != 1:
            raise VerifyException("scores have a first column, perhaps a last one, and a limit")


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
        verify_whole(self.sums)
        verify_fragments(self.sums)
