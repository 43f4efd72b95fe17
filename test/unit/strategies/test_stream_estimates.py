"""What the model of streams says."""

from dataclasses import replace

import pytest

from dlc.arch.nvidia import H200
from dlc.model.streaming import Stream, clocks_per_instruction, stream_s


def test_instructions_of_few_warps_wait_for_their_operands() -> None:
    assert clocks_per_instruction(64, H200) == 64 / 4
    assert clocks_per_instruction(4, H200) == H200.costs.dependent_clocks


def _stream(**changed: float) -> Stream:
    nothing = Stream(132, 128, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    return replace(nothing, **changed)


def test_a_stream_takes_as_long_as_its_slowest_part_and_a_little() -> None:
    start_s = stream_s(_stream(), H200)
    assert start_s == pytest.approx(H200.costs.start_us * 1e-6, rel=0.1)
    bytes = 4e9
    memory_s = bytes / (H200.costs.dram_efficiency * 4800e9)  # nothing of it is found in the L2
    assert stream_s(_stream(read_bytes=bytes), H200) == pytest.approx(start_s + memory_s, rel=1e-3)


@pytest.mark.parametrize(
    "part", ["instructions", "wait_clocks", "lines", "fetched", "stored_bytes", "reread_bytes"]
)
def test_more_of_a_part_is_never_faster(part: str) -> None:
    times = [stream_s(_stream(**{part: 10.0**n}), H200) for n in range(1, 12)]
    assert times == sorted(times)
    assert times[-1] > times[0]
