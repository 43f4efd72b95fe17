"""Arguments that say how a model is divided into kernels, and what may compute them."""

import argparse

from dlc import libraries
from dlc.compiler.options import DEFAULT_SEARCH, SEARCHES


def add_search(parser: argparse.ArgumentParser) -> None:
    """Add ``--search``."""
    parser.add_argument(
        "--search",
        choices=SEARCHES,
        help="how operations are divided into kernels: greedy merges neighbours; beam and dp take "
        "some seconds more, and also join operations that stand apart; evolve begins with the "
        "groups of dp and tries changes, by measured times where schedules are measured; default: "
        f"{DEFAULT_SEARCH}",
    )


def add_libraries(parser: argparse.ArgumentParser) -> None:
    """Add ``--libraries``, whose value is a tuple of names."""
    parser.add_argument(
        "--libraries",
        type=_libraries,
        default=(),
        metavar="NAME[,NAME...]",
        help="let these compute operations where that takes less time; without them at run time, "
        f"generated kernels run: {', '.join(libraries.names())}; default: none",
    )


def _libraries(text: str) -> tuple[str, ...]:
    return () if text == "none" else tuple(text.split(","))
