"""The sizes of inputs that give a model a batch size."""

from collections.abc import Mapping, Sequence

import onnx
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute

from dlc.errors import CompileError
from dlc.frontends.onnx.input_types import input_types, model_inputs
from dlc.frontends.onnx.loading import ModelSource, load_model
from dlc.frontends.onnx.open_sizes import EXAMPLE, OpenSize, check_none_open, find_open_sizes
from dlc.frontends.onnx.shapes import Shapes
from dlc.ir.tensor import shape
from dlc.option_text import option

Types = Mapping[str, TensorType[Attribute]]


def with_batch(
    source: ModelSource, shapes: Shapes, batch: int, constants: Sequence[str] = ()
) -> Shapes:
    """Return ``shapes`` with those sizes that make ``batch`` the batch size of a model.

    It is the size along the first axis of the inputs, where that is open; else the only open size.
    constants: inputs that are none. Raises CompileError where no size is open, unless the first
    axis of some input has that size already.
    """
    inputs, types = _inputs(source, shapes, constants)
    found = _batch_sizes(inputs, types)
    if not found:
        _check_fixed(inputs, types, shapes, batch)
    return {**shapes, **{name: sizes for s in found for name, sizes in _given(s, types, batch)}}


def check_sizes(source: ModelSource, shapes: Shapes, constants: Sequence[str] = ()) -> None:
    """Raise CompileError where a size of a model is open, which says what gives it: some are those
    of a batch.
    """
    inputs, types = _inputs(source, shapes, constants)
    try:
        check_none_open(inputs, types)
    except CompileError as error:
        if _batch_sizes(inputs, types):
            error.message += f"; {option('batch')} {EXAMPLE} gives the size of the batch"
        raise


def _inputs(
    source: ModelSource, shapes: Shapes, constants: Sequence[str]
) -> tuple[Sequence[onnx.ValueInfoProto], Types]:
    """Return the inputs of a model that are no constants, and their types."""
    inputs = [i for i in model_inputs(load_model(source).proto.graph) if i.name not in constants]
    return inputs, input_types(inputs, shapes)


def _batch_sizes(inputs: Sequence[onnx.ValueInfoProto], types: Types) -> list[OpenSize]:
    """Return the open sizes that a batch size sets."""
    open = find_open_sizes(inputs, types)
    first = [size for size in open if size.axis == 0]
    return first or (open if len(open) == 1 else [])


def _given(size: OpenSize, types: Types, batch: int) -> list[tuple[str, list[int]]]:
    """Return what gives an open size: its symbol, or all sizes of its input."""
    name, _ = size.given
    if name == size.symbol and name != size.input:
        return [(name, [batch])]
    sizes = list(shape(types[size.input]))
    sizes[size.axis] = batch
    return [(size.input, sizes)]


def _check_fixed(
    inputs: Sequence[onnx.ValueInfoProto], types: Types, shapes: Shapes, batch: int
) -> None:
    """Raise CompileError unless the batch size is fixed at what is wanted."""
    known = {value.name: sizes for value in inputs if (sizes := shape(types[value.name]))}
    if not known:
        raise CompileError(f"no input has an axis whose size {option('batch')} could be")
    if batch in (sizes[0] for sizes in known.values()):
        return
    if shapes:
        raise CompileError(
            f"{option('batch')} {batch} is not what {option('shape')} gives; leave out one of them"
        )
    name, (first, *others) = next(iter(known.items()))
    sizes = ",".join(map(str, (batch, *others)))
    raise CompileError(
        f"the file fixes the batch size at {first}, {batch} cannot be had; export the model with "
        f"an open first axis, or try {option('shape', [(name, sizes)])}",
        f"input {name}",
    )
