"""Boxes of tensors that are brought nearer before they are copied."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import AffineMapAttr, MemRefType
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from dlc.dialects.gpu.buffers import BuffersOp, Place, place_format
from dlc.dialects.gpu.tensor_copy import MappedOp
from dlc.dialects.gpu.tensor_map import TensorMapAttr
from dlc.ir.access import INDEX, Access


@irdl_op_definition
class PrefetchTensorOp(BuffersOp, MappedOp):
    """Bring a box of a tensor to the L2 cache (PTX ``cp.async.bulk.prefetch.tensor``, "tile" mode).

    The indices are those of the map's axes, as of ``gpu.tensor_copy``. Nobody waits for it, and it
    changes nothing but how long a copy of the box takes.

    ``gpu.prefetch_tensor %x[%i * 128, %k * 64] {map = #gpu.tensor_map<sizes = [512, 256], strides =
    [512], box = [128, 64]>} : memref<512x256xf16>``
    """

    name = "gpu.prefetch_tensor"
    source = operand_def(MemRefType)
    source_indices = var_operand_def(INDEX)
    source_map = prop_def(AffineMapAttr)
    map = prop_def(TensorMapAttr)

    ROLES: ClassVar[tuple[str, ...]] = ("source",)
    assembly_format = f"{place_format('source')} attr-dict `:` type($source)"

    def __init__(self, source: Place, map: TensorMapAttr):
        super().__init__(source, map=map)

    @property
    def mapped(self) -> tuple[SSAValue, TensorMapAttr]:
        return self.source, self.map

    def accesses(self) -> Sequence[Access]:
        map, indices = self.source_map.data, tuple(self.source_indices)
        region = self.map.map
        return (Access(self.source, map, indices, region.elements, reads=True, region=region),)

    def verify_(self) -> None:
        self.verify_map()
        super().verify_()
        if self.map.map.is_im2col:
            raise VerifyException("brings boxes; columns of pixels are only copied")


OPERATIONS = [PrefetchTensorOp]
