"""The operations of cuDNN by their names in a call: one row each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dlc.libraries import _operation_sizes as sizes
from dlc.libraries._cudnn_functions import FUNCTIONS
from dlc.libraries._operation_graph import Operation, Tensor
from dlc.libraries._pooling import MODES, fault_of_largest

_MANY = 8
"""As many algorithms are tried where cuDNN has a dozen engines."""


def _no_fault(_: Sequence[Tensor]) -> str | None:
    return None


@dataclass(frozen=True)
class Row:
    """kind: ``cudnn_kind`` of ``cudnn.c``. inputs: how many it may have. fits: whether tensors of
    inputs and of the result, and its lists, fit each other. mode: of several of a kind. lists: of
    one number for each axis of a window. fault: what cuDNN itself does wrong with such tensors.
    algorithms: how many are tried; most have one engine or two.
    """

    kind: str
    inputs: Sequence[int]
    fits: Callable[[Sequence[Tensor], Tensor, Operation], bool]
    mode: int = 0
    lists: Sequence[str] = ()
    fault: Callable[[Sequence[Tensor]], str | None] = _no_fault
    algorithms: int = 2


OPERATIONS = {
    "convolution": Row(
        "CONVOLUTION",
        (2,),
        sizes.fits_convolution,
        lists=("strides", "begins", "ends", "dilations"),
        algorithms=_MANY,
    ),
    "attention": Row("ATTENTION", (4,), sizes.fits_attention, algorithms=_MANY),
    "layer_norm": Row("NORMALIZATION", (3, 4), sizes.fits_normalization, 0),
    "rms_norm": Row("NORMALIZATION", (3, 4), sizes.fits_normalization, 4),
    **{
        name: Row(
            "POOLING",
            (1,),
            sizes.fits_pooling,
            mode,
            ("strides", "begins", "ends", "taps"),
            fault=fault_of_largest if name == "max_pool" else _no_fault,
        )
        for name, mode in MODES.items()
    },
    **{x.name: Row("POINTWISE", (x.inputs,), sizes.fits_pointwise, x.mode) for x in FUNCTIONS},
}
"""Modes are those of ``cudnnBackendNormMode_t``, ``cudnnResampleMode_t`` and
``cudnnPointwiseMode_t``.
"""
