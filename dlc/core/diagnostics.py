"""Errors as users see them, and MLIR's check that the announced ones come (``expected-error``)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.utils.exceptions import DiagnosticException, ParseError

from dlc.core.locations import location_text, place
from dlc.core.verify import Fault, InvalidModule
from dlc.errors import CompileError, printable


@dataclass(frozen=True)
class Diagnostic:
    """One error.

    message: lower case, one line. place: ``file:line:column`` or the name of a node. line, column:
    from 1, when the place is in the text that was read.
    """

    message: str
    place: str | None = None
    line: int | None = None
    column: int | None = None

    def text(self, source: str | None = None) -> str:
        """Return ``place: error: message`` and, with the text it is about, the line and a caret."""
        text = f"{self.place}: error: {self.message}" if self.place else f"error: {self.message}"
        head = printable(text)
        if source is None or self.line is None or self.column is None:
            return head
        lines = source.split("\n")
        if self.line > len(lines):
            return head
        return f"{head}\n{lines[self.line - 1]}\n{' ' * (self.column - 1)}^"


def diagnostics_of(error: Exception) -> list[Diagnostic] | None:
    """Return what to tell the user, or ``None`` if the error is a fault of the compiler itself."""
    match error:
        case ParseError():
            return [_of_parse_error(error)]
        case InvalidModule():
            return [_of_fault(fault) for fault in error.faults]
        case CompileError():
            return [_of_compile_error(error)]
        case DiagnosticException():
            return [Diagnostic(str(error).strip())]
        case RecursionError():
            return [Diagnostic("the program is nested too deeply")]
        case _:
            return None


def _of_parse_error(error: ParseError) -> Diagnostic:
    where = error.span.get_location()
    message = error.msg.strip().rstrip(".!")  # in the form of our own and of MLIR's errors
    return Diagnostic(message[:1].lower() + message[1:], str(where), where.line, where.col)


def _of_fault(fault: Fault) -> Diagnostic:
    where = place(fault.op.location)
    return Diagnostic(
        fault.message,
        location_text(fault.op.location),
        where.line.data if where else None,
        where.column.data if where else None,
    )


_PLACE = re.compile(r"(?:(?P<op>\S+) at )?(?P<place>.+:(?P<line>\d+):(?P<column>\d+))")


def _of_compile_error(error: CompileError) -> Diagnostic:
    match = _PLACE.fullmatch(error.at or "")
    if match is None:
        return Diagnostic(error.message, error.at)
    op = match["op"]
    message = f"{op}: {error.message}" if op and op not in error.message else error.message
    return Diagnostic(message, match["place"], int(match["line"]), int(match["column"]))


_EXPECTED = re.compile(
    r"expected-(?P<kind>\w+?)(?P<regex>-re)?\s*"
    r"(?:@(?P<where>[+-]\d+|above|below|unknown))?\s*"
    r"(?P<count>\d+)?\s*\{\{(?P<text>.*?)\}\}"
)


@dataclass(frozen=True)
class Expected:
    """An announced error: part of its message (or a regular expression), and its line if it has
    one.
    """

    text: str
    is_regex: bool
    line: int | None
    announced_on: int

    def matches(self, found: Diagnostic) -> bool:
        """Whether this announces ``found``."""
        if found.line != self.line:
            return False
        if self.is_regex:
            return re.search(self.text, found.message) is not None
        return self.text in found.message


def expected_errors(text: str) -> list[Expected]:
    """Return the errors announced in a text by ``expected-error [@place] {{message}}``.

    place is ``+N``, ``-N``, ``above``, ``below`` (the nearest line without an announcement) or
    ``unknown``; without one it is the same line. ``expected-error-re`` takes ``{{...}}`` as a
    regular expression. Raises CompileError for another kind: dlc reports only errors.
    """
    lines = text.split("\n")
    announcing = {n for n, line in enumerate(lines, 1) if _EXPECTED.search(line)}
    return [e for n in sorted(announcing) for e in _on_line(lines[n - 1], n, announcing)]


def _on_line(line: str, number: int, announcing: set[int]) -> Iterator[Expected]:
    for match in _EXPECTED.finditer(line):
        if match["kind"] != "error":
            raise CompileError(
                f"line {number}: expected-{match['kind']} is not known; dlc reports only errors"
            )
        target = _target(number, match["where"], announcing)
        one = Expected(match["text"], match["regex"] is not None, target, number)
        yield from [one] * int(match["count"] or 1)


def _target(number: int, where: str | None, announcing: set[int]) -> int | None:
    match where:
        case None:
            return number
        case "unknown":
            return None
        case "above" | "below":
            step = 1 if where == "below" else -1
            while number in announcing:
                number += step
            return number
        case _:
            return number + int(where)


def compare(expected: list[Expected], found: list[Diagnostic]) -> list[Diagnostic]:
    """Return what is wrong: errors that came unannounced, and announced ones that did not come."""
    wrong: list[Diagnostic] = []
    open_ones = list(expected)
    for diagnostic in found:
        match = next((e for e in open_ones if e.matches(diagnostic)), None)
        if match is not None:
            open_ones.remove(match)
        else:
            where = diagnostic.place
            wrong.append(Diagnostic(f"unexpected error: {diagnostic.message}", where))
    wrong.extend(
        Diagnostic(f'expected error "{e.text}" was not produced', f"line {e.announced_on}")
        for e in open_ones
    )
    return wrong
