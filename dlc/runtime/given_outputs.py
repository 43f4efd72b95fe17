"""Checks the arrays that a caller gives for the outputs of a model to be written into."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dlc.errors import InputError
from dlc.runtime.host_arrays import as_numpy, check_fits
from dlc.runtime.library import TensorInfo

Array = NDArray[np.generic]


def outputs_by_name(outputs: Sequence[TensorInfo], out: Mapping[str, Any] | None) -> list[Any]:
    """Return the array given for each output, ``None`` where there is none.

    Raises InputError when ``out`` is no mapping or names no output.
    """
    given = {} if out is None else out
    _check_mapping(given)
    known = [info.name for info in outputs]
    if unknown := [name for name in given if name not in known]:
        raise InputError(
            f"the model has no output {', '.join(map(repr, unknown))}; "
            f"it has {', '.join(map(repr, known))}"
        )
    return [given.get(name) for name in known]


def _check_mapping(out: object) -> None:
    if not isinstance(out, Mapping):
        raise InputError(f"out is a {type(out).__name__}; give a dictionary of arrays by name")


def outputs_in_order(outputs: Sequence[TensorInfo], out: Any) -> list[Any]:
    """Return the array given for each output, ``None`` where there is none.

    out: ``None``, a sequence with an array or ``None`` for each output, or the array of the only
    output. Raises InputError when there are more or fewer than outputs.
    """
    if out is None:
        return [None] * len(outputs)
    given = list(out) if isinstance(out, list | tuple) else [out]
    if len(given) != len(outputs):
        raise InputError(
            f"{len(given)} arrays given in out, the model has {len(outputs)} outputs; "
            "None stands for one to be made"
        )
    return given


def host_output(info: TensorInfo, value: Any) -> Array:
    """Return a new array where ``value`` is ``None``, else a numpy array over its memory.

    Takes numpy arrays and anything in host memory that speaks DLPack. Raises InputError unless it
    is of exactly the shape and dtype of ``info``, can be written to, and is dense and row-major.
    """
    if value is None:
        return np.empty(info.shape, info.dtype)
    at = f"output {info.name!r}"
    if not (isinstance(value, np.ndarray) or hasattr(value, "__dlpack__")):
        kind = type(value).__name__
        raise InputError(f"a {kind} is no array; give a numpy or DLPack array", at=at)
    array = as_numpy(info, value, at)
    check_fits(info, array.shape, array.dtype, at)
    if not array.flags.writeable:
        raise InputError("the array cannot be written to", at=at)
    if not (array.flags.c_contiguous and array.flags.aligned):
        raise InputError("the array is not dense and row-major, so it cannot be written to", at=at)
    return array


Extent = tuple[str, int, int]
"""What an array is (``input 'x'``), the address of its first byte, and its bytes."""


def check_apart(written: Sequence[Extent], read: Sequence[Extent]) -> None:
    """Raise InputError where memory that is written is also read or written for something else."""
    for number, (name, start, count) in enumerate(written):
        for other, first, size in [*written[:number], *read]:
            if count and size and start < first + size and first < start + count:
                raise InputError(f"its memory is that of {other} too; give it its own", at=name)


def extents(side: str, infos: Sequence[TensorInfo], addresses: Sequence[int]) -> list[Extent]:
    """Return where arrays are. side: ``input`` or ``output``."""
    return [
        (f"{side} {info.name!r}", address, info.bytes)
        for info, address in zip(infos, addresses, strict=True)
    ]
