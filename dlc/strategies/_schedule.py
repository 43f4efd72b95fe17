"""What all schedules have: keys with types, defaults and checks, and their text.

A schedule is a frozen dataclass for one strategy on one kind of chip. Its fields are the keys of
``#loop.schedule<strategy = "map", target = "gpu", threads = 256, vector = 4>``, in that order, and
their defaults stand nowhere else.
"""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import ClassVar, Self

from dlc import libraries
from dlc.arch import Arch, CpuArch, GpuArch
from dlc.dialects.loop.attributes import ScheduleAttr
from dlc.errors import CompileError
from dlc.ir.record import Value, text_of
from dlc.model.violation import Resource
from dlc.strategies._key import Key

TARGETS: Mapping[str, type[Arch]] = {"gpu": GpuArch, "cpu": CpuArch}
"""The kinds of chips that schedules are for."""

_NAMES = ("strategy", "target", "library", "algorithm")


def target_of(arch: Arch) -> str:
    """Return which kind of chip ``arch`` is."""
    return next(name for name, kind in TARGETS.items() if isinstance(arch, kind))


@dataclass(frozen=True)
class Schedule:
    """How a group is lowered on one kind of chip.

    A subclass says which: ``class MapOnGpu(Schedule, strategy="map", target="gpu")``. A class that
    several of them have in common says neither.
    """

    strategy: ClassVar[str]
    target: ClassVar[str]

    library: str = field(default="", kw_only=True)
    """The library that computes the group where it is found (``dlc.libraries``); the rest is the
    schedule of the kernel that runs where it is not. Without one the key is left out.
    """

    algorithm: int = field(default=0, kw_only=True)
    """Which of the algorithms of the library runs, from that on which it thinks best (0); left out
    where it is 0.
    """

    def __init_subclass__(cls, strategy: str = "", target: str = "") -> None:
        cls.strategy, cls.target = strategy, target

    @property
    def remedies(self) -> Mapping[Resource, str]:
        """What to do where a schedule takes more of something than the chip has, in words; of each
        thing that one of this kind can take too much of.
        """
        return {}

    @property
    def blocks_per_tile(self) -> int:
        """The consecutive blocks of the grid that make one tile of the result together."""
        return 1

    @property
    def stage_threads(self) -> int:
        """The threads of a block of one kernel that does nothing but this: such a one may be a
        stage of a larger kernel. 0 where it may not: its blocks wait for each other, or its threads
        have roles; of a strategy that does not say, always.
        """
        return 0

    @classmethod
    def may_be_stage(cls) -> bool:
        """Whether some of these schedules may be those of stages."""
        return cls.stage_threads is not Schedule.stage_threads

    @property
    def thrift(self) -> tuple[int, ...]:
        """What decides between schedules that take equally long: the least goes first."""
        return ()

    @property
    def needs(self) -> Mapping[str, str]:
        """The capabilities of a chip that keys need, by the keys' text (``producers = 4``)."""
        return {}

    def check(self) -> None:
        """Raise CompileError for keys that do not fit each other."""

    def check_chip(self, arch: GpuArch) -> None:
        """Raise CompileError for a key that needs what a chip has not."""
        for key, capability in self.needs.items():
            if capability not in arch.capabilities:
                raise CompileError(
                    f"{key} needs {capability}, which {arch.target} has not; "
                    f"leave {key.split()[0]} out"
                )

    @classmethod
    def keys(cls) -> dict[str, Key]:
        """Return what each key of the strategy may hold, by its name."""
        return {each.name: each.metadata["key"] for each in fields(cls) if each.metadata}

    @classmethod
    def default_of(cls, name: str) -> Value | None:
        """Return what a text without a key means; ``None`` where the key must be there."""
        default = next(each.default for each in fields(cls) if each.name == name)
        return None if default is MISSING else default

    @classmethod
    def read(cls, record: Mapping[str, Value]) -> Self:
        """Return the schedule that a text has.

        Raises CompileError for a key that is missing, unknown or wrong.
        """
        keys = cls.keys()
        for name in record:
            if name not in keys and name not in _NAMES:
                takes = ", ".join(keys)
                raise CompileError(f"schedule key {name} is unknown; {cls.title()} has {takes}")
        values = {name: cls._value(name, key, record) for name, key in keys.items()}
        schedule = cls(**values, library=cls._library(record), algorithm=cls._algorithm(record))
        schedule.check()
        return schedule

    @classmethod
    def _value(cls, name: str, key: Key, record: Mapping[str, Value]) -> Value:
        value = record.get(name, cls.default_of(name))
        if value is None:
            raise CompileError(f"schedule key {name} is missing; it is {key.wanted}")
        key.check(name, value)
        return value

    @classmethod
    def _library(cls, record: Mapping[str, Value]) -> str:
        if "library" not in record:
            return ""
        library = libraries.by_name(str(record["library"]))
        if library.target != cls.target:
            raise CompileError(f"library {library.name} is for a {library.target.upper()}")
        return library.name

    @classmethod
    def _algorithm(cls, record: Mapping[str, Value]) -> int:
        number, name = record.get("algorithm", 0), str(record.get("library", ""))
        if "algorithm" in record and not name:
            raise CompileError("schedule key algorithm is one of a library; name that, too")
        if type(number) is not int or number < 0:  # how many there are depends on the group
            text = text_of(number)
            raise CompileError(f"schedule key algorithm should be an integer from 0, is {text}")
        return number

    @classmethod
    def title(cls) -> str:
        """Return the words for schedules of this kind in an error."""
        return f"{cls.strategy} on a {cls.target.upper()}"

    def attribute(self) -> ScheduleAttr:
        """Return the schedule as the IR has it."""
        names = (("strategy", self.strategy), ("target", self.target))
        named = (("library", self.library), ("algorithm", self.algorithm))
        called = ((name, value) for name, value in named if value)
        keys = ((each, getattr(self, each)) for each in self.keys())
        return ScheduleAttr((*names, *keys, *called))
