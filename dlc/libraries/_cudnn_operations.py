"""The operations of cuDNN by their names in a call: one row each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dlc.libraries import _operation_sizes as sizes
from dlc.libraries._cudnn_functions import FUNCTIONS
from dlc.libraries._operation_graph import Operation, Tensor
from dlc.libraries._pooling import MODES


@dataclass(frozen=True)
class Row:
    """kind: ``cudnn_kind`` of ``cudnn.c``. inputs: how many it may have. fits: whether tensors of
    inputs and of the result, and its lists, fit each other. mode: of several of a kind. lists: of
    one number for each axis of a window.
    """

    kind: str
    inputs: Sequence[int]
    fits: Callable[[Sequence[Tensor], Tensor, Operation], bool]
    mode: int = 0
    lists: Sequence[str] = ()


OPERATIONS = {
    "convolution": Row(
        "CONVOLUTION",
        (2,),
        sizes.fits_convolution,
        lists=("strides", "begins", "ends", "dilations"),
    ),
    "attention": Row("ATTENTION", (4,), sizes.fits_attention),
    "layer_norm": Row("NORMALIZATION", (3, 4), sizes.fits_normalization, 0),
    "rms_norm": Row("NORMALIZATION", (3, 4), sizes.fits_normalization, 4),
    **{
        name: Row("POOLING", (1,), sizes.fits_pooling, mode, ("strides", "begins", "ends", "taps"))
        for name, mode in MODES.items()
    },
    **{x.name: Row("POINTWISE", (x.inputs,), sizes.fits_pointwise, x.mode) for x in FUNCTIONS},
}
"""Modes are those of ``cudnnBackendNormMode_t``, ``cudnnResampleMode_t`` and
``cudnnPointwiseMode_t``.
"""
