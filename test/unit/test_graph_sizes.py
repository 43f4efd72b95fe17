"""Shape rules with sizes that are not fixed yet: they propagate, and fixing them later agrees."""

import pytest
from xdsl.dialects.builtin import StringAttr, TensorType, f32, i64
from xdsl.ir import Attribute, Block, SSAValue

from dlc.dialects.graph.elementwise import AddOp
from dlc.dialects.graph.gather import GatherOp
from dlc.dialects.graph.layout import BroadcastOp, ConcatOp, SliceOp, TileOp, TransposeOp
from dlc.dialects.graph.pad import PadOp
from dlc.dialects.graph.properties import element_attribute, integer, integers
from dlc.dialects.graph.reshape import ReshapeOp
from dlc.dialects.graph.structure import GraphOp
from dlc.errors import CompileError
from dlc.ir.tensor import DYNAMIC, shape

D = DYNAMIC
ZERO = element_attribute(0, f32)
CASES: list[tuple[type[GraphOp], list[tuple[int, ...]], dict[str, Attribute], tuple[int, ...]]] = [
    (AddOp, [(D, 3), (1, 3)], {}, (D, 3)),
    (TransposeOp, [(D, 3)], {"permutation": integers([1, 0])}, (3, D)),
    (ReshapeOp, [(D, 4)], {"sizes": integers([-1, 2, 2])}, (D, 2, 2)),
    (ReshapeOp, [(D, 4)], {"sizes": integers([-2, 2, 2])}, (D, 2, 2)),
    (BroadcastOp, [(D, 1)], {"sizes": integers([1, 5])}, (D, 5)),
    (TileOp, [(D, 2)], {"repeats": integers([2, 2])}, (D, 4)),
    (ConcatOp, [(D, 2), (3, 2)], {"axis": integer(0)}, (D, 2)),
    (
        SliceOp,
        [(D, 4)],
        {"starts": integers([0, 1]), "stops": integers([9, 3]), "steps": integers([1, 1])},
        (D, 2),
    ),
    (
        PadOp,
        [(D, 4)],
        {
            "low": integers([1, 1]),
            "high": integers([0, 0]),
            "mode": StringAttr("constant"),
            "value": ZERO,
        },
        (D, 5),
    ),
]


def operands(shapes: list[tuple[int, ...]]) -> list[SSAValue]:
    return list(Block(arg_types=[TensorType(f32, sizes) for sizes in shapes]).args)


@pytest.mark.parametrize(("kind", "shapes", "properties", "expected"), CASES)
def test_sizes_propagate(
    kind: type[GraphOp],
    shapes: list[tuple[int, ...]],
    properties: dict[str, Attribute],
    expected: tuple[int, ...],
) -> None:
    op = kind.make(*operands(shapes), results=1, **properties)
    assert shape(op.results[0]) == expected
    fixed = [tuple(7 if n == D else n for n in sizes) for sizes in shapes]
    again = op.with_operands(operands(fixed))
    pairs = zip(expected, shape(again.results[0]), strict=True)
    assert all(before in (D, after) for before, after in pairs)
    assert D not in shape(again.results[0])


def test_a_fixed_size_fixes_the_result() -> None:
    assert shape(AddOp.make(*operands([(D, 3), (4, 3)])).output) == (4, 3)


def test_a_known_mismatch_is_an_error() -> None:
    with pytest.raises(CompileError, match="do not broadcast"):
        AddOp.make(*operands([(D, 3), (D, 4)]))


def test_gather_keeps_both_unknown_sizes() -> None:
    data, indices = Block(arg_types=[TensorType(f32, (D, 4)), TensorType(i64, (2, D))]).args
    op = GatherOp.make(data, indices, axis=integer(1))
    assert shape(op.output) == (D, 2, D)
