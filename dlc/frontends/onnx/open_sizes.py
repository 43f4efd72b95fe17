"""The sizes of inputs that nobody has fixed yet, and how to give them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import onnx
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute

from dlc.errors import CompileError
from dlc.frontends.onnx.input_types import symbol_of
from dlc.ir.tensor import DYNAMIC, shape
from dlc.option_text import option

EXAMPLE = 8
"""The size that a message gives as an example."""


@dataclass(frozen=True)
class OpenSize:
    """A size of an input that neither the file nor the user fixes.

    symbol: its name in the file, ``""`` where it has none. given: an example of what gives it: a
    name and its sizes.
    """

    input: str
    axis: int
    symbol: str
    given: tuple[str, str]

    def __str__(self) -> str:
        where = f"axis {self.axis} of input {self.input}"
        return f"{self.symbol} ({where})" if self.symbol else f"of {where}"


def find_open_sizes(
    inputs: Sequence[onnx.ValueInfoProto], types: Mapping[str, TensorType[Attribute]]
) -> list[OpenSize]:
    """Return the sizes of inputs that are ``DYNAMIC`` in their types; each symbol once."""
    taken = {value.name for value in inputs}
    found: dict[object, OpenSize] = {}
    for value in inputs:
        for size in _open_sizes_of(value, shape(types[value.name]), taken):
            found.setdefault(size.symbol or (size.input, size.axis), size)
    return list(found.values())


def _open_sizes_of(
    value: onnx.ValueInfoProto, sizes: Sequence[int], taken: set[str]
) -> Iterator[OpenSize]:
    example = ",".join(str(EXAMPLE if size == DYNAMIC else size) for size in sizes)
    for axis, size in enumerate(sizes):
        if size == DYNAMIC:
            symbol = symbol_of(value.type.tensor_type.shape.dim[axis])
            by_symbol = symbol and symbol not in taken  # a name is an input's first
            given = (symbol, str(EXAMPLE)) if by_symbol else (value.name, example)
            yield OpenSize(value.name, axis, symbol, given)


def options_text(sizes: Sequence[OpenSize]) -> str:
    """Return the options that give all these sizes."""
    return option("shape", (size.given for size in sizes))


def check_none_open(
    inputs: Sequence[onnx.ValueInfoProto], types: Mapping[str, TensorType[Attribute]]
) -> None:
    """Raise CompileError, which says how to give them, when sizes of inputs are open."""
    sizes = find_open_sizes(inputs, types)
    if not sizes:
        return
    names = ", ".join(map(str, sizes))
    what = "the size" if len(sizes) == 1 else "the sizes"
    verb, them = ("is", "it") if len(sizes) == 1 else ("are", "them")
    raise CompileError(f"{what} {names} {verb} not fixed; give {them} with {options_text(sizes)}")
