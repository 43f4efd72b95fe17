"""Products by a matrix instruction of warps: rows of weights times columns of sequences."""

from itertools import product

from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.arch.fragments import PANEL_ROWS
from dlc.arch.memory import REGISTER_BYTES
from dlc.dialects import gpu
from dlc.dialects.graph.computed import ContractionOp
from dlc.strategies.recurrent.product import BlockProduct, Chunk, Fragment

_PANELS = 2
"""Of rows of a fragment of weights, and of sums."""
_HALVES = 2
"""Of a piece of 16 bytes: one for each of two products."""


class MatrixBlockProduct(BlockProduct):
    """Which element of the reduction has which place in an instruction does not matter as long as
    both factors agree. So a lane takes 16 bytes in a row of both: the first half of them goes
    through one instruction, the second half through the next one.
    """

    def hold_tiles(self) -> None:
        for number, panel in product(range(self.thread.layout.down), range(_PANELS)):
            self._hold_panel(number, panel)

    def _hold_panel(self, number: int, panel: int) -> None:
        """Write the loads of 8 rows of a tile."""
        thread, layout = self.thread, self.thread.layout
        run = thread.registers(self.element, [layout.run], "run")
        half, pack = layout.run // _HALVES, REGISTER_BYTES // layout.bytes

        def hold(op: ContractionOp, column: AffineExpr) -> None:
            def hold_chunk(chunk: AffineExpr, weights: Chunk) -> None:
                k = self._along(chunk)

                def load(n: AffineExpr) -> None:
                    thread.store(self.weight(op, column, k + n), run, [n])

                thread.each([layout.run], load)
                for at in range(layout.run):
                    word, inner = divmod(at % half, pack)
                    buffer, index = weights(number, at // half)
                    place = [*index, (word * _PANELS + panel) * pack + inner]
                    thread.store(thread.load(run, [at]), buffer, place)

            self.each_chunk(hold_chunk)

        row = self.tile(number) * layout.tile_rows + panel * PANEL_ROWS + thread.row
        self.rows.each_product(row, hold)

    def _along(self, chunk: AffineExpr) -> AffineExpr:
        """Return the first element of the lane's piece of a chunk."""
        layout = self.thread.layout
        return self.first + chunk * layout.chunk + self.thread.place * layout.run

    def multiply(self) -> None:
        thread, layout = self.thread, self.thread.layout
        sums = thread.registers(f32, [layout.down, layout.across, 2 * _PANELS], "products")
        zero = thread.scope.b.constant(0.0, f32)
        thread.each(
            [layout.down, layout.across, 2 * _PANELS],
            lambda *at: thread.store(zero, sums, at),
        )
        lines = list(dict.fromkeys(self.lines))
        pieces = [
            thread.registers(self.element, [layout.across, layout.run], "piece") for _ in lines
        ]

        def step(chunk: AffineExpr, weights: Chunk) -> None:
            for line, piece in zip(lines, pieces, strict=True):
                thread.each([layout.across], lambda n, p=piece, x=line: self._load(p, x, n, chunk))
            for half, (number, line) in product(range(_HALVES), enumerate(self.lines)):
                piece, a = pieces[lines.index(line)], self.brought(weights(number, half))
                thread.each(
                    [layout.across],
                    lambda n, p=piece, m=number, h=half, a=a: self._product(sums, a, p, m, n, h),
                )

        self.each_chunk(step)
        for number in range(layout.down):
            thread.each([layout.across], lambda n, m=number: self._leave(sums, m, n))

    def _load(self, piece: SSAValue, first: AffineExpr, n: AffineExpr, chunk: AffineExpr) -> None:
        """Write the load of a piece of the state of a sequence; columns without a sequence take
        that of another one.
        """
        thread, layout = self.thread, self.thread.layout
        own = n * PANEL_ROWS + thread.row
        if layout.across * PANEL_ROWS > layout.schedule.sequences:
            own = own % layout.schedule.sequences
        source = thread.at(self.states, [first + own, self._along(chunk)])
        target = thread.at(piece, [n, 0])
        thread.scope.b.builder.insert(gpu.CopyOp(source, target, layout.run))

    def _product(
        self, sums: SSAValue, weights: Fragment, piece: SSAValue, m: int, n: AffineExpr, half: int
    ) -> None:
        thread, layout = self.thread, self.thread.layout
        a = thread.at(weights[0], [*weights[1], 0])
        b = thread.at(piece, [n, half * (layout.run // _HALVES)])
        c = thread.at(sums, [m, n, 0])
        shape = layout.schedule.instruction.removeprefix("mma.")
        thread.scope.b.builder.insert(gpu.MmaOp(a, b, c, shape))

    def _leave(self, sums: SSAValue, m: int, n: AffineExpr) -> None:
        """Write the partial sums of a tile to shared memory."""
        thread = self.thread
        for panel, odd in product(range(_PANELS), range(2)):
            column = n * PANEL_ROWS + thread.place * 2 + odd
            place = thread.layout.sum_place(thread.row, column)
            target = [thread.warp_slice, self.tile(m) * _PANELS + panel, *place]
            thread.store(thread.load(sums, [m, n, 2 * panel + odd]), self.sums, target)
