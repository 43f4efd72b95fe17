"""What a GPU was measured to need for the parts of a kernel."""

from dataclasses import dataclass


@dataclass(frozen=True)
class GpuCosts:
    """Measured costs of the parts of a kernel, on one chip.

    The defaults are those of an H200; a chip that has none of its own is assumed to have these.
    Costs of contractions that say nothing else were found by least squares over the times of 2,652
    schedules of 18 contractions in f16 (``test/data/contraction-space-h200.jsonl.gz``). Others came
    later and say what they were fitted to; ``test/benchmarks/rating.py fit`` changes all of them to
    what fits its files best, and would not find those again. ``_clocks`` are clocks at the row's
    rate.
    """

    start_us: float = 1.08
    """A kernel in a graph: launch, first instruction, end."""

    dram_efficiency: float = 0.9
    """The part of the stated bandwidth that long copies reach (4.3 of 4.8 TB/s)."""

    dram_store_efficiency: float = 0.62
    """The part that results of contractions reach, of 100 to 150 MB where little is read: 3 TB/s
    at most in 246 schedules of 29 groups (docs/performance.md, "GPU: short reductions and narrow
    results").
    """

    loaded_l2_latency: float = 1.56
    """Latency of the L2 while others use it, in units of the near partition's when idle."""

    loaded_dram_latency: float = 1.95
    """The same of the memory behind it."""

    half_line: float = 1.68
    """Cost of a byte read in pieces of 64, in units of one read in lines of 128."""

    setup_clocks: float = 1000.0
    """Before the first copies of a block: ids, positions, their divisions."""

    step_clocks: float = 129.0
    """A step of a pipelined loop beside its work: wait, barrier, addresses, first fragments."""

    late_slice_clocks: float = 40.0
    """Of a step with one slice under way, since slices do not arrive evenly; more share it."""

    remainder_clocks: float = 20.0
    """Of a step whose slice has a place that is found by a remainder."""

    copy_clocks: float = 1.0
    """Of an asynchronous copy of a warp, beside the bytes that it writes to shared memory."""

    fragments_ahead: float = 0.85
    """Cost of a step whose fragments the assembler loads ahead of their use, in units of one
    without: odd numbers of stages, and split reductions.
    """

    product_clocks: float = 17.0
    product_overlap: float = 0.48
    """Of a warpgroup's product whose columns are too few to hide its start: 17 clocks and 0.48 of
    what the rate gives (18.9, 20.7, 24.7 and 32.8 clocks for 8, 16, 32 and 64 columns of f16).
    """

    product_loaded: float = 1.25
    """Cost of a product where all SMs multiply, in units of one where few do."""

    product_step_clocks: float = 78.0
    """A step of products that read shared memory, beside these and the copies: wait, barrier."""

    slice_clocks: float = 541.0
    """From the copies of a slice to its first product, beside the latency of its memory."""

    tensor_line_clocks: float = 1.85
    """Of a line of up to 128 bytes that a tensor copy brings: fitted, with the next one and
    ``turn_clocks``, to 609 kernels of convolutions whose tiles walk.
    """

    outside_lines: float = 8.0
    """Of a line that is outside of its tensor, in units of one inside."""

    partly_outside_lines: float = 4.0
    """Of a line that ends outside of its tensor: the better of 4 and 8 over 102 groups
    (docs/performance.md, "One run of everything, 628e3840").
    """

    l2_burst: float = 0.7
    """The part of the stated bandwidth of the L2 that is reached where every block asks for the
    whole reduction of its one tile at once: 5,900 bytes a clock. Fitted, as ``cluster_clocks``, to
    370 schedules of ten products of 49 to 784 rows.
    """

    turn_clocks: float = 300.0
    """Of a tile, beside its steps, where another team finishes the one before: for each warpgroup
    of a team.
    """

    lone_warp_clocks: float = 3.0
    """Of an instruction of an epilogue where a scheduler has one warp that computes it; several
    share what is beyond one clock. Fitted to 37 schedules of six products, five with GELU behind
    them, by teams that take turns.
    """

    element_instructions: float = 24.5
    """Instructions to bring one element of a factor through registers: index, guard, load, store.
    """

    plain_element_instructions: float = 14.7
    """The same where no index may be in a padding."""

    element_clocks: float = 22.6
    """Latency of one element more that a thread brings through registers in a step."""

    staged_operation: float = 4.5
    """Instructions that an operation on an element of the lhs takes the time of, beyond those that
    its load hides: a warp computes all that it brings and then waits for the others. Fitted to 12
    schedules of a product with GELU before it.
    """

    register_stage_clocks: float = 1662.0
    """Latency of a step whose loads go through registers: nothing runs ahead of them."""

    run_stage_clocks: float = 200.0
    """The same where threads bring runs of neighbours, whose loads are under way together: fitted
    to 27 kernels with a scale, a shift and a relu before the product (17 % root mean square).
    """

    hop_us: float = 0.62
    """From a store of one block to the loads of the others that see it, beside what follows: this
    and the next four were fitted by hand to 14 kernels of ``recurrent`` (LSTM and GRU of 1,024
    units, 1 to 64 sequences; docs/performance.md, "Recurrent layers as one kernel").
    """

    block_meeting_us: float = 0.62
    cluster_meeting_us: float = 1.1
    grid_meeting_us: float = 1.67
    grid_start_us: float = 1.6
    """Between the stages of a kernel, where threads of a block, of a cluster, of all SMs meet; and
    once where all SMs do: a cooperative launch begins late, and a counter is set before it. They
    say what a stage takes more than a kernel of its own in a chain of 16 x 64 x 64 products (0.46
    less, 0.02 and 0.59 more), where ``start_us`` is the price of such a kernel: launches overlap,
    so that it takes half of that (docs/performance.md, "GPU: stages of one kernel").
    """

    call_us: float = 2.4
    """What the call of a library takes more between kernels of ours than alone: no launch overlaps
    with it. Fitted to whole models: 1 to 12 calls of ResNet-50, ResNeXt-50 and ViT-B/16 at batch 1
    made these 2.4 to 3.6 us longer for each (docs/performance.md, "GPU: fusion and libraries").
    """

    await_us: float = 0.25
    """Of each group of pieces that a thread of such a kernel asks for after another."""

    piece_us: float = 0.045
    """Of each piece of 16 bytes that it asks for together with others."""

    meeting_warp_us: float = 0.02
    """Of each warp of its blocks: barriers, and the sums that warps leave for each other."""

    states_of_l2: float = 0.8
    """The part of the bandwidth of the L2 that its blocks get, which ask for the same lines."""

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

    cluster_clocks: float = 900.0
    """Two barriers of a cluster, in which parts of sums meet: with the next one within 10 % of the
    ratios of 85 pairs of kernels (docs/performance.md, "GPU: products of few rows").
    """

    row_total_clocks: float = 600.0
    row_cluster_clocks: float = 1800.0
    """Until all threads of a block, or of a cluster, have the totals of their rows: with them 222
    kernels of clusters take 1.11 of the estimate, 80 kernels without totals 1.15
    (docs/performance.md, "GPU: rows behind a contraction").
    """

    remote_share: float = 0.06
    """Bandwidth of stores to other blocks' shared memory, as a share of one's own."""

    part_clocks: float = 203.0
    """Latency of reading one partial sum more."""

    part_piece_clocks: float = 0.855
    """Of a piece of a row of partial sums that a warp writes or reads."""

    # Kernels that stream; from 1,400 schedules of 65 of them, and 620 kernels of 20 models.

    block_clocks: float = 158.0
    """Between the starts of two blocks on an SM."""

    result_instructions: float = 1.4
    """Of a result element: its index, conversion, store. Fitted, with ``operation_instructions``
    and ``stored_bytes_per_clock``, to 1,021 schedules of ``map`` and 51 streams
    (docs/performance.md, "GPU: what special functions cost, and ops at the borders of groups").
    """

    load_instructions: float = 2.26
    """Of a load: its index and conversion."""

    operation_instructions: float = 1.5
    """Of an operation that counts as one addition."""

    dependent_clocks: float = 6.75
    """Between two instructions of a warp that has its scheduler for itself."""

    chain_overlap: float = 0.8
    """Part of that latency which another element of a thread hides."""

    thread_wait_clocks: float = 500.0
    loads_wait_clocks: float = 257.0
    """Latency of a thread, and of each eight loads of it: so many are under way at a time."""

    row_instructions: float = 162.0
    """Of a warp that reduces a row, beside those of its elements."""

    held_instructions: float = 0.3
    """Of an element of a row that stays in registers, in units of one that each pass loads and
    computes again; this and the next two from 16 softmaxes and layer norms at large batch.
    """

    held_row_instructions: float = 60.0
    """Of a warp that reduces such a row, beside those of its elements."""

    held_pass: float = 0.5
    """Latency of a later pass over such a row, and its loads, in units of one that loads all."""

    pass_clocks: float = 261.0
    step_wait_clocks: float = 43.0
    """Latency of going through a row once, and of each step of it."""

    block_reduction_clocks: float = 829.0
    """Latency of a reduction among the warps of a block: barriers and shared memory."""

    team_reduction_clocks: float = 200.0
    """The same among teams that lie apart: each thread reads the totals of its team."""

    line_clocks: float = 0.34
    """A line that an instruction of a warp touches: the first-level cache looks it up."""

    fetch_clocks: float = 1.2
    """A line that comes from the L2."""

    stored_bytes_per_clock: float = 20.0
    """Bytes that an SM writes in a clock."""

    l2_efficiency: float = 0.485
    """The part of the stated bandwidth of the L2 that long reads reach."""
