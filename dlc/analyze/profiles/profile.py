"""What another system measured of a model, in whatever format it was written."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from dlc.arch import Arch, CpuArch, GpuArch
from dlc.errors import counted

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Operator:
    """What a call of another system stands for.

    types: the ONNX operators that it may be. covers: those that it may compute along with them;
    ``None``: any that read its results and have no products. ends: those that a call before it
    computes, whose last part it may be.
    """

    types: frozenset[str] = frozenset()
    covers: frozenset[str] | None = frozenset()
    ends: frozenset[str] = frozenset()

    def may_have(self, type: str, macs: int, reads: bool) -> bool:
        """Whether the call may have a layer in it. reads: whether that reads a result of it."""
        return reads and not macs if self.covers is None else type in self.covers


@dataclass(frozen=True)
class Kernel:
    """A kernel on a GPU, and the microseconds that it took."""

    name: str
    us: float


@dataclass(frozen=True)
class Row:
    """A call in one run of the model.

    us: its time, that of its kernels where there are any. nodes: the ONNX nodes that it computes,
    where the format says so. inputs: the shapes of its inputs, where the format has them.
    """

    name: str
    operator: Operator
    us: float
    kernels: tuple[Kernel, ...] = ()
    nodes: tuple[str, ...] = ()
    inputs: tuple[Shape, ...] = ()


@dataclass(frozen=True)
class Profile:
    """A run of a model. source: the file. kind: its format. rows: in the order of their start.
    named: whether calls have the names of nodes, or of tensors. remarks: what is to be known of it.
    capability: the compute capability of the GPU, where the format says it. of_one_run: whether the
    rows are of one run for sure; else they may be of several. threads: how many it ran on, on a
    CPU, where the format says it.
    """

    source: str
    kind: str
    rows: Sequence[Row]
    named: bool = False
    remarks: Sequence[str] = field(default_factory=tuple[str, ...])
    capability: tuple[int, int] | None = None
    of_one_run: bool = True
    threads: int | None = None

    @property
    def total_us(self) -> float:
        """The time of all calls."""
        return sum(row.us for row in self.rows)

    def obstacle(self, chip: Arch) -> str:
        """Return why what it takes is not compared with a chip; empty where it is. That of a GPU
        has kernels.
        """
        on_gpu = isinstance(chip, GpuArch)
        if self.kind == "dlc-run":
            return ""
        if any(row.kernels for row in self.rows) != on_gpu:
            return f"it has {'no ' if on_gpu else ''}kernels of a GPU"
        if not on_gpu or self.capability in (None, own := chip.compute_capability[:2]):
            return ""
        other, wanted = (".".join(map(str, each)) for each in (self.capability, own))
        return f"it is of a GPU of compute capability {other}, and {chip.name} has {wanted}"

    def note(self, chip: Arch) -> str:
        """Return what is to be known when it is compared with a chip; empty where nothing is."""
        if self.threads is None or not isinstance(chip, CpuArch) or self.threads == chip.cores:
            return ""
        here = counted(chip.cores, "core")
        return (
            f"it was measured on {counted(self.threads, 'thread')}, and {chip.name} has {here}: "
            "with as many threads it may take another time"
        )
