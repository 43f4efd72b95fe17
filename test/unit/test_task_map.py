"""Hidet's task mappings."""

import itertools

import pytest
from xdsl.ir.affine import AffineExpr

from dlc.core.task_map import TaskMap, repeat, spatial
from dlc.errors import CompileError

MAPS = [spatial(2, 3), repeat(3, 2), spatial(1, 4) * repeat(2, 1), repeat(2, 2) * spatial(2, 2)]


def test_repeat_is_row_major():
    assert repeat(2, 2).tasks(0) == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_spatial_gives_one_task_each():
    assert [spatial(2, 2).tasks(w) for w in range(4)] == [[(0, 0)], [(0, 1)], [(1, 0)], [(1, 1)]]


def test_composition_tiles_the_outer_task():
    # the example of Hidet, section 5.1: 128 workers load 64 x 8 elements in 4 rounds
    mapping = repeat(4, 1) * spatial(16, 8)
    assert mapping.shape == (64, 8)
    assert mapping.workers == 128
    assert mapping.tasks(9) == [(1, 1), (17, 1), (33, 1), (49, 1)]


@pytest.mark.parametrize("mapping", [a * b for a, b in itertools.product(MAPS, repeat=2)], ids=str)
def test_a_task_as_index_expressions(mapping: TaskMap):
    worker, *at = (AffineExpr.dimension(i) for i in range(1 + len(mapping.repeats)))
    exprs = mapping.task(worker, at)
    for number in range(mapping.workers):
        rounds = itertools.product(*map(range, mapping.repeats))
        found = [tuple(e.eval([number, *values], []) for e in exprs) for values in rounds]
        assert found == mapping.tasks(number)


@pytest.mark.parametrize(("outer", "inner"), list(itertools.product(MAPS, repeat=2)), ids=str)
def test_composition_follows_its_definition(outer: TaskMap, inner: TaskMap):
    composed = outer * inner
    for worker in range(composed.workers):
        expected = [
            tuple(t * n + u for t, n, u in zip(task, inner.shape, sub, strict=True))
            for task in outer.tasks(worker // inner.workers)
            for sub in inner.tasks(worker % inner.workers)
        ]
        assert composed.tasks(worker) == expected


@pytest.mark.parametrize("triple", list(itertools.product(MAPS, repeat=3)), ids=str)
def test_composition_is_associative(triple: tuple[TaskMap, TaskMap, TaskMap]):
    a, b, c = triple
    left, right = (a * b) * c, a * (b * c)
    assert [left.tasks(w) for w in range(left.workers)] == [
        right.tasks(w) for w in range(right.workers)
    ]


@pytest.mark.parametrize("mapping", [a * b for a, b in itertools.product(MAPS, repeat=2)], ids=str)
def test_every_task_is_done_once(mapping: TaskMap):
    done = [task for worker in range(mapping.workers) for task in mapping.tasks(worker)]
    assert sorted(done) == sorted(itertools.product(*map(range, mapping.shape)))


def test_faults_are_errors():
    with pytest.raises(CompileError, match="different ranks"):
        _ = spatial(2) * repeat(2, 2)
    with pytest.raises(CompileError, match="positive sizes"):
        spatial(0, 2)
    with pytest.raises(CompileError, match="has 4 workers, not 4"):
        spatial(2, 2).tasks(4)
