"""What a loop may be, and the decisions that ``tile`` writes."""

from typing import Any, ClassVar, Generic, TypeVar

from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Data, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum

from dlc.errors import CompileError
from dlc.ir.record import RecordAttr, Value


class LoopKind(StrEnum):
    """What may be assumed about the iterations of a loop."""

    PARALLEL = "parallel"
    """They are independent and have no order."""
    REDUCTION = "reduction"
    """They combine into the carried values; the combination may be reordered."""


class LoopMap(StrEnum):
    """Who runs the iterations of a loop."""

    SERIAL = "serial"
    UNROLL = "unroll"
    VECTOR = "vector"
    """The lanes of a SIMD instruction (CPU)."""
    CORES = "cores"
    """The threads of a run (CPU); loops directly inside each other form one space."""
    GRID = "grid"
    """The thread blocks of the launch (GPU)."""
    THREAD = "thread"
    """The threads of a block, or of a team of a loop around."""


class CombineScope(StrEnum):
    """Among whom ``loop.combine`` combines."""

    TEAM = "team"
    BLOCK = "block"
    CLUSTER = "cluster"


class BarrierScope(StrEnum):
    """Who waits for whom at ``loop.barrier``."""

    BLOCK = "block"
    CLUSTER = "cluster"
    GRID = "grid"


E = TypeVar("E", bound=StrEnum)


class _WordAttr(Data[E], Generic[E]):
    """An attribute that is one word of an enumeration: ``#loop.space<shared>``."""

    WORDS: ClassVar[type[StrEnum]]

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> E:
        with parser.in_angle_brackets():
            word: Any = parser.parse_str_enum(cls.WORDS)  # of E, which ClassVar cannot say
            return word

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{self.data.value}>")


@irdl_attr_definition
class KindAttr(_WordAttr[LoopKind]):
    """The kind of a loop: ``#loop.kind<reduction>``."""

    name = "loop.kind"
    WORDS = LoopKind


@irdl_attr_definition
class MapAttr(_WordAttr[LoopMap]):
    """The mapping of a loop: ``#loop.map<grid>``."""

    name = "loop.map"
    WORDS = LoopMap


@irdl_attr_definition
class CombineScopeAttr(_WordAttr[CombineScope]):
    """Among whom values are combined: ``#loop.combine_scope<team>``."""

    name = "loop.combine_scope"
    WORDS = CombineScope


@irdl_attr_definition
class BarrierScopeAttr(EnumAttribute[BarrierScope], SpacedOpaqueSyntaxAttribute):
    """Who waits for whom: ``block``, ``cluster`` or ``grid``."""

    name = "loop.barrier_scope"


@irdl_attr_definition
class ScheduleAttr(RecordAttr):
    """How a group is lowered; ``strategy`` and ``target`` say which other keys there are.

    ``#loop.schedule<strategy = "map", target = "gpu", threads = 256, vector = 4>``
    """

    name = "loop.schedule"


@irdl_attr_definition
class BoundAttr(RecordAttr):
    """What the architecture model says about a schedule.

    ``#loop.bound<time_us = 2.9, global = 0.61>``
    """

    name = "loop.bound"


@irdl_attr_definition
class MeasuredAttr(RecordAttr):
    """How long a kernel took with its schedule where it was measured: the median of ``count`` runs,
    and half the distance between their quartiles.

    ``#loop.measured<time_us = 3.42, spread_us = 0.03, count = 50>``
    """

    name = "loop.measured"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[tuple[str, Value], ...]:
        start = parser.pos
        record = super().parse_parameter(parser)
        if [name for name, _ in record] != ["time_us", "spread_us", "count"]:
            parser.raise_error(f"{cls.name} has time_us, spread_us and count, in this order", start)
        (_, time), (_, spread), (_, count) = record
        times = isinstance(time, float) and isinstance(spread, float) and time > 0 <= spread
        if not times or type(count) is not int or count <= 0:
            parser.raise_error(f"{cls.name} holds a time, its spread and a count above 0", start)
        return record


@irdl_attr_definition
class CallAttr(RecordAttr):
    """The call of a library that computes what a kernel computes; other keys are the library's own.

    ``buffers``: those of the kernel that the call takes, by number. ``count``: of iterations, which
    threads of a CPU share; each calls ``function`` for its own. ``workspace``: the bytes of scratch
    that the call takes besides, the last scratch buffer of the kernel; left out where it is 0.

    ``#loop.call<library = "openblas", function = "cblas_sgemm", buffers = [0, 1, 2], count = 64>``
    """

    name = "loop.call"

    @property
    def library(self) -> str:
        """The name of the library."""
        return self.get("library", "")

    @property
    def function(self) -> str:
        """The function that is called."""
        return self.get("function", "")

    @property
    def buffers(self) -> tuple[int, ...]:
        """The numbers of the buffers that the call takes, in its order."""
        given: tuple[Value, ...] = self.get("buffers", ())
        found = tuple(number for number in given if type(number) is int)
        if len(found) < len(given):
            raise CompileError(f"{self.name} buffers should be numbers of buffers")
        return found

    @property
    def count(self) -> int:
        """The iterations that threads share."""
        return self.get("count", 0)

    @property
    def workspace(self) -> int:
        """The bytes of the scratch buffer of the call, 0 where it has none."""
        return self.get("workspace", 0)
