"""The types of a model's inputs, with the sizes that the user fixes."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

import onnx
from xdsl.dialects.builtin import NoneAttr, TensorType
from xdsl.ir import Attribute

from dlc.dialects.graph.sizes import SizesAttr
from dlc.errors import CompileError
from dlc.frontends.onnx.limits import check_sizes
from dlc.frontends.onnx.shapes import Shapes, size_lists
from dlc.frontends.onnx.tensors import element_dtype
from dlc.ir.tensor import (
    DYNAMIC,
    element_type_of,
)
from dlc.option_text import option

Size = int | str
"""A number, the name of a symbolic size, or ``DYNAMIC``."""


def model_inputs(graph: onnx.GraphProto) -> list[onnx.ValueInfoProto]:
    """Return the inputs that a caller must give: those that no initializer defines."""
    initialized = {t.name for t in graph.initializer}
    return [i for i in graph.input if i.name not in initialized]


def input_types(
    inputs: Sequence[onnx.ValueInfoProto], shapes: Shapes
) -> dict[str, TensorType[Attribute]]:
    """Return the tensor type of each input.

    shapes: sizes by input name, or one size by the name of a symbolic size. A symbolic size that
    one input fixes is fixed everywhere; those left are ``DYNAMIC`` and named in the encoding.

    Raises CompileError for an unknown name, a wrong number of axes, a shape that is not known at
    all, or two different values of one symbolic size.
    """
    given = size_lists(shapes)
    declared = {i.name: declared_sizes(i) for i in inputs}
    symbols = {s for sizes in declared.values() for s in sizes or () if isinstance(s, str)}
    _check_names(given.keys(), declared, symbols)
    known: dict[str, int] = {}
    for name in symbols & (given.keys() - declared.keys()):
        _fix(known, name, _single_size(name, given[name]), option("shape"))
    fixed: dict[str, Sequence[Size]] = {}
    for name, sizes in declared.items():
        fixed[name] = _override(name, sizes, given.get(name), known)
    return {i.name: _tensor_type(i, fixed[i.name], known) for i in inputs}


def changed_inputs(inputs: Sequence[onnx.ValueInfoProto], shapes: Shapes) -> list[str]:
    """Return the inputs whose sizes the file fixes to other numbers than ``shapes`` does."""
    lists = size_lists(shapes)
    changed: list[str] = []
    for value in inputs:
        declared = declared_sizes(value) or ()
        given = zip(declared, lists.get(value.name, ()), strict=False)
        if any(isinstance(old, int) and old not in (new, DYNAMIC) for old, new in given):
            changed.append(value.name)
    return changed


def declared_sizes(value: onnx.ValueInfoProto) -> list[Size] | None:
    """Return the sizes in the file, ``None`` where it gives not even the number of axes."""
    tensor = value.type.tensor_type
    if not value.type.HasField("tensor_type"):
        kind = value.type.WhichOneof("value") or "without a type"
        raise CompileError(f"only tensors are supported, this is {kind}", f"input {value.name}")
    if not tensor.HasField("shape"):
        return None
    return [_declared_size(d) for d in tensor.shape.dim]


def _declared_size(dim: onnx.TensorShapeProto.Dimension) -> Size:
    if dim.HasField("dim_value"):
        return dim.dim_value if dim.dim_value >= 0 else DYNAMIC
    return symbol_of(dim) or DYNAMIC


def symbol_of(dim: onnx.TensorShapeProto.Dimension) -> str:
    """Return the name of a size, ``""`` where it has none; several exporters write ? for that."""
    return "" if dim.dim_param == "?" else dim.dim_param


def _check_names(
    given: AbstractSet[str], declared: Mapping[str, Sequence[Size] | None], symbols: set[str]
) -> None:
    unknown = sorted(given - declared.keys() - symbols)
    if unknown:
        sizes = f", and the sizes {', '.join(sorted(symbols))}" if symbols else ""
        what = "input or size" if symbols else "input"
        raise CompileError(
            f"the model has no {what} {unknown[0]}; it has {', '.join(declared)}{sizes}"
        )


def _single_size(name: str, sizes: Sequence[int]) -> int:
    if len(sizes) != 1:
        raise CompileError(f"the size {name} takes one number, got {len(sizes)}")
    if sizes[0] < 1:
        raise CompileError(f"the size {name} is {sizes[0]}; give 1 or more")
    return sizes[0]


def _fix(known: dict[str, int], symbol: str, size: int, by: str) -> None:
    if known.setdefault(symbol, size) != size:
        raise CompileError(f"the size {symbol} cannot be both {known[symbol]} and {size}", by)


def _override(
    name: str, declared: Sequence[Size] | None, given: Sequence[int] | None, known: dict[str, int]
) -> Sequence[Size]:
    at = f"input {name}"
    if given is None:
        if declared is None:
            raise CompileError(
                f"its shape is not known; give it with {option('shape', [(name, '...')])}", at
            )
        return declared
    if declared is not None and len(given) != len(declared):
        raise CompileError(f"the shape {list(given)} needs {len(declared)} axes", at)
    for size, stated in zip(given, declared or [DYNAMIC] * len(given), strict=True):
        if size < 1 and size != stated:
            empty = ", or export the model without it" if size == 0 else ""
            raise CompileError(
                f"the shape {list(given)} has the size {size}; give 1 or more{empty}", at
            )
    for size, symbol in zip(given, declared or (), strict=False):
        if isinstance(symbol, str):
            _fix(known, symbol, size, at)
    return given


def _tensor_type(
    value: onnx.ValueInfoProto, sizes: Sequence[Size], known: Mapping[str, int]
) -> TensorType[Attribute]:
    try:
        element = element_type_of(element_dtype(value.type.tensor_type.elem_type))
    except CompileError as error:
        error.place(f"input {value.name}")
        raise
    resolved = [known.get(s, s) if isinstance(s, str) else s for s in sizes]
    fixed = [DYNAMIC if isinstance(s, str) else s for s in resolved]
    try:
        check_sizes(fixed)
    except CompileError as error:
        error.place(f"input {value.name}")
        raise
    encoding = NoneAttr()
    if any(isinstance(s, str) for s in resolved):
        encoding = SizesAttr.of(resolved)
    return TensorType(element, fixed, encoding)
