"""``dlc-run --explain``."""

import argparse
import json

from dlc.report.compiles.page import page
from dlc.runtime.model import Model
from dlc.runtime.profile import Profile


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what is given for an explanation."""
    add = parser.add_argument_group("explanation").add_argument
    add("--explain", action="store_true", help="print what the compiler decided for each kernel")
    add(
        "--emit",
        choices=("text", "html"),
        help="--explain: what to print; html is one page with charts, which needs no network, with "
        "--profile of the times that were measured; default: text",
    )


def explanation(model: Model, given: argparse.Namespace, found: Profile | None) -> str:
    """Return what is printed. found: the times of ``--profile``, which are of one target."""
    if given.json:
        return json.dumps(model.report)
    if found is not None and given.emit == "html" and len(model.report["variants"]) == 1:
        return page(model.report, found.steps).rstrip("\n")
    return model.explain(given.emit or "text").rstrip("\n")
