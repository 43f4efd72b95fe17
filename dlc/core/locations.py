"""Where an op comes from, in words: a place in a text file or the name of an ONNX node."""

from xdsl.dialects.builtin import CallSiteLoc, FileLineColLoc, FusedLoc, LocationAttr, NameLoc
from xdsl.ir import Attribute, Operation


def place(location: Attribute) -> FileLineColLoc | None:
    """Return the place in a file that a location leads to first, or ``None``."""
    match location:
        case FileLineColLoc():
            return location
        case NameLoc(location=inner) | CallSiteLoc(callee=inner):
            return place(inner)
        case FusedLoc(locations=parts):
            return next((p for part in parts if (p := place(part))), None)
        case _:
            return None


def location_text(location: LocationAttr) -> str | None:
    """Return ``file:line:column`` or the quoted name of a node; ``None`` for an unknown location."""
    if (where := place(location)) is not None:
        return f"{where.filename.data}:{where.line.data}:{where.column.data}"
    match location:
        case NameLoc():
            return f'"{location.desc.data}"'
        case FusedLoc():
            texts = (location_text(part) for part in location.locations)
            return next((text for text in texts if text is not None), None)
        case _:
            return None


def operation_text(op: Operation) -> str:
    """Return how an error names an op: its IR name and where it comes from."""
    where = location_text(op.location)
    return f"{op.name} at {where}" if where else op.name
