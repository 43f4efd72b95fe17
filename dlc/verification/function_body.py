"""What the ONNX standard says a second time about some operators: their bodies as functions."""

from onnx import ModelProto, TypeProto, helper

from dlc.frontends.onnx.functions import bind_attributes, typed_function
from dlc.frontends.onnx.loading import domain_name, opset_versions

_DOMAIN = "dlc.body"


def as_function(model: ModelProto) -> ModelProto | None:
    """Return a model of one node with the operator's body in its place, ``None`` if it has none.

    Where the reference implementation takes an attribute otherwise than the body does (any
    ``is_causal`` but 0 for 1), the standard contradicts itself, and either is right.
    """
    node = model.graph.node[0]
    opset = opset_versions(model.opset_import).get(domain_name(node.domain), 0)
    stored = model.graph.initializer
    types = {t.name: helper.make_tensor_type_proto(t.data_type, t.dims) for t in stored}
    types |= {i.name: i.type for i in model.graph.input}
    function = typed_function(node, opset, [types.get(n, TypeProto()) for n in node.input])
    if function is None or model.functions:
        return None
    bound = bind_attributes(function, node)
    bound.ClearField("attribute")
    bound.ClearField("attribute_proto")
    del bound.input[len(node.input) :]  # absent ones; this body does not read them
    del bound.output[len(node.output) :]
    bound.domain, bound.name = _DOMAIN, node.op_type
    changed = ModelProto()
    changed.CopyFrom(model)
    changed.functions.append(bound)
    changed.opset_import.append(helper.make_opsetid(_DOMAIN, 1))
    call = changed.graph.node[0]
    call.domain = _DOMAIN
    call.ClearField("attribute")
    return changed
