import random

from dlc.analysis.arena import ALIGNMENT_BYTES, Buffer, live_bytes, place


def random_buffers(generator: random.Random) -> list[Buffer]:
    """Return buffers whose lifetimes overlap, with sizes that do and do not fill the alignment."""
    buffers: list[Buffer] = []
    for _ in range(generator.randrange(1, 60)):
        first = generator.randrange(40)
        size = generator.choice((0, 1, 255, 256, 1000, 4096, 100_000))
        buffers.append(Buffer(size, first, first + generator.randrange(10)))
    return buffers


def test_buffers_that_live_together_do_not_overlap_and_the_peak_is_exact() -> None:
    for seed in range(200):
        buffers = random_buffers(random.Random(seed))
        arena = place(buffers)
        placed = list(zip(arena.offsets, buffers, strict=True))
        for number, (offset, one) in enumerate(placed):
            assert offset % ALIGNMENT_BYTES == 0
            for other_offset, other in placed[:number]:
                apart = offset + one.bytes <= other_offset or other_offset + other.bytes <= offset
                assert apart or not one.meets(other), f"seed {seed}"
        assert arena.bytes == max(offset + b.room for offset, b in placed)
        assert arena.bytes >= live_bytes(buffers)


def test_launches_of_one_step_that_come_one_after_the_other() -> None:
    first, second = Buffer(256, 3, 3, users=0b01, above=0), Buffer(256, 3, 3, 0b10, above=0b01)
    beside = Buffer(256, 3, 3, users=0b100, above=0)
    assert first.precedes(second)
    assert not second.precedes(first)
    assert not first.meets(second)
    assert not second.meets(first)
    assert beside.meets(first)
    assert beside.meets(second)
    assert place([first, second]).offsets == (0, 0)
    assert len({*place([first, second, beside]).offsets}) == 2
    for one in (first, second):  # without users a buffer is in use all through its steps
        assert one.meets(Buffer(256, 3, 4))
        assert not one.meets(Buffer(256, 4, 4))


def test_a_chain_needs_two_buffers() -> None:
    chain = [Buffer(1000, step, step + 1) for step in range(50)]
    assert place(chain).bytes == live_bytes(chain) == 2048


def test_the_smallest_gap_that_fits_is_taken() -> None:
    buffers = [Buffer(4096, 0, 1), Buffer(2048, 0, 9), Buffer(1024, 0, 1), Buffer(512, 0, 9)]
    arena = place([*buffers, Buffer(256, 2, 9)])
    assert arena.offsets[-1] == arena.offsets[2]


def test_no_buffers_need_nothing() -> None:
    assert place([]).bytes == 0
