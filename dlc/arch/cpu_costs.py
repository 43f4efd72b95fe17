"""What a CPU was measured to need for the parts of a kernel."""

from dataclasses import dataclass


@dataclass(frozen=True)
class CpuCosts:
    """Measured costs of the parts of a kernel, on one chip.

    The defaults are those of two cores of a Xeon, "Sapphire Rapids", with GCC 12; a
    chip that has none of its own is assumed to have these. They are least times of many runs of the
    kernels of six models, each after those before it.
    """

    launch_us: float = 0.01
    """A kernel on one core: its operands looked up, the call, the first loop."""

    pair_us: float = 0.7
    """Fork and join of a loop over two threads that wait for it."""

    l2_efficiency: float = 0.2
    """The part of the stated bandwidth of the second-level cache that reads and writes of whole
    tensors reach: 48 GB/s of a core where the kernels before leave some of them in it. Alone in it,
    c = a + b reaches 0.5.
    """

    swept_l2_efficiency: float = 0.5
    """The same of a loop that reads the same bytes in order again and again: c = a + b alone in the
    cache. Two cores of an EPYC ("Milan") that only read 64 or 256 KB each so reach 0.5 to 0.6.
    """

    l3_efficiency: float = 0.4
    """The same of the third-level cache, and of the memory behind it for one core: 24 GB/s."""

    scalar_efficiency: float = 0.25
    """Fraction of the peak that compiled elementwise loops reach: loads, stores and addresses share
    the issue slots.
    """

    streamed_load_clocks: float = 0.5
    """A load of a step of a contraction whose rhs no core's cache holds: as any other one, unless
    measured.
    """

    streamed_vector_clocks: float = 0.0
    """What each vector of such a rhs takes beside loads and multiply-adds."""
