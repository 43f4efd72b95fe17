"""Sets of ops as integers."""

from programs import dataflow

from dlc.search._op_sets import MOST_KEPT, OpSets, first, members

TENSOR = "tensor<4x8xf32>"


def test_places_come_in_order() -> None:
    assert list(members(0b10110)) == [1, 2, 4]
    assert first(0b10100) == 2
    assert list(members(0)) == []


def test_an_op_stands_right_before_the_first_that_reads_it() -> None:
    body = "%0 = exp %y : 4x8\n%1 = tanh %x : 4x8\n%2 = relu %1 : 4x8\n%3 = add %2 %0 : 4x8"
    sets = OpSets(dataflow(body, f"%3: {TENSOR}"))
    assert [op.name for op in sets.order] == [
        "graph.tanh",
        "graph.relu",
        "graph.exp",
        "graph.add",
    ]
    assert sets.cluster(0b1110).places == (0, 2, 3)
    assert sets.of(sets.flow.ops[:2]) == 0b101


def test_what_lies_between_belongs_to_a_convex_set() -> None:
    body = "%0 = exp %x : 4x8\n%1 = tanh %0 : 4x8\n%2 = relu %1 : 4x8\n%3 = add %2 %0 : 4x8"
    sets = OpSets(dataflow(body, f"%3: {TENSOR}"))
    assert sets.convex(0b1001) == 0b1111
    assert sets.convex(0b0011) == 0b0011
    assert sets.needs(0b1100) == 0b0011
    assert sets.needs(0b0001) == 0


def test_answers_that_were_forgotten_are_found_again() -> None:
    lines = ["%0 = exp %x : 4x8", *(f"%{n} = exp %{n - 1} : 4x8" for n in range(1, 16))]
    sets = OpSets(dataflow("\n".join(lines), f"%15: {TENSOR}"))
    asked = range(1, MOST_KEPT + 2)
    for _ in range(2):
        assert all(sets.convex(ops) == _from_first_to_last(ops) for ops in asked)


def _from_first_to_last(ops: int) -> int:
    return (1 << ops.bit_length()) - (1 << first(ops))


def test_readers_of_one_tensor_are_neighbours_while_they_are_few() -> None:
    lines = [f"%{n} = exp %x : 4x8" for n in range(8)]
    results = ", ".join(f"%{n}: {TENSOR}" for n in range(8))
    assert OpSets(dataflow("\n".join(lines), results)).neighbours == [0xFF] * 8
    lines.append("%8 = exp %x : 4x8")
    sets = OpSets(dataflow("\n".join(lines), f"{results}, %8: {TENSOR}"))
    assert sets.neighbours == [0] * 9
