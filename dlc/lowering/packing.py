"""The order in which a register tile reads the right-hand side of a product."""

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray
from xdsl.ir.affine import AffineDimExpr

from dlc.analysis.contraction import GemmLoop
from dlc.lowering.product import Product, points


@dataclass(frozen=True)
class Packing:
    """``[batch][column block][k][column]``: what a tile reads stands together, in the order of the
    reduction. The columns of the last block that do not exist are zero.
    """

    product: Product
    columns: int

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """The sizes of the packed rhs."""
        gemm = self.product.gemm
        blocks = -(-points(gemm.n) // self.columns)
        return gemm.batch_size, blocks, points(gemm.k), self.columns

    @property
    def is_permutation(self) -> bool:
        """Whether each axis of the rhs is one dim of the contraction, so that ``pack`` applies."""
        axes = self.product.op.indexing_maps()[1].results
        dims = [e.position for e in axes if isinstance(e, AffineDimExpr)]
        return len(dims) == len(set(dims)) == len(axes)

    def pack(self, rhs: NDArray[np.generic]) -> NDArray[np.generic]:
        """Return the packed form of the elements of the rhs."""
        gemm = self.product.gemm
        order = [*gemm.batch, *gemm.n, *gemm.k]
        parts: list[GemmLoop] = []
        for expr in self.product.op.indexing_maps()[1].results:
            assert isinstance(expr, AffineDimExpr)
            own = [loop for loop in order if loop.dim == expr.position]
            parts += sorted(own, key=lambda loop: -loop.step)
        split = rhs.reshape([loop.size for loop in parts])
        batch, blocks, depth, columns = self.shape
        total = prod(loop.size for loop in gemm.n)
        flat = split.transpose([parts.index(loop) for loop in order]).reshape(batch, total, depth)
        padded = np.zeros((batch, blocks * columns, depth), rhs.dtype)
        padded[:, :total] = flat
        return padded.reshape(batch, blocks, columns, depth).transpose(0, 1, 3, 2)
