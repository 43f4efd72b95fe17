"""What the shape rules of the ONNX standard say about a node."""

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import onnx
from onnx import NodeProto
from onnx.numpy_helper import from_array
from xdsl.ir import SSAValue

from dlc.dialects._tensor import element_count
from dlc.dialects.graph._structure import Array
from dlc.errors import CompileError
from dlc.frontends.onnx.functions import type_proto
from dlc.frontends.onnx.loading import domain_name
from dlc.frontends.onnx.node_form import one_line

_OTHER_FAULTS = (
    onnx.checker.ValidationError,
    onnx.defs.SchemaError,
    LookupError,
    TypeError,
    ValueError,
)
"""No such operator, or a node that is damaged: nothing is said about its operands."""


_LARGEST_SHAPE = 1024
"""Elements of a value that a shape rule may read: sizes, pads, repeats."""


class RefusedError(CompileError):
    """A node whose operands ONNX's own shape rule refuses: no runtime can run it."""


def refusal(
    node: NodeProto,
    opsets: Mapping[str, int],
    operands: Sequence[SSAValue | None],
    known: Callable[[SSAValue], Array | None],
) -> str:
    """Return why ONNX's shape rule refuses a node on operands of these types and, where they are
    ``known``, these elements; empty where it does not.
    """
    given = {n: x for n, x in zip(node.input, operands, strict=True) if n and x is not None}
    arrays = {name: known(x) for name, x in given.items() if element_count(x) <= _LARGEST_SHAPE}
    domain = domain_name(node.domain)
    try:
        onnx.shape_inference.infer_node_outputs(
            onnx.defs.get_schema(node.op_type, opsets.get(domain, 0), domain),
            node,
            {name: type_proto(x) for name, x in given.items()},
            {n: from_array(np.asarray(a)) for n, a in arrays.items() if a is not None},
            opset_imports=[onnx.helper.make_opsetid(d, v) for d, v in opsets.items()],
        )
    except onnx.shape_inference.InferenceError as error:
        return one_line(re.sub(r"^\[\w+\] ", "", str(error)))
    except _OTHER_FAULTS:
        return ""
    return ""
