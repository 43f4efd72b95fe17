"""ONNX's own reference implementation, as far as it can be relied on."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from onnx import ModelProto
from onnx.reference import ReferenceEvaluator

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
    return [np.asarray(x) for x in results]
