"""A window that slides along one axis (convolution, pooling)."""

from dataclasses import dataclass

from xdsl.ir.affine import AffineExpr

from dlc.errors import CompileError
from dlc.ir.tensor import DYNAMIC


@dataclass(frozen=True)
class Window:
    """``size`` taps, ``dilation`` elements apart; position ``p`` begins at ``p * stride - begin``.

    begin, end: elements of padding before and after the axis.
    ceil: a last window that begins inside, but reaches beyond the padding, counts.
    """

    size: int
    stride: int = 1
    begin: int = 0
    end: int = 0
    dilation: int = 1
    ceil: bool = False

    @property
    def extent(self) -> int:
        """The elements from the first tap to the last one."""
        return (self.size - 1) * self.dilation + 1

    def positions(self, length: int) -> int:
        """Return how many windows an axis of ``length`` elements has.

        Raises CompileError when not one fits.
        """
        if DYNAMIC in (length, self.size):
            return DYNAMIC
        if min(self.size, self.stride, self.dilation) < 1:
            raise CompileError(
                f"window size {self.size}, stride {self.stride} and dilation {self.dilation} must"
                " be at least 1"
            )
        room = length + self.begin + self.end - self.extent
        if room < 0:
            raise CompileError(
                f"a window of {self.extent} elements does not fit in an axis of {length} with"
                f" padding {self.begin} and {self.end}"
            )
        count = -(-room // self.stride) if self.ceil else room // self.stride
        if self.ceil and count * self.stride >= length + self.begin:
            count -= 1  # it would begin in the padding at the end
        return count + 1

    def index(self, position: AffineExpr, tap: AffineExpr) -> AffineExpr:
        """Return the element that ``tap`` of the window at ``position`` reads."""
        at = position * self.stride if self.stride > 1 else position
        at = at + (tap * self.dilation if self.dilation > 1 else tap) if self.size > 1 else at
        return at - self.begin if self.begin else at

    def leaves(self, length: int) -> bool:
        """Return whether some tap of some window reads outside an axis of ``length`` elements."""
        last = (self.positions(length) - 1) * self.stride - self.begin + self.extent - 1
        return self.begin > 0 or last >= length
