"""Attributes that our passes put on ops of xDSL, which have no properties for them."""

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Operation

_DECLARED: dict[str, "Annotation"] = {}


@dataclass(frozen=True)
class Annotation:
    """A mark ``{name}`` on an op of a kind; it may stand on no other op and has no value."""

    name: str
    kind: type[Operation]

    def __post_init__(self) -> None:
        _DECLARED[self.name] = self

    def mark(self, op: Operation) -> None:
        """Put the mark on an op."""
        op.attributes[self.name] = UnitAttr()

    def marks(self, op: Operation) -> bool:
        """Return whether an op has the mark."""
        return self.name in op.attributes


def annotation_faults(op: Operation) -> Iterator[str]:
    """Yield what is wrong with the attributes of an op that are no properties of it.

    One with a dialect in its name is that dialect's business; modules hold any.
    """
    if op.dialect_name() == "builtin":
        return
    for name in op.attributes:
        kind = _DECLARED[name].kind if name in _DECLARED else None
        if "." not in name and kind is None:
            yield f"{op.name}: there is no attribute {name}"
        elif kind is None:
            continue
        elif not isinstance(op, kind):
            yield f"{op.name}: {name} is for {kind.name} only"
        elif op.attributes[name] != UnitAttr():
            yield f"{op.name}: {name} has no value"
