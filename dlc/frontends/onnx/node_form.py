"""Holds a node against the schema of its operator: attributes, number of inputs, element types."""

from collections.abc import Sequence
from itertools import zip_longest

import onnx
from onnx import NodeProto, TensorProto
from onnx.defs import OpSchema
from onnx.helper import tensor_dtype_to_np_dtype
from xdsl.ir import SSAValue

from dlc.frontends.onnx.attributes import NodeFormError
from dlc.frontends.onnx.functions import type_proto
from dlc.frontends.onnx.loading import domain_name
from dlc.frontends.onnx.structure import subgraphs
from dlc.ir.tensor import element_type, numpy_dtype


def check_node(node: NodeProto, opset: int, operands: Sequence[SSAValue | None]) -> None:
    """Raise NodeFormError for what the schema does not allow."""
    domain = domain_name(node.domain)
    if onnx.defs.has(node.op_type, opset, domain):
        schema = onnx.defs.get_schema(node.op_type, opset, domain)
        _check_form(node, schema, opset)
        _check_types(node, schema, operands)


def _check_form(node: NodeProto, schema: OpSchema, opset: int) -> None:
    """Check the attributes and the number of inputs."""
    if schema.deprecated or any(True for _ in subgraphs(node)):
        return  # the checker refuses these, but models have them (GroupNormalization 18 to 20)
    context = onnx.checker.C.CheckerContext()
    context.ir_version = onnx.IR_VERSION
    context.opset_imports = {domain_name(node.domain): opset}
    try:
        onnx.checker.check_node(node, context)
    except (onnx.checker.ValidationError, UnicodeDecodeError) as error:
        raise NodeFormError(one_line(str(error))) from error


def _check_types(node: NodeProto, schema: OpSchema, operands: Sequence[SSAValue | None]) -> None:
    """Check the element types, also that those are equal that the schema calls by one name."""
    first: dict[str, tuple[str, SSAValue]] = {}
    for name, variable, value in _parameters(schema, operands):
        if value is None:
            continue
        _check_allowed(node, schema, name, variable, value)
        other, known = first.setdefault(variable, (name, value))
        if element_type(known) != element_type(value):
            raise NodeFormError(
                f"{node.op_type} takes one type for its inputs {other} and {name}, not "
                f"{_dtype(known)} and {_dtype(value)}; put a Cast before one of them"
            )


def one_line(text: str) -> str:
    """Return a message of ONNX in the form of our own."""
    line = " ".join(text.split("==> Context")[0].split()).rstrip(".")
    return line[:1].lower() + line[1:]


def _parameters(
    schema: OpSchema, operands: Sequence[SSAValue | None]
) -> list[tuple[str, str, SSAValue | None]]:
    """Return the name of each operand in the schema, what its type is called there, and itself.

    The operands of a variadic input that may differ have a type each.
    """
    found: list[tuple[str, str, SSAValue | None]] = []
    last = schema.inputs[-1:]
    for number, (value, given) in enumerate(zip_longest(operands, schema.inputs[: len(operands)])):
        parameter = given or last[0]
        name, variable = parameter.name, parameter.type_str
        if parameter.option == OpSchema.FormalParameterOption.Variadic:
            name = f"{name}[{number - len(schema.inputs) + 1}]"
            variable += "" if parameter.is_homogeneous else f" of {name}"
        found.append((name, variable, value))
    return found


def _check_allowed(
    node: NodeProto, schema: OpSchema, name: str, variable: str, value: SSAValue
) -> None:
    constraints = {c.type_param_str: c.allowed_type_strs for c in schema.type_constraints}
    variable = variable.split()[0]
    allowed = constraints.get(variable, [variable])
    own = TensorProto.DataType.Name(type_proto(value).tensor_type.elem_type)
    if f"tensor({own.lower()})" not in allowed:
        names = ", ".join(filter(None, map(_type_name, allowed)))
        raise NodeFormError(
            f"{node.op_type} takes {names or 'no tensor'} for its input {name}, not "
            f"{_dtype(value)}; put a Cast before it"
        )


def _type_name(text: str) -> str:
    """Return the dtype of ``tensor(...)``; empty for what is no tensor."""
    if not text.startswith("tensor("):
        return ""
    element = text.removeprefix("tensor(").removesuffix(")")
    kind = TensorProto.DataType.Value(element.upper())
    return element if kind == TensorProto.STRING else tensor_dtype_to_np_dtype(kind).name


def _dtype(value: SSAValue) -> str:
    return numpy_dtype(element_type(value)).name
