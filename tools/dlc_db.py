"""``dlc-db``: shows, merges, exports and prunes the database of measured times.

Exit code 0: done. 1: a file is at fault, and standard error says why. 2: a wrong command line.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from dlc import __version__
from dlc.compiler.identity import OWN_VERSION
from dlc.core.cache import write_atomically
from dlc.errors import CompileError, counted
from dlc.tools._command import SUCCESS, CommandParser, run_command
from dlc.tools._terminal import show
from dlc.tuning.database import Database, default_path
from dlc.tuning.exchange import export_text, is_export, read_rows
from dlc.tuning.measurement import Measurement, Row, check_date

_STANDARD_OUTPUT = Path("-")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``dlc-db`` and return its exit code."""
    given = _parser().parse_args(arguments)
    return run_command("dlc-db", lambda: _COMMANDS[given.command](given))


def _parser() -> argparse.ArgumentParser:
    purpose = "Look after the database of measured times that dlc-compile --tune fills."
    parser = CommandParser("dlc-db", description=purpose, allow_abbrev=False)
    where = "default: tuning.db in $DLC_CACHE_DIR, else in $XDG_CACHE_HOME/dlc or ~/.cache/dlc"
    parser.add_argument("--database", type=Path, metavar="FILE", help=where)
    parser.add_argument("--version", action="version", version=f"dlc {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    found = commands.add_parser("show", help="list what was measured, the fastest first")
    found.add_argument("--group", default="", metavar="KEY", help="only groups of this key")
    merge = commands.add_parser("merge", help="add what other databases or exports hold")
    merge.add_argument("files", nargs="+", type=Path, metavar="FILE")
    export = commands.add_parser("export", help="write everything as lines of JSON")
    export.add_argument("file", type=Path, metavar="FILE", help="-: to standard output")
    prune = commands.add_parser("prune", help="delete what other versions of dlc measured")
    prune.add_argument(
        "--before", type=_day, metavar="2026-01-31", help="and what was measured before this day"
    )
    prune.add_argument(
        "--noisy", action="store_true", help="and what varied by more than its median"
    )
    return parser


def _day(text: str) -> str:
    try:
        check_date(f"{text}T00:00:00Z")
    except CompileError:
        raise argparse.ArgumentTypeError(f"{text!r} is no day like 2026-01-31") from None
    return text


def _existing(given: argparse.Namespace) -> Database:
    path = given.database or default_path()
    if not path.exists():
        raise CompileError(
            "there is no tuning database; dlc-compile --tune makes one", at=str(path)
        )
    return Database(path)


def _show(given: argparse.Namespace) -> int:
    with _existing(given) as database:
        rows = [r for r in database.rows() if r.subject.group.startswith(given.group)]
    for line in _lines(rows):
        show(line)
    return SUCCESS


def _lines(rows: Sequence[Row]) -> Iterator[str]:
    """Yield for each group a line and one for each of its schedules."""
    for (place, group), found in groupby(rows, lambda r: (r.subject.place, r.subject.group)):
        ordered = sorted(found, key=_rank)
        tools = ", ".join(filter(None, (place.driver, place.compiler, place.version)))
        yield f"{group} {ordered[0].measurement.title} on {place.chip} ({tools})"
        for row in ordered:
            time = row.measurement
            yield f"  {_time_text(time)}, {time.date}: {row.subject.schedule}"
    yield f"{counted(len(rows), 'measurement')}"


def _rank(row: Row) -> tuple[bool, float, str]:
    return bool(row.measurement.fault), row.measurement.median_s, row.subject.schedule


def _time_text(found: Measurement) -> str:
    if found.fault:
        return f"not built ({found.fault})"
    times = f"{1e6 * found.median_s:.2f} us ± {1e6 * found.spread_s:.2f}"
    return f"{times}, median of {found.count}"


def _merge(given: argparse.Namespace) -> int:
    rows = [row for file in given.files for row in read_rows(file)]
    with Database(given.database or default_path()) as database:
        added = database.merge(rows)
        show(f"{database.path}: {added} of {counted(len(rows), 'measurement')} added")
    return SUCCESS


def _export(given: argparse.Namespace) -> int:
    with _existing(given) as database:
        rows = database.rows()
    if given.file == _STANDARD_OUTPUT:
        sys.stdout.write(export_text(rows))
        return SUCCESS
    if given.file.exists() and not is_export(given.file):
        raise CompileError("is there and is no export; give another file", at=str(given.file))
    write_atomically(given.file, export_text(rows).encode())
    show(f"{given.file}: {counted(len(rows), 'measurement')} written")
    return SUCCESS


def _prune(given: argparse.Namespace) -> int:
    with _existing(given) as database:
        rows = database.rows()
        noisy = [row for row in rows if given.noisy and row.measurement.is_noisy]
        gone = dict.fromkeys([*noisy, *(r for r in rows if _is_old(r, given.before or ""))])
        show(f"{database.path}: {counted(database.delete(gone), 'measurement')} deleted")
    return SUCCESS


def _is_old(row: Row, before: str) -> bool:
    return row.subject.place.version != OWN_VERSION or row.measurement.date < before


_COMMANDS: Mapping[str, Callable[[argparse.Namespace], int]] = {
    "show": _show,
    "merge": _merge,
    "export": _export,
    "prune": _prune,
}

if __name__ == "__main__":
    sys.exit(main())
