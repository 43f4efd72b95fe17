"""Normalisation by what neighbouring channels respond to."""

from collections.abc import Callable, Sequence

import numpy as np
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, TensorType, UnitAttr, f64, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def

from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.normalization import require_floats
from dlc.dialects.graph.properties import integers
from dlc.dialects.graph.structure import Array, CompositeOp, GraphOp
from dlc.dialects.graph.sum_pool import AveragePoolOp
from dlc.errors import CompileError
from dlc.ir.tensor import shape


@irdl_op_definition
class LrnOp(CompositeOp):
    """``y = x / (bias + alpha / size * sum of x * x over size neighbouring channels) ** beta``.

    Channels first. The window of an even ``size`` reaches one channel further upwards.
    """

    name = "graph.lrn"
    x = operand_def(TensorType)
    size = prop_def(IntegerAttr.constr(type=i64))
    alpha = prop_def(FloatAttr.constr(type=f64))
    beta = prop_def(FloatAttr.constr(type=f64))
    bias = prop_def(FloatAttr.constr(type=f64))
    output = result_def(TensorType)
    assembly_format = (
        "$x `size` $size `alpha` $alpha `beta` $beta `bias` $bias attr-dict"
        " `:` type($x) `->` type($output)"
    )

    def infer(self) -> Sequence[Attribute]:
        require_floats(self)
        if len(shape(self.x)) < 2 or self.size.value.data < 1:
            raise CompileError("needs a channel axis and a size of at least 1")
        return [self.x.type]

    @property
    def _margins(self) -> tuple[int, int]:
        size = self.size.value.data
        return (size - 1) // 2, size // 2

    def decompose(self, insert: Callable[[GraphOp], SSAValue]) -> Sequence[SSAValue]:
        g = Composer(insert)
        x = g.keep_wide(self.x)
        n, c, *rest = shape(x)
        planes = g.reshape(g.mul(x, x), [n, 1, c, int(np.prod(rest, dtype=np.int64))])
        power = g.reshape(insert(self._pool(planes)), [n, c, *rest])
        base = g.add(
            g.mul(power, g.like(self.alpha.value.data, x)), g.like(self.bias.value.data, x)
        )
        y = g.div(x, g.pow(base, g.like(self.beta.value.data, x)))
        return [g.narrow_like(y, self.x)]

    def _pool(self, planes: SSAValue) -> AveragePoolOp:
        """Return the mean over neighbouring channels, those outside counted as 0."""
        below, above = self._margins
        return AveragePoolOp.make(
            planes,
            window=integers([self.size.value.data, 1]),
            strides=integers([1, 1]),
            padding=integers([below, 0, above, 0]),
            dilations=integers([1, 1]),
            count_include_pad=UnitAttr(),
        )

    def reference(self, *operands: Array) -> Array:
        (x,) = operands
        size, channels = self.size.value.data, x.shape[1]
        below, above = self._margins
        power = np.stack(
            [np.square(x[:, max(0, c - below) : c + above + 1]).sum(1) for c in range(channels)],
            axis=1,
        )
        base = self.bias.value.data + self.alpha.value.data / size * power
        return x / base**self.beta.value.data


OPERATIONS = [LrnOp]
