"""Which tiles of a result each block of a launch makes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Region
from xdsl.ir.affine import AffineExpr

from dlc.core.affine import extent
from dlc.dialects.loop.attributes import LoopMap
from dlc.lowering.scope import LoopScope

_WHOLE = AffineExpr.constant(0)

P = TypeVar("P")


@dataclass(frozen=True)
class BlockTiles:
    """count: of tiles. threads: of a block that make one. split: the blocks that make a tile
    together, each a part of its sum. walking: blocks, each of which makes one tile after the other;
    0 where each block makes one tile, or a part of it.
    """

    count: int
    threads: int
    split: int = 1
    walking: int = 0

    @property
    def blocks(self) -> int:
        """The blocks of the launch."""
        blocks = self.count * self.split
        return min(blocks, self.walking) if self.walking else blocks

    def write(
        self,
        scope: LoopScope,
        place: Callable[[AffineExpr, AffineExpr], P],
        make: Callable[[P], None],
    ) -> None:
        """Write the loops over blocks and threads.

        place: writes where the tile of a number is, and which part of it. make: what all threads of
        a block do there.
        """

        def write_one(block: AffineExpr) -> None:
            at = place(*self._of(scope, block))
            self._threads(scope, lambda: make(at))

        def write_walk(block: AffineExpr) -> None:
            def make_number(tile: AffineExpr) -> None:
                make(place(tile, _WHOLE))

            self._threads(scope, lambda: self._walk(scope, block, make_number))

        write = write_walk if self.walking else write_one
        scope.named_loop("block", self.blocks, LoopMap.GRID, write)

    def _of(self, scope: LoopScope, block: AffineExpr) -> tuple[AffineExpr, AffineExpr]:
        """Write the number of a block's tile, and which part of it the block makes."""
        if self.split == 1:
            return block, _WHOLE
        part = scope.named("part", block % self.split)
        return scope.named("tile", block // self.split), part

    def _threads(self, scope: LoopScope, write: Callable[[], None]) -> None:
        scope.named_loop("thread", self.threads, LoopMap.THREAD, lambda _: write())

    def _walk(
        self, scope: LoopScope, block: AffineExpr, make: Callable[[AffineExpr], None]
    ) -> None:
        """Let a block walk over tiles from its number on, as many further as there are blocks."""
        last, step = (scope.b.constant(n, IndexType()) for n in (self.count, self.blocks))
        body = Region(Block(arg_types=[IndexType()]))
        scope.b.builder.insert(scf.ForOp(scope.index_value(block), last, step, [], body))
        with scope.enter(body.block, None):
            tile = body.block.args[0]
            tile.name_hint = "tile"
            make(scope.dim(tile, extent(self.count)))
            scope.b.builder.insert(scf.YieldOp())
