"""Whether the lines of a staged tile are pixels that follow each other over the lines of images:
then a copy in im2col mode brings them, whatever the lengths of the lines.

The rows of a convolution are numbered through the windows of its images. Pixel number ``R`` is in
image ``R floordiv (rows * columns)``, at row ``R floordiv columns mod rows`` and column ``R mod
columns`` of the window, which is moved by the place in the kernel.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineExpr

from dlc.analysis.staged_copy import StagedLoad
from dlc.analysis.staged_tile import Axis, NoBoxError, StagedTile, TensorStage
from dlc.core.affine import interval_of, simplify
from dlc.core.tensor_map import MOST_ELEMENT_STRIDE, TensorMap
from dlc.dialects.loop import StageOp

MOST_OFFSET = {1: (1 << 16) - 1, 2: (1 << 8) - 1, 3: (1 << 5) - 1}
"""The offsets from pixels that an instruction can name, by how many there are (PTX ISA, "Im2col
mode")."""

_NO_COLUMN = NoBoxError("its lines are no pixels that follow each other")


@dataclass(frozen=True)
class _Window:
    """The pixels along a spatial axis. count: of them; step: from one to the next; moved: by what
    the window is moved, the same for all pixels.
    """

    count: int
    step: int
    moved: AffineExpr


class Column(StagedTile):
    """A tile that is a column of pixels."""

    @staticmethod
    def of(op: StageOp, staged: StagedLoad) -> "Column":
        """Return the tile with its lines as one index."""
        return Column(op, staged, (op.sizes[0],))

    def found(self) -> TensorStage:
        """Return the copies; raises NoBoxError."""
        index, reason = self.index(), _NO_COLUMN
        if len(index) - 2 not in MOST_OFFSET:
            raise reason
        for pixel in dict.fromkeys(self._pixels(index)):
            for windows in self._nests(index[1:-1], pixel, self._divisors(index, pixel), ()):
                try:
                    return self._column(index, pixel, windows)
                except NoBoxError as error:
                    reason = error
        raise reason

    def _pixels(self, index: Sequence[AffineExpr]) -> Iterator[AffineExpr]:
        """Give what may be the number of a pixel: what is divided, and grows with the line."""
        for part in (part for expr in index for part in expr.dfs()):
            if isinstance(part, AffineBinaryOpExpr) and _is_division(part):
                lines, place = self.steps(part.lhs)
                if lines == 1 and place == 0:
                    yield simplify(part.lhs, self.ranges)

    def _divisors(self, index: Sequence[AffineExpr], pixel: AffineExpr) -> set[int]:
        """Return what the number of a pixel may be divided by, or below."""
        divisions = (
            part.rhs.value
            for expr in index
            for part in expr.dfs()
            if isinstance(part, AffineBinaryOpExpr)
            and _is_division(part)
            and isinstance(part.rhs, AffineConstantExpr)
        )
        below = {size for expr, size in self.conditions() if expr == pixel}
        return {*divisions, *below, (interval_of(pixel, self.ranges).high or 0) + 1}

    def _nests(
        self,
        index: Sequence[AffineExpr],
        pixel: AffineExpr,
        divisors: set[int],
        inner: tuple[_Window, ...],
    ) -> Iterator[tuple[_Window, ...]]:
        """Give the windows along the spatial axes that an index may go through, behind which
        ``inner`` are known: their counts are divisors, or with all further in multiply to one.
        """
        axis = len(index) - 1 - len(inner)
        if axis < 0:
            yield inner
            return
        behind = prod(window.count for window in inner)
        for count in sorted({*divisors, *(d // behind for d in divisors if d % behind == 0)}):
            at = pixel // behind
            if axis or self.tensor_sizes[0] > 1:  # of one image, pixels behind it are not asked for
                at = at % count
            window = self._window(index[axis], at, count)
            if window is not None:
                yield from self._nests(index, pixel, divisors, (window, *inner))

    def _window(self, expr: AffineExpr, at: AffineExpr, count: int) -> _Window | None:
        """Return the window of an index that goes through it as ``at`` says."""
        factors = (part.rhs for part in expr.dfs() if isinstance(part, AffineBinaryOpExpr))
        constants = {factor.value for factor in factors if isinstance(factor, AffineConstantExpr)}
        for step in sorted({1, *(n for n in constants if 1 < n <= MOST_ELEMENT_STRIDE)}):
            moved = simplify(expr - at * step, self.ranges)
            if self.steps(moved) == [0, 0]:
                return _Window(count, step, moved)
        return None

    def _column(
        self, index: Sequence[AffineExpr], pixel: AffineExpr, windows: Sequence[_Window]
    ) -> TensorStage:
        sizes, lines = self.tensor_sizes, self.op.sizes[0]
        counts = [window.count for window in windows]
        image = simplify(pixel // prod(counts), self.ranges)
        channel = Axis(index[-1], sizes[-1], 1)
        if self.steps(channel.index) != [0, 1] or not self._is_image(index[0], pixel, counts):
            raise _NO_COLUMN
        for expr, size in self.conditions():
            self.check_condition(expr, size, [Axis(image, sizes[0], prod(sizes[1:])), channel])
        lower, offsets = self._corner(windows)
        upper = [
            low + (w.count - 1) * w.step + 1 - size
            for low, w, size in zip(lower, windows, sizes[1:-1], strict=True)
        ]
        strides = [prod(sizes[axis + 1 :]) * self.width for axis in range(len(sizes) - 1)]
        steps = (1, *(window.step for window in windows), 1)
        uneven = steps if any(step != 1 for step in steps) else ()
        box, corners = (lines, self.length), (tuple(lower), tuple(upper))
        rounded = self.staged.rounded_bits
        map = TensorMap(sizes, tuple(strides), box, uneven, self.swizzle, 0, *corners, rounded)
        first = [
            low + pixel // prod(counts[axis + 1 :]) % w.count * w.step
            for axis, (low, w) in enumerate(zip(lower, windows, strict=True))
        ]
        return self.stage(map, [image, *first, channel.index, *offsets])

    def _is_image(self, index: AffineExpr, pixel: AffineExpr, counts: Sequence[int]) -> bool:
        """Return whether an index is the number of the image that a pixel is in; of one image, all
        pixels that are asked for are in it.
        """
        total = prod(counts)
        if self.tensor_sizes[0] > 1:
            return index == simplify(pixel // total, self.ranges)
        inside = interval_of(pixel, self.ranges).within(0, total - 1)
        return inside or (pixel, total) in self.conditions()

    def _corner(self, windows: Sequence[_Window]) -> tuple[list[int], list[AffineExpr]]:
        """Return where windows begin at least, and by what they are moved from there."""
        lower: list[int] = []
        offsets: list[AffineExpr] = []
        for window in windows:
            low, high = interval_of(window.moved, self.ranges)
            if low is None or high is None or high - low > MOST_OFFSET[len(windows)]:
                raise NoBoxError("its windows are moved too far")
            lower.append(low)
            offsets.append(simplify(window.moved - low, self.ranges))
        return lower, offsets


def _is_division(expr: AffineBinaryOpExpr) -> bool:
    return expr.kind in (AffineBinaryOpKind.FloorDiv, AffineBinaryOpKind.Mod)
