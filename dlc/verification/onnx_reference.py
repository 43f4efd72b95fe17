"""ONNX's own reference implementation, as far as it can be relied on."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from onnx import ModelProto
from onnx.reference import ReferenceEvaluator
from onnx.shape_inference import InferenceError, infer_shapes

from dlc.dialects._tensor import shape_text
from dlc.dialects.graph._structure import Array
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
            results: Any = ReferenceEvaluator(meant).run(None, dict(feeds))
    except NoReferenceError:
        raise
    except Exception as error:  # it is plain Python code: anything may come out of it
        reason = " ".join(str(error).split())[:100]
        raise NoReferenceError(f"the reference fails ({type(error).__name__}: {reason})") from error
    if not all(isinstance(x, np.ndarray | np.generic) for x in results):
        raise NoReferenceError("its results are no tensors")
    arrays = [np.asarray(x) for x in results]
    _check_shapes(model, arrays)
    return arrays


def _check_shapes(model: ModelProto, results: Sequence[Array]) -> None:
    """Raise NoReferenceError where a result has not the sizes that ONNX's own shape rules give it.

    Seen with onnx 1.23: GlobalMaxPool of other than four axes, MaxPool with ceil_mode.
    """
    bare = ModelProto()
    bare.CopyFrom(model)
    for output in bare.graph.output:
        output.type.tensor_type.ClearField("shape")
    try:
        ruled = infer_shapes(bare, strict_mode=True, data_prop=True).graph.output
    except InferenceError:
        return
    for output, array in zip(ruled, results, strict=True):
        type = output.type.tensor_type
        sizes = [d.dim_value if d.HasField("dim_value") else None for d in type.shape.dim]
        known = type.HasField("shape") and None not in sizes
        if known and sizes != list(array.shape):
            raise NoReferenceError(
                f"the reference gives {shape_text(array.shape)} where ONNX's shape rules give "
                f"{shape_text([size or 0 for size in sizes])}"
            )
