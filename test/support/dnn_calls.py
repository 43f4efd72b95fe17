"""Calls of cuDNN that tests edit, and what its groups are thought to take."""

import re
from collections.abc import Mapping

import pytest
from dnn_clusters import BIAS, RELU, convolved, scalar
from dnn_normalizations import normalized
from xdsl.dialects.builtin import MemRefType, f16
from xdsl.ir import Attribute

from dlc.analysis.dataflow import Cluster
from dlc.arch.nvidia import H200
from dlc.dialects.loop.attributes import CallAttr
from dlc.errors import CompileError
from dlc.ir.record import Inner
from dlc.libraries.cudnn import LIBRARY

NOTHING = "convolutions, attention, normalisations, poolings and functions"


def seconds(asked: Cluster) -> float:
    """Return what a group is thought to take."""
    return LIBRARY.price(asked, H200).seconds


SIZES = ([2, 9, 7, 16], [24, 3, 3, 16], [24], [2, 7, 5, 24])
Edits = Mapping[int, Mapping[str, object]]


def convolution() -> CallAttr:
    """Return the call of a convolution, a bias, a factor and a relu."""
    return LIBRARY.call(convolved(BIAS, scalar("mul", "0.5", 2), RELU))


X, WEIGHT, CONVOLVED, VECTOR, SUM, NUMBER, PRODUCT, Y = range(8)
"""Its tensors."""

CONV, ADD, MUL, RELU_OF_ALL = range(4)
"""Its operations."""


def buffers(*types: Attribute) -> list[MemRefType[Attribute]]:
    """Return its buffers, of f16 or these types."""
    given = types or (f16,) * len(SIZES)
    return [MemRefType(type, sizes) for type, sizes in zip(given, SIZES, strict=True)]


def edited(name: str, edits: Edits, call: CallAttr | None = None) -> list[object]:
    """Return its records with values added or changed; one of ``None`` is left out. call: another
    one.
    """
    records = (call or convolution())[name]
    assert isinstance(records, tuple)
    found: list[object] = []
    for number, each in enumerate(records):
        assert isinstance(each, Inner)
        merged = {**each.as_dict(), **edits.get(number, {})}
        found.append({key: value for key, value in merged.items() if value is not None})
    return found


def refused(reason: str, **keys: object) -> None:
    """Assert that the call is refused with a reason once it has these keys, and not before."""
    call = convolution()
    LIBRARY.check(call, buffers())
    call = call.replace(**keys)
    with pytest.raises(CompileError, match=re.escape(reason)) as raised:
        LIBRARY.check(call, buffers())
    assert "\n" not in raised.value.message


NO_FIT = "of cuDNN does not fit the sizes"


def normalization() -> tuple[CallAttr, list[MemRefType[Attribute]]]:
    """Return the call of a layer normalisation, and its buffers."""
    sizes = ([5, 3, 48], [48], [48], [5, 3, 48])
    return LIBRARY.call(normalized()), [MemRefType(f16, each) for each in sizes]
