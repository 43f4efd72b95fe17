"""Functions of one float: exponentials, roots, rounding, trigonometry, the error function."""

from dlc.dialects.graph import math as graph
from dlc.frontends.onnx.conversion import converts
from dlc.frontends.onnx.ops.elementwise import unary

_FUNCTIONS = {
    "Exp": graph.ExpOp,
    "Log": graph.LogOp,
    "Sqrt": graph.SqrtOp,
    "Floor": graph.FloorOp,
    "Ceil": graph.CeilOp,
    "Round": graph.RoundOp,
    "Sin": graph.SinOp,
    "Cos": graph.CosOp,
    "Tan": graph.TanOp,
    "Asin": graph.AsinOp,
    "Acos": graph.AcosOp,
    "Atan": graph.AtanOp,
    "Sinh": graph.SinhOp,
    "Cosh": graph.CoshOp,
    "Tanh": graph.TanhOp,
    "Asinh": graph.AsinhOp,
    "Acosh": graph.AcoshOp,
    "Atanh": graph.AtanhOp,
    "Erf": graph.ErfOp,
}

for _op_type, _op in _FUNCTIONS.items():
    converts(_op_type, since=6)(unary(_op))
