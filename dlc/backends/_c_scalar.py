"""Scalar operations as C expressions: a template per operation.

``{0}``, ``{1}``, … are the operands, ``{t}`` the C type of the result, ``{u}`` its unsigned form,
``{u0}`` the unsigned form of the first operand's type, ``{f}`` the suffix of the C library's
function for it (``f`` for ``float``) and ``{bits}`` its width. Integers wrap around, which C leaves
undefined for signed ones; comparisons and maxima with NaN are as ``ScalarBuilder`` says.
"""

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    Float32Type,
    IndexType,
    IntegerType,
    VectorType,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation

from dlc.dialects import loop
from dlc.errors import CompileError
from dlc.ir.tensor import is_unsigned

C_TYPES: dict[Attribute, str] = {
    f32: "float",
    f64: "double",
    i1: "bool",
    i8: "signed char",
    i16: "short",
    i32: "int",
    i64: "long long",
    IndexType(): "long long",
}
_UNSIGNED: dict[Attribute, str] = {
    i32: "unsigned",
    i64: "unsigned long long",
    IndexType(): "unsigned long long",
}

TEMPLATES: dict[type[Operation], str] = {
    arith.AddfOp: "{0} + {1}",
    arith.SubfOp: "{0} - {1}",
    arith.MulfOp: "{0} * {1}",
    arith.DivfOp: "{0} / {1}",
    arith.NegfOp: "-{0}",
    arith.MaximumfOp: "{0} > {1} || {0} != {0} ? {0} : {1}",
    arith.MinimumfOp: "{0} < {1} || {0} != {0} ? {0} : {1}",
    arith.MaxnumfOp: "fmax{f}({0}, {1})",
    arith.MinnumfOp: "fmin{f}({0}, {1})",
    arith.AddiOp: "({t})(({u}){0} + ({u}){1})",
    arith.SubiOp: "({t})(({u}){0} - ({u}){1})",
    arith.MuliOp: "({t})(({u}){0} * ({u}){1})",
    arith.DivSIOp: "{0} / {1}",
    arith.DivUIOp: "({t})(({u}){0} / ({u}){1})",
    arith.RemSIOp: "{0} % {1}",
    arith.RemUIOp: "({t})(({u}){0} % ({u}){1})",
    arith.FloorDivSIOp: "{0} / {1} - ({0} % {1} != 0 && ({0} < 0) != ({1} < 0))",
    arith.CeilDivSIOp: "{0} / {1} + ({0} % {1} != 0 && ({0} < 0) == ({1} < 0))",
    arith.MaxSIOp: "{0} > {1} ? {0} : {1}",
    arith.MinSIOp: "{0} < {1} ? {0} : {1}",
    arith.MaxUIOp: "({u}){0} > ({u}){1} ? {0} : {1}",
    arith.MinUIOp: "({u}){0} < ({u}){1} ? {0} : {1}",
    arith.AndIOp: "{0} & {1}",
    arith.OrIOp: "{0} | {1}",
    arith.XOrIOp: "{0} ^ {1}",
    arith.ShLIOp: "({t})(({u}){0} << {1})",
    arith.ShRSIOp: "{0} >> {1}",
    arith.ShRUIOp: "({t})(({u}){0} >> {1})",
    arith.SelectOp: "{0} ? {1} : {2}",
    arith.IndexCastOp: "({t}){0}",
    arith.ExtSIOp: "({t}){0}",
    arith.ExtUIOp: "({t})({u0}){0}",
    arith.TruncIOp: "({t}){0}",
    arith.ExtFOp: "({t}){0}",
    arith.TruncFOp: "({t}){0}",
    arith.SIToFPOp: "({t}){0}",
    arith.UIToFPOp: "({t})({u0}){0}",
    arith.FPToSIOp: "({t}){0}",
    arith.FPToUIOp: "({t})({u}){0}",
    loop.RemfOp: "fmod{f}({0}, {1})",
    math.AbsFOp: "fabs{f}({0})",
    math.AbsIOp: "{0} < 0 ? ({t})(0 - ({u}){0}) : {0}",
    math.CopySignOp: "copysign{f}({0}, {1})",
    math.FmaOp: "fma{f}({0}, {1}, {2})",
    math.PowFOp: "pow{f}({0}, {1})",
    math.Atan2Op: "atan2{f}({0}, {1})",
    math.RoundEvenOp: "rint{f}({0})",
    math.RsqrtOp: "1 / sqrt{f}({0})",
}
# The C library has these under the name that the dialect gives them.
TEMPLATES.update(
    {
        op: op.name.removeprefix("math.") + "{f}({0})"
        for op in (
            *(math.ExpOp, math.Exp2Op, math.ExpM1Op, math.LogOp, math.Log2Op, math.Log10Op),
            *(math.Log1pOp, math.SqrtOp, math.CbrtOp, math.ErfOp, math.CeilOp, math.FloorOp),
            *(math.TruncOp, math.RoundOp, math.SinOp, math.CosOp, math.TanOp, math.AsinOp),
            *(math.AcosOp, math.AtanOp, math.SinhOp, math.CoshOp, math.TanhOp, math.AsinhOp),
            *(math.AcoshOp, math.AtanhOp),
        )
    }
)
_COMPARE_INTEGERS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_INTEGER_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
_FLOAT_PREDICATES = (
    *("0", "{0} == {1}", "{0} > {1}", "{0} >= {1}", "{0} < {1}", "{0} <= {1}"),
    *("{0} < {1} || {0} > {1}", "{0} == {0} && {1} == {1}"),
    *("!({0} < {1} || {0} > {1})", "!({0} <= {1})", "!({0} < {1})", "!({0} >= {1})"),
    *("!({0} > {1})", "{0} != {1}", "{0} != {0} || {1} != {1}", "1"),
)
"""By number of the predicate: false, oeq, ogt, oge, olt, ole, one, ord, ueq, … une, uno, true."""


def _comparison(op: arith.CmpiOp | arith.CmpfOp) -> str:
    number = op.predicate.value.data
    if isinstance(op, arith.CmpfOp):
        return _FLOAT_PREDICATES[number]
    name = _INTEGER_PREDICATES[number]
    cast = "({u0})" if name.startswith("u") else ""
    return f"{cast}{{0}} {_COMPARE_INTEGERS[name[-2:]]} {cast}{{1}}"


def c_type(type: Attribute) -> str:
    """Return the C type of a scalar; raises CompileError when it has none."""
    if type not in C_TYPES:
        raise CompileError(f"values of type {type} cannot be printed as C")
    return C_TYPES[type]


def storage_type(element: Attribute) -> str:
    """Return the C type of a stored element; 16-bit floats are stored as their bits."""
    if element in (f16, bf16):
        return "unsigned short"
    if isinstance(element, IntegerType) and is_unsigned(element):
        return f"unsigned {C_TYPES[IntegerType(element.width.data)].removeprefix('signed ')}"
    if element not in C_TYPES:
        raise CompileError(f"buffers of {element} cannot be printed as C")
    return C_TYPES[element]


def scalar_template(op: Operation, templates: dict[type[Operation], str]) -> str | None:
    """Return the template of an operation, ``None`` when it is no scalar operation."""
    if isinstance(op, arith.CmpiOp | arith.CmpfOp):
        return _comparison(op)
    return templates.get(type(op))


def lane_type(type: Attribute) -> Attribute:
    """Return the type of one lane of a vector; other types are their own."""
    return type.element_type if isinstance(type, VectorType) else type


def fill_template(op: Operation, template: str, operands: list[str], result: str) -> str:
    """Return a template with the operands' text; ``result`` is the C type of the result."""
    first, out = lane_type(op.operands[0].type), lane_type(op.results[0].type)
    unsigned = {"int": "unsigned", "long long": "unsigned long long"}
    return template.format(
        *operands,
        t=result,
        u=unsigned.get(result, result),
        u0=_UNSIGNED.get(first, c_type(first)),
        f="f" if isinstance(out, Float32Type) else "",
        bits=32 if isinstance(out, Float32Type) else 64,
    )


def float_text(value: float, type: Attribute) -> str | None:
    """Return a literal that reads back as exactly ``value``; ``None`` for infinities and NaN."""
    number = np.float32(value) if isinstance(type, Float32Type) else np.float64(value)
    if not np.isfinite(number):
        return None
    text = str(number) + ("f" if isinstance(type, Float32Type) else "")
    return f"({text})" if text.startswith("-") else text


def integer_text(value: int, type: Attribute) -> str:
    """Return a literal of an integer type; a true ``i1`` is stored as -1 by xDSL."""
    if type == i1:
        return "true" if value else "false"
    wide = type in (i64, IndexType())
    suffix = "LL" if wide else ""
    if value == -(2 ** (63 if wide else 31)):
        return f"(-{-(value + 1)}{suffix} - 1)"
    return f"({value}{suffix})" if value < 0 else f"{value}{suffix}"
