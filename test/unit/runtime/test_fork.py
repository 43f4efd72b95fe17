"""Processes that are forked from one that has a model."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from small_artifact import COUNT_THREADS, build

BEGIN = """
import multiprocessing
import os
import sys
import threading

import numpy as np

from dlc.runtime.model import Model

x = np.arange(6, dtype=np.float32).reshape(2, 3)
wanted = 2 * x.ravel() + np.arange(6, dtype=np.float32) * 10


def is_right(model, shift=0):
    return np.array_equal(model(x + shift)[0], wanted + 2 * shift)


def in_child(work):
    child = os.fork()
    if child == 0:
        os._exit(0 if work() else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


model = Model(sys.argv[1])
"""

SCRIPTS = {
    "after_a_run": """
assert is_right(model)
for _ in range(3):
    assert in_child(lambda: all(is_right(model, k) for k in range(20)))
assert is_right(model)
""",
    "before_a_run": """
assert in_child(lambda: is_right(model))
assert is_right(model)
""",
    "while_another_thread_runs": """
done = threading.Event()


def run():
    while not done.is_set():
        assert is_right(model)


threads = [threading.Thread(target=run) for _ in range(3)]
for thread in threads:
    thread.start()
for _ in range(40):
    assert in_child(lambda: all(is_right(model, k) for k in range(5)))
done.set()
for thread in threads:
    thread.join()
assert is_right(model)
""",
    "of_a_forked_child": """
assert is_right(model)
assert in_child(lambda: is_right(model) and in_child(lambda: is_right(model)))
""",
    "that_loads_another_model": """
assert is_right(model)
assert in_child(lambda: is_right(Model(sys.argv[2])))
""",
    "of_a_pool": """
def work(shift):
    return is_right(model, shift)


assert is_right(model)
with multiprocessing.get_context("fork").Pool(3) as pool:
    assert all(pool.map(work, range(60)))
assert is_right(model)
""",
}


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("fork")
    return [build(folder / "one.so"), build(folder / "two.so", note="another library")]


def run_script(script: str, arguments: list[Path]) -> None:
    subprocess.run(
        [sys.executable, "-c", BEGIN + script, *arguments],
        env=os.environ | {"OMP_NUM_THREADS": "4"},
        timeout=100,
        check=True,
    )


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS.keys())
def test_a_child_runs_the_model(artifacts: list[Path], script: str) -> None:
    run_script(script, artifacts)


THREADS = """
def are(threads):
    return set(model(x)[0].tolist()) == {threads}


assert are(4)
for threads in (1, 3, 5):
    model._library.set_threads(model._handle, threads)
    assert are(threads)
    assert in_child(lambda: are(1))
model._library.set_threads(model._handle, 0)
assert are(4)
"""


def test_a_model_takes_the_threads_that_are_set_and_a_child_one(tmp_path: Path) -> None:
    run_script(THREADS, [build(tmp_path / "threads.so", kernel=COUNT_THREADS)])
