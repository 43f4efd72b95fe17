"""Splits an ONNX file into a small model without weights and the places of the weights in the file.

Only the protobuf framing is read (https://protobuf.dev/programming-guides/encoding):
ModelProto.graph is field 7, GraphProto.initializer field 5 and TensorProto.raw_data field 9.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from dlc.errors import CompileError

KEPT_BYTES = 1024
"""Initializers of at most this many bytes stay in the small model, for shape inference to read."""

_GRAPH, _INITIALIZER, _RAW_DATA = 7, 5, 9
_MODEL_FIELDS = frozenset((1, 2, 3, 4, 5, 6, 7, 8, 14, 20, 25, 26))
_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5


@dataclass(frozen=True)
class Extent:
    """Where the bytes of a tensor are in a file."""

    offset_bytes: int
    length_bytes: int


@dataclass(frozen=True)
class SplitModel:
    """A serialized ModelProto without large raw_data, and the extents of what was left out.

    embedded: by position in ``graph.initializer``.
    """

    model: bytes
    embedded: dict[int, Extent]


@dataclass(frozen=True)
class _Field:
    number: int
    kind: int
    start: int
    value: int
    end: int


class _TruncatedError(Exception):
    pass


def split_model(data: memoryview) -> SplitModel:
    """Split the bytes of an ONNX file.

    Raises CompileError when the file is cut off or is no ONNX model.
    """
    parts: list[bytes] = []
    embedded: dict[int, Extent] = {}
    try:
        for field in _fields(data, 0, len(data)):
            if field.number not in _MODEL_FIELDS:
                raise CompileError("this is not an ONNX model")
            if field.number == _GRAPH and field.kind == _LENGTH:
                parts.append(_framed(_GRAPH, _split_graph(data, field, embedded)))
            else:
                parts.append(bytes(data[field.start : field.end]))
    except _TruncatedError as error:
        if not parts and bytes(data[:1]) != b"\x08":
            raise CompileError("this is not an ONNX model") from error
        raise CompileError(
            f"the file is truncated: it ends at byte {len(data)}, {error}"
        ) from error
    return SplitModel(b"".join(parts), embedded)


def _split_graph(data: memoryview, graph: _Field, embedded: dict[int, Extent]) -> bytes:
    parts: list[bytes] = []
    count = 0
    for field in _fields(data, graph.value, graph.end):
        if field.number != _INITIALIZER or field.kind != _LENGTH:
            parts.append(bytes(data[field.start : field.end]))
            continue
        raw = _raw_data(data, field)
        if raw is None:
            parts.append(bytes(data[field.start : field.end]))
        else:
            embedded[count] = Extent(raw.value, raw.end - raw.value)
            rest = bytes(data[field.value : raw.start]) + bytes(data[raw.end : field.end])
            parts.append(_framed(_INITIALIZER, rest))
        count += 1
    return b"".join(parts)


def _raw_data(data: memoryview, tensor: _Field) -> _Field | None:
    """Return the raw_data field of a tensor when it is large."""
    if tensor.end - tensor.value <= KEPT_BYTES:
        return None
    found = (f for f in _fields(data, tensor.value, tensor.end) if f.number == _RAW_DATA)
    return next((f for f in found if f.kind == _LENGTH and f.end - f.value > KEPT_BYTES), None)


def _fields(data: memoryview, start: int, end: int) -> Iterator[_Field]:
    at = start
    while at < end:
        key, value = _read_varint(data, at, end)
        kind = key & 7
        if kind == _LENGTH:
            length, value = _read_varint(data, value, end)
            stop = value + length
        elif kind == _VARINT:
            stop = _read_varint(data, value, end)[1]
        elif kind in (_FIXED64, _FIXED32):
            stop = value + (8 if kind == _FIXED64 else 4)
        else:
            raise CompileError("this is not an ONNX model")
        if stop > end:
            raise _TruncatedError(f"a part of it should reach byte {stop}")
        yield _Field(key >> 3, kind, at, value, stop)
        at = stop


def _read_varint(data: memoryview, at: int, end: int) -> tuple[int, int]:
    value = shift = 0
    while at < end and shift < 64:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return value, at
        shift += 7
    raise _TruncatedError("a number in it is not complete")


def _framed(number: int, value: bytes) -> bytes:
    return _write_varint(number << 3 | _LENGTH) + _write_varint(len(value)) + value


def _write_varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
