"""The division does not depend on the order of sets, which differs from process to process."""

import os
import subprocess
import sys

import pytest

from dlc.search import names

PROGRAM = """
import sys
from random_flows import random_flow
from dlc import arch
from dlc.plan import Planner
from dlc.search import by_name
for seed in range(4):
    flow = random_flow(seed)
    found = by_name(sys.argv[1])(flow, Planner(arch.by_name("sm_90a")))
    print([found.clusters[n].places for n in found.order()])
"""


def divisions(search: str, hash_seed: str) -> str:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, search],
        env={**environment, "PYTHONHASHSEED": hash_seed},
        check=True,
        capture_output=True,
        text=True,
    ).stdout


@pytest.mark.parametrize("search", names())
def test_two_processes_find_the_same(search: str) -> None:
    first, second = (divisions(search, seed) for seed in ("1", "2"))
    assert first.count("[") == 4
    assert first == second
