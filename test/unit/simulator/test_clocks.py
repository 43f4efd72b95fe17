"""What threads know of each other's accesses."""

import numpy as np

from dlc.simulator._clocks import Clocks


def clocks() -> Clocks:
    """Return those of one block of three threads."""
    return Clocks(np.arange(3), 3)


def threads(*numbers: int) -> np.ndarray:
    return np.array(numbers)


def test_who_acquires_knows_what_was_done_before_the_release() -> None:
    found = clocks()
    found.acquire(threads(1), found.release(threads(0)))
    assert found.knows(threads(1), threads(0), np.array([0]))
    assert not found.knows(threads(1), threads(0), found.time[threads(0)])
    assert not found.knows(threads(2), threads(0), np.array([0]))


def test_who_releases_hands_on_what_it_knows() -> None:
    found = clocks()
    found.acquire(threads(1), found.release(threads(0)))
    found.acquire(threads(2), found.release(threads(1)))
    assert found.knows(threads(2), threads(0), np.array([0]))


def test_a_copy_hands_on_nothing_but_itself() -> None:
    """Its bytes arrive on their own: they say nothing of what others did before it was started."""
    found = clocks()
    found.acquire(threads(1), found.release(threads(0)))
    times, row = found.release_alone(threads(1))
    found.acquire(threads(2), row)
    assert found.knows(threads(2), threads(1), times)
    assert not found.knows(threads(2), threads(0), np.array([0]))


def test_counters_are_handed_on_too() -> None:
    """Rounds of an mbarrier, of which a thread may know without having waited."""
    found = clocks()
    early = found.release(threads(2))
    counter = found.new_counter()
    found.known[threads(0), counter] = 3
    found.acquire(threads(1), found.release(threads(0)))
    found.acquire(threads(1), early)
    assert found.known[:, counter].tolist() == [3, 3, 0]
