"""Lock files: the schedules that a compile chose, as text, for another compile to obey."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import ParseError

from dlc import libraries, registry
from dlc.analysis.entry import find_main, groups
from dlc.core.locations import operation_text
from dlc.core.parser import DlcParser
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.loop import MeasuredAttr, ScheduleAttr
from dlc.errors import CompileError
from dlc.tuning.kind import key_of

_HEAD = "dlc lock 1"
_SECOND = 2  # the number of the line behind the head
_ANY_HEAD = r"dlc lock \d+"
_LIBRARIES = re.compile(r"libraries (\w+(?:,\w+)*)")
_DIVISION = re.compile(r"division((?: \d{1,9})*)")
_TARGET = re.compile(r"target ([\w.-]+)")
_LINE = re.compile(r"([0-9a-f]{32}) (#loop\.schedule<.*>) (?:estimated|(#loop\.measured<.*>))")


@dataclass(frozen=True)
class Choice:
    """The schedule of a group, and its measured time where there is one."""

    schedule: ScheduleAttr
    measured: MeasuredAttr | None


@dataclass(frozen=True)
class Lock:
    """The choices of a lock file: by target, then by the structural key of a group.

    path: for errors. libraries: those that could compute groups. divisions: of the ops of each
    block into groups, by target, where the lock has them (``dlc.tuning.division``).
    """

    choices: Mapping[str, Mapping[str, Choice]]
    path: str
    libraries: tuple[str, ...] = ()
    divisions: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])

    def other_target(self, target: str) -> str:
        """Return what is wrong where the lock has nothing for a target."""
        return f"the lock is for {' and '.join(self.choices) or 'nothing'}, not for {target}"

    def write_on(self, module: ModuleOp, target: str) -> None:
        """Give the groups of a module their schedules.

        Raises CompileError where the lock has none for a group, or none for the target.
        """
        if target not in self.choices:
            raise CompileError(self.other_target(target), at=self.path)
        for group in groups(find_main(module)):
            choice = self.choices[target].get(key_of(group))
            if choice is None:
                raise CompileError(
                    f"the lock has no schedule for {operation_text(group)}; it was written for "
                    "another model, with other options or by another version of dlc",
                    at=self.path,
                )
            group.schedule, group.measured = choice.schedule, choice.measured


def lock_text(
    modules: Mapping[str, ModuleOp],
    called: Sequence[str] = (),
    divisions: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """Return the lock file of groups with their schedules, by target.

    called: the libraries that could compute groups; which groups there are depends on them.
    divisions: of the ops of each block, by target, where not ``greedy`` has found them.
    """
    allowed = [f"libraries {','.join(sorted(set(called)))}"] if called else []
    return "\n".join([_HEAD, *allowed, *_lines(modules, divisions or {}), ""])


def _lines(
    modules: Mapping[str, ModuleOp], divisions: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    for target, module in modules.items():
        yield f"target {target}"
        yield from (f"division {text}".rstrip() for text in divisions.get(target, ()))
        yield from dict.fromkeys(map(_line, groups(find_main(module))))


def _line(group: GroupOp) -> str:
    return f"{key_of(group)} {group.schedule} {group.measured or 'estimated'}"


def read_lock(text: str, path: str) -> Lock:
    """Return the lock of a text; raises CompileError with the line that is wrong."""
    head, *lines = text.splitlines() or [""]
    if head != _HEAD and re.fullmatch(_ANY_HEAD, head):
        raise CompileError(
            f"this is {head!r}, of another version of dlc; this one reads {_HEAD!r}", at=path
        )
    if head != _HEAD:
        raise CompileError(f"this is no lock file; its first line should be {_HEAD!r}", at=path)
    choices: dict[str, dict[str, Choice]] = {}
    current: dict[str, Choice] | None = None
    divisions: dict[str, list[str]] = {}
    allowed, target = tuple[str, ...](), ""
    for number, line in enumerate(lines, _SECOND):
        try:
            if found := _TARGET.fullmatch(line):
                current = choices.setdefault(target := found[1], {})
            elif (found := _DIVISION.fullmatch(line)) and current is not None:
                divisions.setdefault(target, []).append(found[1].strip())
            elif (found := _LIBRARIES.fullmatch(line)) and number == _SECOND:
                allowed = tuple(found[1].split(","))
                libraries.check_names(allowed)
            elif (found := _LINE.fullmatch(line)) and current is not None:
                _add(current, found[1], Choice(_schedule(found[2]), _measured(found[3])))
            else:
                raise CompileError(
                    "this is none of: a target, libraries with commas between, a division of "
                    "numbers, the choice for a group"
                )
        except CompileError as error:
            raise CompileError(error.message, at=f"{path}:{number}") from None
    return Lock(choices, path, allowed, divisions)


def _add(choices: dict[str, Choice], key: str, choice: Choice) -> None:
    if choices.setdefault(key, choice) != choice:
        raise CompileError("this group has another choice further up")


def _schedule(text: str) -> ScheduleAttr:
    found = _parse(text)
    assert isinstance(found, ScheduleAttr)
    return found


def _measured(text: str | None) -> MeasuredAttr | None:
    if text is None:
        return None
    found = _parse(text)
    assert isinstance(found, MeasuredAttr)
    return found


def _parse(text: str) -> object:
    try:
        found = DlcParser(registry.new_context(), text, "").parse_attribute()
    except ParseError as error:
        raise CompileError(error.msg) from None
    if str(found) != text:
        raise CompileError(f"this should be written as {found}")
    return found
