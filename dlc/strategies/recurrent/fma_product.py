"""Products by fused multiply-adds: each lane has a row of weights."""

from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.arch.fragments import PANEL_ROWS
from dlc.dialects import gpu
from dlc.dialects.graph.computed import ContractionOp
from dlc.strategies.recurrent.product import BlockProduct, Chunk, Fragment


class FmaBlockProduct(BlockProduct):
    """The lanes of a warp read the same elements of a state at a time."""

    def hold_tiles(self) -> None:
        thread, layout = self.thread, self.thread.layout
        for number in range(layout.down):
            row = self.tile(number) * layout.tile_rows + thread.lane
            self.rows.each_product(row, lambda op, column, m=number: self._hold_rows(m, op, column))

    def _hold_rows(self, number: int, op: ContractionOp, column: AffineExpr) -> None:
        thread, layout = self.thread, self.thread.layout

        def hold(chunk: AffineExpr, weights: Chunk) -> None:
            buffer, index = weights(number, 0)

            def load(n: AffineExpr) -> None:
                k = self.first + chunk * layout.run + n
                thread.store(self.weight(op, column, k), buffer, [*index, n])

            thread.each([layout.run], load)

        self.each_chunk(hold)

    def multiply(self) -> None:
        thread, layout = self.thread, self.thread.layout
        sums = thread.registers(f32, [layout.down, layout.across], "products")
        zero = thread.scope.b.constant(0.0, f32)
        thread.each([layout.down, layout.across], lambda *at: thread.store(zero, sums, at))
        lines = list(dict.fromkeys(self.lines))
        pieces = [
            thread.registers(self.element, [layout.across, layout.run], "piece") for _ in lines
        ]

        def step(chunk: AffineExpr, weights: Chunk) -> None:
            for line, piece in zip(lines, pieces, strict=True):
                thread.each([layout.across], lambda n, p=piece, x=line: self._load(p, x, n, chunk))
            for number, line in enumerate(self.lines):
                piece, a = pieces[lines.index(line)], self.brought(weights(number, 0))
                thread.each(
                    [layout.run, layout.across],
                    lambda k, n, p=piece, m=number, a=a: self._product(sums, a, p, m, n, k),
                )

        self.each_chunk(step)
        for number in range(layout.down):
            thread.each([layout.across], lambda n, m=number: self._leave(sums, m, n))

    def _load(self, piece: SSAValue, first: AffineExpr, n: AffineExpr, chunk: AffineExpr) -> None:
        """Write the load of a piece of the state of a sequence."""
        thread, layout = self.thread, self.thread.layout
        source = thread.at(self.states, [first + n, self.first + chunk * layout.run])
        thread.scope.b.builder.insert(gpu.CopyOp(source, thread.at(piece, [n, 0]), layout.run))

    def _product(
        self,
        sums: SSAValue,
        weights: Fragment,
        piece: SSAValue,
        m: int,
        n: AffineExpr,
        k: AffineExpr,
    ) -> None:
        thread = self.thread
        weight = thread.load(weights[0], [*weights[1], k])
        state, total = thread.load(piece, [n, k]), thread.load(sums, [m, n])
        thread.store(thread.scope.b.fma(weight, state, total), sums, [m, n])

    def _leave(self, sums: SSAValue, m: int, n: AffineExpr) -> None:
        """Write the partial sums of a tile to shared memory."""
        thread, layout = self.thread, self.thread.layout
        panel = self.tile(m) * (layout.tile_rows // PANEL_ROWS) + thread.lane // PANEL_ROWS
        place = layout.sum_place(thread.lane % PANEL_ROWS, n)
        thread.store(thread.load(sums, [m, n]), self.sums, [thread.warp_slice, panel, *place])
