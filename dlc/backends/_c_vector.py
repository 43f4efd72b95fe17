"""SIMD values as GNU C vector types.

Arithmetic on them is the compiler's own; every other operation is a loop over the lanes, which the
compiler turns into SIMD code.
"""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from xdsl.dialects import arith, math, vector
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, VectorType, f32, f64, i1, i32, i64
from xdsl.ir import Attribute, Operation

from dlc.backends._c_scalar import c_type, fill_template, scalar_template
from dlc.dialects.loop import LoadVectorOp, StoreVectorOp
from dlc.errors import CompileError
from dlc.ir.access import Access

if TYPE_CHECKING:
    from dlc.backends.c import CPrinter

_NAMES: dict[Attribute, tuple[str, int]] = {
    f32: ("f32", 4),
    f64: ("f64", 8),
    i1: ("i1", 1),
    i32: ("i32", 4),
    i64: ("i64", 8),
}
"""The name and bytes of each lane type."""

NATIVE: dict[type[Operation], str] = {
    arith.AddfOp: "{0} + {1}",
    arith.SubfOp: "{0} - {1}",
    arith.MulfOp: "{0} * {1}",
    arith.DivfOp: "{0} / {1}",
    arith.NegfOp: "-{0}",
    math.FmaOp: "{0} * {1} + {2}",
    vector.FMAOp: "{0} * {1} + {2}",
    vector.BroadcastOp: "{0} - ({t}){{0}}",  # not 0 + x, which loses the sign of a zero
}
"""Operations that the compiler has on vectors; multiply-add is fused by ``-ffp-contract=fast``."""


def lanes_of(type: Attribute) -> int:
    """Return the number of lanes; raises CompileError when it is no power of two."""
    assert isinstance(type, VectorType)
    (count,) = type.get_shape()
    if count & (count - 1):
        raise CompileError(f"a vector of {count} lanes cannot be printed as C: no power of two")
    return count


def vector_type(type: Attribute) -> str:
    """Return the C type of a vector, as ``vector_typedefs`` defines it."""
    assert isinstance(type, VectorType)
    lanes = lanes_of(type)
    if type.element_type not in _NAMES:
        raise CompileError(f"vectors of {type.element_type} cannot be printed as C")
    return f"dlc_{_NAMES[type.element_type][0]}x{lanes}"


def vector_typedefs(text: str) -> str:
    """Return the definitions of the vector types that ``text`` names."""
    names = sorted(set(re.findall(r"\bdlc_[fi]\d+x\d+", text)))
    return "".join(map(_typedef, names))


def _typedef(name: str) -> str:
    """Return the definition of a name that ``vector_type`` gave, and of its unaligned form."""
    lane, _, lanes = name.removeprefix("dlc_").partition("x")
    element, bytes = next((e, b) for e, (n, b) in _NAMES.items() if n == lane)
    stored = "signed char" if element == i1 else c_type(element)
    size = f"vector_size({int(lanes) * bytes})"
    return (
        f"typedef {stored} {name} __attribute__(({size}));\n"
        f"typedef {stored} {name}_unaligned __attribute__(({size}, aligned({bytes}), may_alias));\n"
    )


def vector_operation(p: "CPrinter", op: Operation) -> None:
    """Print an operation with a vector among its operands or results."""
    if type(op) in VECTOR_STATEMENTS:
        VECTOR_STATEMENTS[type(op)](p, op)
        return
    native = NATIVE.get(type(op))
    if native is not None:
        (result,) = op.results
        operands = [p.names[v] for v in op.operands]
        p.define(result, native.format(*operands, t=p.type_of(result)))
        return
    template = scalar_template(op, p.TEMPLATES)
    if template is None:
        p.statement(op)
        return
    _by_lane(p, op, template)


def _by_lane(p: "CPrinter", op: Operation, template: str) -> None:
    """Print a scalar operation as a loop over the lanes."""
    (result,) = op.results
    assert isinstance(result.type, VectorType)
    element = result.type.element_type
    operands = [
        f"{p.names[v]}[l]" if isinstance(v.type, VectorType) else p.names[v] for v in op.operands
    ]
    name = p.names[result] = p.fresh("v")
    p.line(f"{p.type_of(result)} {name};")
    text = fill_template(op, template, operands, c_type(element))
    p.line(f"for (int l = 0; l < {lanes_of(result.type)}; ++l) {name}[l] = {text};")


def _is_stored_as_computed(access: Access, vector: Attribute) -> bool:
    assert isinstance(vector, VectorType)
    return access.type.element_type == vector.element_type


def _load(p: "CPrinter", op: LoadVectorOp) -> None:
    (access,) = op.accesses()
    first = p.element(access)
    if op.lanes is None and _is_stored_as_computed(access, op.value.type):
        p.define(op.value, f"*(const {p.type_of(op.value)}_unaligned *)&{first}")
        return
    name = p.names[op.value] = p.fresh("v")
    value = p.widen(access.type.element_type, f"(&{first})[l]")
    if op.lanes is not None:
        value = f"l < {p.names[op.lanes]} ? {value} : 0"
    p.line(f"{p.type_of(op.value)} {name};")
    p.line(f"for (int l = 0; l < {lanes_of(op.value.type)}; ++l) {name}[l] = {value};")


def _store(p: "CPrinter", op: StoreVectorOp) -> None:
    (access,) = op.accesses()
    first, name = p.element(access), p.names[op.value]
    if op.lanes is None and _is_stored_as_computed(access, op.value.type):
        p.line(f"*({p.type_of(op.value)}_unaligned *)&{first} = {name};")
        return
    value = p.narrow(access.type.element_type, f"{name}[l]")
    condition = "" if op.lanes is None else f"if (l < {p.names[op.lanes]}) "
    p.line(
        f"for (int l = 0; l < {lanes_of(op.value.type)}; ++l) {condition}(&{first})[l] = {value};"
    )


def _constant(p: "CPrinter", op: arith.ConstantOp) -> None:
    assert isinstance(op.value, DenseIntOrFPElementsAttr)
    values = [p.literal(v) for v in op.value.get_attrs()]
    if len(values) == 1:
        values *= lanes_of(op.result.type)
    p.define(op.result, f"{{{', '.join(values)}}}")


def _extract(p: "CPrinter", op: vector.ExtractOp) -> None:
    (position,) = op.static_position.get_values()
    lane = position if not op.dynamic_position else p.names[op.dynamic_position[0]]
    p.define(op.result, f"{p.names[op.vector]}[{lane}]")


Statement = Callable[[Any, Any], None]

VECTOR_STATEMENTS: dict[type[Operation], Statement] = {
    LoadVectorOp: _load,
    StoreVectorOp: _store,
    arith.ConstantOp: _constant,
    vector.ExtractOp: _extract,
}
