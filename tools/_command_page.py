"""The page of the commands: its prose is written by hand, the options are what ``--help`` says."""

import os
import re
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout, suppress
from io import StringIO
from pathlib import Path

from dlc.tools import dlc_analyze, dlc_bench, dlc_compile, dlc_db, dlc_opt, dlc_run

_COLUMNS = "100"
_MAINS: dict[str, Callable[[Sequence[str]], int]] = {
    "dlc-compile": dlc_compile.main,
    "dlc-run": dlc_run.main,
    "dlc-opt": dlc_opt.main,
    "dlc-db": dlc_db.main,
    "dlc-bench": dlc_bench.main,
    "dlc-analyze": dlc_analyze.main,
}
_BLOCK = re.compile(r"(<!-- ([\w-]+) --help -->\n).*?(<!-- end -->\n)", re.S)


def command_page(page: Path) -> str:
    """Return the text of a page with each block ``<!-- COMMAND --help -->`` written anew."""

    def block(match: re.Match[str]) -> str:
        return f"{match[1]}```text\n{_help(match[2])}```\n{match[3]}"

    return _BLOCK.sub(block, page.read_text())


def _help(command: str) -> str:
    text, before = StringIO(), os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = _COLUMNS  # argparse wraps its lines at it
    try:
        with redirect_stdout(text), suppress(SystemExit):
            _MAINS[command](["--help"])
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before
    return text.getvalue()
