"""ONNX's own reference implementation, as far as it can be relied on."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from onnx import ModelProto, TypeProto
from onnx.helper import tensor_dtype_to_np_dtype
from onnx.reference import ReferenceEvaluator
from onnx.shape_inference import InferenceError, infer_shapes

from dlc.dialects.graph.structure import Array
from dlc.ir.tensor import shape_text
from dlc.verification.contrib_operators import CONTRIB
from dlc.verification.onnx_corrections import CORRECTIONS
from dlc.verification.onnx_faults import NoReferenceError, check_faults
from dlc.verification.onnx_versions import in_newer_operators


def run_onnx_reference(model: ModelProto, feeds: Mapping[str, Array]) -> list[Array]:
    """Return what the reference makes of a model whose data is all in it: its outputs in order.

    Operators of which it has the newest meaning only are expressed by that. Raises NoReferenceError
    where it has no meaning for an operator, a wrong one, or fails.
    """
    try:
        check_faults(model)
        copy = ModelProto()
        copy.CopyFrom(model)
        meant = in_newer_operators(copy)
        with np.errstate(all="ignore"):
            results: Any = ReferenceEvaluator(meant, new_ops=[*CORRECTIONS, *CONTRIB]).run(
                None, dict(feeds)
            )
    except NoReferenceError:
        raise
    except Exception as error:  # it is plain Python code: anything may come out of it
        reason = " ".join(str(error).split())[:100]
        raise NoReferenceError(f"the reference fails ({type(error).__name__}: {reason})") from error
    if not all(isinstance(x, np.ndarray | np.generic) for x in results):
        raise NoReferenceError("its results are no tensors")
    arrays = [np.asarray(x) for x in results]
    _check_types(model, arrays)
    return arrays


def _check_types(model: ModelProto, results: Sequence[Array]) -> None:
    """Raise NoReferenceError where a result has not the type that ONNX's own rules give it.

    Seen with onnx 1.23: GlobalMaxPool of other than four axes, MaxPool with ceil_mode.
    """
    bare = ModelProto()
    bare.CopyFrom(model)
    for output in bare.graph.output:
        output.ClearField("type")
    try:
        ruled = infer_shapes(bare, strict_mode=True, data_prop=True).graph.output
    except InferenceError:
        return
    for output, array in zip(ruled, results, strict=True):
        if (meant := _type_text(output.type.tensor_type)) and meant != _array_text(array):
            raise NoReferenceError(
                f"the reference gives {_array_text(array)}, ONNX's own rules give {meant}"
            )


def _type_text(type: TypeProto.Tensor) -> str:
    """Return element type and sizes as text; empty where they are not known."""
    sizes = [d.dim_value for d in type.shape.dim if d.HasField("dim_value")]
    if not type.elem_type or not type.HasField("shape") or len(sizes) < len(type.shape.dim):
        return ""
    return f"{tensor_dtype_to_np_dtype(type.elem_type)}[{shape_text(sizes)}]"


def _array_text(array: Array) -> str:
    return f"{array.dtype}[{shape_text(array.shape)}]"
