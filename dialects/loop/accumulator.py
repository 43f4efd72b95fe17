"""Tiles that all threads of a block accumulate in their registers together.

The ops stand in a loop over threads and every thread reaches them. Which thread holds which element
is part of the tile's type (``SpreadAttr``); the ops are about rows and columns.
"""

from xdsl.dialects.builtin import (
    AffineMapAttr,
    IntegerAttr,
    MemRefType,
    UnitAttr,
    i1,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
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

from dlc.arch.instruction import Instruction
from dlc.dialects.loop.memory import buffer_shape
from dlc.dialects.loop.spread import spread_of
from dlc.dialects.loop.stage import TileOp, TilePlace, tile_sizes, verify_tile
from dlc.ir.access import INDEX, IndexedTile, canonical_access
from dlc.ir.instruction import instruction_of
from dlc.ir.space import Space, space_of


def verify_accumulator(buffer: SSAValue) -> None:
    """Raise VerifyException unless a buffer is a tile in registers whose type says how it lies."""
    if len(buffer_shape(buffer)) != 2 or space_of(buffer) is not Space.REGISTER:
        raise VerifyException(f"an accumulator is rows x columns in registers, not {buffer.type}")
    spread_of(buffer).verify(buffer_shape(buffer))


def verify_whole(tile: SSAValue) -> None:
    """Raise VerifyException where several teams have parts of the sums of a tile."""
    verify_accumulator(tile)
    if spread_of(tile).teams > 1:
        raise VerifyException(f"{spread_of(tile).teams} teams have a part of each sum")


def verify_fragments(tile: SSAValue) -> None:
    """Raise VerifyException unless the lanes of a warp hold a tile for each other."""
    verify_accumulator(tile)
    spread = spread_of(tile)
    if not spread.row.spreads_fragments:
        raise VerifyException(
            f"{spread.instruction} gives each thread elements of its own; take a matrix instruction"
        )


@irdl_op_definition
class ZeroOp(TileOp):
    """A tile of zeros, spread over the registers of all threads of the block.

    ``%acc = loop.zero : memref<64x128xf32, #loop.spread<instruction = "mma.m16n8k16", map =
    spatial(2, 2) * repeat(2, 8)>, #loop.space<register>>``
    """

    name = "loop.zero"
    accumulator = result_def(MemRefType)
    traits = traits_def(MemoryAllocEffect(), MemoryWriteEffect())
    assembly_format = "attr-dict `:` type($accumulator)"

    def __init__(self, type: MemRefType[Attribute]):
        super().__init__(result_types=[type])

    def verify_(self) -> None:
        verify_accumulator(self.accumulator)


@irdl_op_definition
class ContractOp(TileOp):
    """Add the product of two staged tiles: ``acc[m, n] += lhs[m, k] * rhs[k, n]``.

    ``transpose_lhs`` reads ``lhs[k, m]``, ``transpose_rhs`` reads ``rhs[n, k]``. The instruction is
    that of the accumulator's layout. Where the layout interleaves columns, the rhs has them in the
    order of the instructions: its column ``i`` is the accumulator's column ``Spread.column(i)``;
    ``interleave`` says so here, too. Threads that multiply for themselves read columns where they
    are in a line of them: a rhs that is not transposed has them as the result has. A lhs in
    registers (``loop.load_fragment``, or sums of another product) lies as the accumulator does; its
    elements are rounded to the type of the rhs. Where its columns lie over groups beside each
    other, these are the accumulator's teams, each of which sums its part of the reduction; and the
    lhs of teams is multiplied by those that have columns beside each other. ``async``: the products
    of an asynchronous instruction may still be under way afterwards, as one group, until
    ``gpu.wgmma_wait``.
    ``groups``: as many products, whose columns stand beside each other. The columns are cut in
    equal parts, and so is ``k`` of the lhs. Those of part ``g`` are multiplied with part ``g`` of
    the lhs, and the rhs is as deep as one part.

    ``loop.contract %acc, %a, %b[%k mod 2] transpose_rhs {interleave = 4 : i64} : ..``
    """

    name = "loop.contract"
    accumulator = operand_def(MemRefType)
    lhs = operand_def(MemRefType)
    lhs_indices = var_operand_def(INDEX)
    lhs_slot = prop_def(AffineMapAttr)
    rhs = operand_def(MemRefType)
    rhs_indices = var_operand_def(INDEX)
    rhs_slot = prop_def(AffineMapAttr)
    transpose_lhs = opt_prop_def(UnitAttr)
    transpose_rhs = opt_prop_def(UnitAttr)
    interleave = opt_prop_def(IntegerAttr)
    groups = opt_prop_def(IntegerAttr)
    asynchronous = opt_prop_def(UnitAttr)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    custom_directives = (IndexedTile,)
    assembly_format = (
        "(`async` $asynchronous^)? $accumulator `,` "
        "custom<IndexedTile>($lhs, $lhs_indices, $lhs_slot) `,` "
        "custom<IndexedTile>($rhs, $rhs_indices, $rhs_slot) "
        "(`transpose_lhs` $transpose_lhs^)? (`transpose_rhs` $transpose_rhs^)? "
        "attr-dict `:` type($accumulator) `,` type($lhs) `,` type($rhs)"
    )

    def __init__(
        self,
        accumulator: SSAValue,
        lhs: TilePlace,
        rhs: TilePlace,
        transpose_lhs: bool = False,
        transpose_rhs: bool = False,
        interleave: int = 1,
        asynchronous: bool = False,
        groups: int = 1,
    ):
        lhs_slot, lhs_indices = canonical_access(*lhs[1:])
        rhs_slot, rhs_indices = canonical_access(*rhs[1:])
        super().__init__(
            operands=[accumulator, lhs[0], lhs_indices, rhs[0], rhs_indices],
            properties={
                "lhs_slot": lhs_slot,
                "rhs_slot": rhs_slot,
                "transpose_lhs": UnitAttr() if transpose_lhs else None,
                "transpose_rhs": UnitAttr() if transpose_rhs else None,
                "interleave": IntegerAttr(interleave, i64) if interleave > 1 else None,
                "groups": IntegerAttr(groups, i64) if groups > 1 else None,
                "asynchronous": UnitAttr() if asynchronous else None,
            },
        )

    def verify_(self) -> None:
        verify_accumulator(self.accumulator)
        verify_tile(self.rhs, self.rhs_slot.data)
        if self.holds_lhs:
            lhs = self._verify_held()
        else:
            verify_whole(self.accumulator)
            verify_tile(self.lhs, self.lhs_slot.data)
            lhs = tile_sizes(self.lhs, self.lhs_slot.data.results)
        rhs = tile_sizes(self.rhs, self.rhs_slot.data.results)
        (m, k) = lhs[::-1] if self.transpose_lhs else lhs
        (depth, n) = rhs[::-1] if self.transpose_rhs else rhs
        count = self.products
        if count > 1 and (k % count or n % count):
            raise VerifyException(f"{count} groups do not divide {k} places and {n} columns")
        k //= count
        if k != depth or buffer_shape(self.accumulator) != (m, n):
            rows, columns = buffer_shape(self.accumulator)
            raise VerifyException(f"{m} x {k} times {depth} x {n} does not give {rows} x {columns}")
        self._verify_instruction(k)

    @property
    def holds_lhs(self) -> bool:
        """Whether the threads have the lhs in registers."""
        return space_of(self.lhs) is Space.REGISTER

    @property
    def instruction(self) -> Instruction:
        """The instruction for these types of elements; raises VerifyException if there is none."""
        name = spread_of(self.accumulator).instruction
        lhs = self.rhs if self.holds_lhs else self.lhs
        return instruction_of(name, lhs, self.rhs, self.accumulator)

    def _verify_held(self) -> tuple[int, int]:
        """Return the sizes of a lhs in registers, each of whose rows is where those of the sums
        are.
        """
        verify_fragments(self.lhs)
        held, sums = spread_of(self.lhs), spread_of(self.accumulator)
        if (held.beside, held.teams) != (sums.teams, sums.beside):
            raise VerifyException(
                f"what lies beside each other in one, {held.beside} and {sums.beside} groups, are "
                f"teams of the other, {sums.teams} and {held.teams}"
            )
        if held.rows != sums.rows or held.interleave > 1 or self.transpose_lhs or self.products > 1:
            raise VerifyException(
                f"a lhs in registers lies as the rows of the accumulator, {sums.rows}, each in "
                f"order, not {held}"
            )
        rows, columns = buffer_shape(self.lhs)
        return rows, columns

    @property
    def interleaved(self) -> int:
        """How many instructions take turns in the columns of the rhs."""
        return self.interleave.value.data if self.interleave else 1

    @property
    def products(self) -> int:
        """How many products there are whose columns stand beside each other."""
        return self.groups.value.data if self.groups else 1

    def _verify_instruction(self, k: int) -> None:
        it, wanted = self.instruction, spread_of(self.accumulator).interleave
        if not it.spreads_fragments and not self.transpose_rhs:
            wanted = 1
        if k % it.k:
            raise VerifyException(f"instructions of depth {it.k} do not make a depth of {k}")
        if self.asynchronous is not None and not it.is_asynchronous:
            raise VerifyException(f"{it.name} is done when the threads go on; leave out async")
        if self.interleaved != wanted:
            raise VerifyException(
                f"the rhs has the columns of {self.interleaved} instructions interleaved, the "
                f"accumulator those of {wanted}"
            )


@irdl_op_definition
class CombinePartsOp(TileOp):
    """Add up the accumulators of the blocks that share a tile, each with a part of its reduction.

    Every block puts its part in ``scratch`` (tiles x parts x elements). The one that arrives last
    adds them in their order, whoever was last, so every run gives the same bits: there the
    accumulator becomes the whole sum and the result is true, in the other blocks it is false.
    ``counters`` has one number per tile, zero before and after.

    ``%l = loop.combine_parts %acc through %s[%tile, %part] counters %c : memref<..>, .., ..``
    """

    name = "loop.combine_parts"
    accumulator = operand_def(MemRefType)
    scratch = operand_def(MemRefType)
    tile = operand_def(INDEX)
    part = operand_def(INDEX)
    counters = operand_def(MemRefType)
    is_last = result_def(i1)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = (
        "$accumulator `through` $scratch `[` $tile `,` $part `]` `counters` $counters attr-dict "
        "`:` type($accumulator) `,` type($scratch) `,` type($counters)"
    )

    def __init__(
        self,
        accumulator: SSAValue,
        scratch: SSAValue,
        tile: SSAValue,
        part: SSAValue,
        counters: SSAValue,
    ):
        super().__init__(operands=[accumulator, scratch, tile, part, counters], result_types=[i1])

    def verify_(self) -> None:
        verify_whole(self.accumulator)
        rows, columns = buffer_shape(self.accumulator)
        sizes = buffer_shape(self.scratch)
        if len(sizes) != 3 or sizes[2] != rows * columns:
            raise VerifyException(
                f"scratch is tiles x parts x {rows * columns} elements, not {self.scratch.type}"
            )
        if buffer_shape(self.counters) != sizes[:1]:
            raise VerifyException(f"{sizes[0]} tiles need a counter each: {self.counters.type}")
