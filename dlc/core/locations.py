"""Where an op comes from, in words: a place in a text file or the name of an ONNX node."""

from collections.abc import Iterable, Iterator

from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    LocationAttr,
    NameLoc,
    NoneAttr,
    StringAttr,
)
from xdsl.ir import Attribute, Operation


def place(location: Attribute) -> FileLineColLoc | None:
    """Return the place in a file that a location leads to first, or ``None``."""
    match location:
        case FileLineColLoc():
            return location
        case NameLoc(location=inner) | CallSiteLoc(callee=inner):
            return place(inner)
        case FusedLoc(locations=ArrayAttr(data=parts)):
            return next((p for part in parts if (p := place(part))), None)
        case _:
            return None


def location_text(location: Attribute) -> str | None:
    """Return ``file:line:column`` or the quoted name of a node; ``None`` when neither is known."""
    name = next(node_names(location), None)
    return _file_text(location) or (None if name is None else f'"{name}"')


def origin_text(location: Attribute) -> str | None:
    """Return ``file:line:column`` or a node's own name; ``None`` when neither is known."""
    return _file_text(location) or next(node_names(location), None)


def _file_text(location: Attribute) -> str | None:
    where = place(location)
    return where and f"{where.filename.data}:{where.line.data}:{where.column.data}"


def operation_text(op: Operation) -> str:
    """Return how an error names an op: its IR name and where it comes from, else its own name."""
    where, own = location_text(op.location), op.properties.get("sym_name")
    if where:
        return f"{op.name} at {where}"
    return f"{op.name} @{own.data}" if isinstance(own, StringAttr) else op.name


def joined(locations: Iterable[LocationAttr]) -> LocationAttr:
    """Return one location for all of ``locations``, each once, without unknown ones."""
    parts = [part for location in locations for part in _parts(location)]
    known = [each for each in dict.fromkeys(parts) if each != UNKNOWN_LOC]
    if len(known) > 1:
        return FusedLoc(ArrayAttr[Attribute](known), NoneAttr())
    return known[0] if known else UNKNOWN_LOC


def _parts(location: LocationAttr) -> Iterator[LocationAttr]:
    """Yield the locations that were joined to this one, itself if none were."""
    match location:
        case FusedLoc(locations=ArrayAttr(data=parts), metadata=NoneAttr()):
            for part in parts:
                if isinstance(part, LocationAttr):
                    yield from _parts(part)
        case _:
            yield location


def node_names(location: Attribute) -> Iterator[str]:
    """Yield the names of the ONNX nodes that a location leads to."""
    match location:
        case NameLoc():
            yield location.desc.data
        case FusedLoc(locations=ArrayAttr(data=parts)):
            for part in parts:
                yield from node_names(part)
        case _:
            pass
