"""``python test/mutation``: how many of the seeded bugs default verification catches.

python test/mutation [--only NAME ...] [--area AREA] [--target cpu] [--jobs 2] [--json FILE]
"""

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "fuzz"), str(HERE.parents[1])]

from campaign import Result, run_campaign  # noqa: E402  (the path is set above)
from mutant import TARGETS, Mutant  # noqa: E402  (as above)
from mutants import ALL  # noqa: E402  (as above)


def main() -> int:
    """Run the campaign and print its table."""
    parser = argparse.ArgumentParser("python test/mutation")
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="these mutants")
    parser.add_argument("--area", help="the mutants of this area")
    parser.add_argument("--target", choices=TARGETS, help="this target alone")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--json", type=Path, help="write all results to this file")
    given = parser.parse_args()
    mutants = [m for m in ALL if _is_wanted(m, given.only, given.area)]
    results: list[Result] = []
    for result in run_campaign(mutants, [given.target] if given.target else TARGETS, given.jobs):
        results.append(result)
        print(_line(result), flush=True)
    print(table(results))
    print(*misses(results), sep="\n")
    if given.json:
        given.json.write_text(json.dumps([asdict(r) for r in results], indent=1) + "\n")
    return 0


def _is_wanted(mutant: Mutant, names: Sequence[str], area: str | None) -> bool:
    return (not names or mutant.name in names) and area in (None, mutant.area)


def _line(result: Result) -> str:
    said = result.message if result.verdict in ("caught", "stopped") else result.effect
    return f"{result.target:7} {result.verdict:9} {result.mutant}: {said}"[:200]


def table(results: Sequence[Result]) -> str:
    """Return how many bugs that have an effect were caught, by area and target."""
    lines = [f"{'area':20} " + " ".join(f"{target:>12}" for target in TARGETS)]
    areas = list(dict.fromkeys(r.area for r in results))
    for area in (*areas, "all"):
        own = [r for r in results if area in (r.area, "all")]
        cells = [_share([r for r in own if r.target == target]) for target in TARGETS]
        lines.append(f"{area:20} " + " ".join(f"{cell:>12}" for cell in cells))
    return "\n".join(lines)


def misses(results: Sequence[Result]) -> list[str]:
    """Return a line for each bug that was not caught, with the test that catches it."""
    missed = [result for result in results if result.verdict == "missed"]
    by_test = {mutant.name for mutant in ALL if "cpu" in mutant.targets}
    tests = {True: "test/mutation/test_control.py", False: "no test"}
    return [f"missed: {r.mutant} for {r.target} ({tests[r.mutant in by_test]})" for r in missed]


def _share(results: Sequence[Result]) -> str:
    counts = Counter(r.verdict for r in results)
    bugs = counts["caught"] + counts["missed"]
    return f"{counts['caught']} of {bugs}" if bugs else "-"


if __name__ == "__main__":
    sys.exit(main())
