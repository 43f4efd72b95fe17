"""What a GPU was measured to need for the parts of a kernel."""

from dataclasses import dataclass


@dataclass(frozen=True)
class GpuCosts:
    """Measured costs of the parts of a kernel, on one chip.

    The defaults are those of an H200; a chip that has none of its own is assumed to have these.
    Those of contractions were found by least squares over the times of 2,652 schedules of 18
    contractions in f16 (``test/data/contraction-space-h200.jsonl.gz``), and
    ``test/benchmarks/rating.py fit`` finds them again. ``_clocks`` are clocks at the row's rate.
    """

    start_us: float = 1.66
    """A kernel in a graph: launch, first instruction, end."""

    launch_gap_us: float = 0.7
    """The part of it that lies between kernels, which a profile of the kernels leaves out."""

    dram_efficiency: float = 0.85
    """The part of the stated bandwidth that long copies reach (4.1 of 4.8 TB/s)."""

    loaded_l2_latency: float = 1.56
    """Latency of the L2 while others use it, in units of the near partition's when idle."""

    loaded_dram_latency: float = 1.95
    """The same of the memory behind it."""

    scattered_clocks: float = 0.75
    """An element that each lane reads from a line of its own."""

    half_line: float = 1.68
    """Cost of a byte read in pieces of 64, in units of one read in lines of 128."""

    step_clocks: float = 129.0
    """A step of a pipelined loop beside its work: wait, barrier, addresses, first fragments."""

    fragments_ahead: float = 0.85
    """Cost of a step whose fragments the assembler loads ahead of their use, in units of one
    without: odd numbers of stages, and split reductions.
    """

    element_instructions: float = 24.5
    """Instructions to bring one element of a factor through registers: index, guard, load, store.
    """

    plain_element_instructions: float = 14.7
    """The same where no index may be in a padding."""

    element_clocks: float = 22.6
    """Latency of one element more that a thread brings through registers in a step."""

    register_stage_clocks: float = 1662.0
    """Latency of a step whose loads go through registers: nothing runs ahead of them."""

    store_clocks: float = 2.05
    """A piece that a warp stores to one row of a result at once, of 16 bytes or of 64."""

    wide_row: float = 1.26
    """Cost of a piece where a warp's part of a row has 128 bytes, in units of one in a shorter
    part.
    """

    single_store: float = 2.72
    """Cost of eight results stored one by one, in units of the same stored as pairs."""

    meeting_clocks: float = 1752.0
    """Fence, barriers and counter of a block that leaves a partial sum."""

    part_clocks: float = 203.0
    """Latency of reading one partial sum more."""

    part_bytes_per_clock: float = 37.4
    """Bytes of partial sums that an SM writes or reads in a clock."""

    # Elementwise kernels; from profiles of 274 of them, of 17 models at batch 1 and 8 to 256.

    warp_clocks: float = 62.7
    """Between the starts of two warps on an SM: launch, ids, bounds, division of the position."""

    result_instructions: float = 9.0
    """Of a result element: its index, conversion, store."""

    load_instructions: float = 2.58
    """Of a load: its index and conversion."""

    operation_instructions: float = 0.5
    """Of an operation that counts as one addition."""

    thread_wait_clocks: float = 298.0
    loads_wait_clocks: float = 342.0
    """Latency of a thread, and of each eight loads of it: so many are under way at a time."""
