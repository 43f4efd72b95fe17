"""The threads of a run on the CPU: each iteration of a loop is done once, whoever runs or not."""

import os
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from dlc.core.c_compiler import find_c_compiler
from dlc.runtime.native import native_headers, native_text

CHECK = Path(__file__).with_name("threads_check.c")
NEVER = ("-Dpthread_create=never_started", "-Dpthread_join=never_joined")
"""No thread of a team ever runs."""
PLACED = (
    "-Dsched_getcpu=own_cpu",
    "-Dsched_getaffinity=two_cpus",
    "-Dsched_setaffinity=move",
)
"""The program says on which CPU threads are, and sees where they go."""


def build(folder: Path, text: str, *flags: str) -> Path:
    for name, header in native_headers().items():
        (folder / name).write_text(header)
    (folder / "threads.c").write_text(text)
    program = folder / "check"
    command = [*find_c_compiler().command, "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror"]
    sources = [str(folder / "threads.c"), str(CHECK)]
    command += [f"-I{folder}", *flags, *sources, "-pthread", "-o", str(program)]
    subprocess.run(command, check=True)
    return program


def run(program: Path, threads: int, loops: int, cpus: set[int], timeout_s: int = 100) -> int:
    command = [str(program), str(threads), str(loops), "17"]
    return subprocess.run(
        command, timeout=timeout_s, preexec_fn=lambda: os.sched_setaffinity(0, cpus)
    ).returncode


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_each_iteration_is_done_once(tmp_path: Path, threads: int) -> None:
    program = build(tmp_path, native_text("threads.c"))
    assert run(program, threads, 5000, os.sched_getaffinity(0)) == 0


def test_more_threads_than_cores_get_done(tmp_path: Path) -> None:
    program = build(tmp_path, native_text("threads.c"))
    assert run(program, 3, 5000, {min(os.sched_getaffinity(0))}) == 0


def test_a_thread_that_never_runs_holds_nobody_up(tmp_path: Path) -> None:
    program = build(tmp_path, native_text("threads.c"), *NEVER)
    assert run(program, 3, 5000, os.sched_getaffinity(0)) == 0


def run_placed(folder: Path, text: str, cpu_of_others: int) -> int:
    """Run on one CPU, where the caller has done the shares of threads before they run."""
    program = build(folder, text, *PLACED, f"-DCPU_OF_OTHERS={cpu_of_others}")
    return run(program, 2, 5000, {min(os.sched_getaffinity(0))})


def test_a_thread_whose_share_is_done_leaves_the_callers_cpu(tmp_path: Path) -> None:
    assert run_placed(tmp_path, native_text("threads.c"), cpu_of_others=0) == 0


def test_a_thread_on_another_cpu_stays(tmp_path: Path) -> None:
    assert run_placed(tmp_path, native_text("threads.c"), cpu_of_others=1) == 0


def faulty(old: str, new: str) -> str:
    text = native_text("threads.c")
    assert text.count(old) == 1
    return text.replace(old, new)


FAULTS = {
    "the caller's share is another thread's, too": (
        "    if (!begin(&team->members[i], loop)) continue;",
        "    if (0) continue;",
        (),
    ),
    "what is left over of a division is nobody's": (
        "int64_t end = first + each + (number < more);",
        "int64_t end = first + each;",
        NEVER,
    ),
    "a nested loop takes the threads of the outer one": ("own_team = NULL; /*", "/*", NEVER),
}


@pytest.mark.parametrize(("old", "new", "flags"), FAULTS.values(), ids=FAULTS.keys())
def test_faults_are_noticed(tmp_path: Path, old: str, new: str, flags: tuple[str, ...]) -> None:
    program = build(tmp_path, faulty(old, new), *flags)
    with suppress(subprocess.TimeoutExpired):
        assert run(program, 3, 20000, os.sched_getaffinity(0), timeout_s=20) != 0


def test_a_caller_that_takes_nothing_over_waits_for_ever(tmp_path: Path) -> None:
    program = build(
        tmp_path, faulty("  take_what_is_left(team, loop);\n", ""), *NEVER, "-Wno-error"
    )
    with pytest.raises(subprocess.TimeoutExpired):
        run(program, 3, 20, os.sched_getaffinity(0), timeout_s=5)


@pytest.mark.parametrize(
    ("old", "new", "cpu_of_others"),
    [
        ("cpu != sched_getcpu() ||", "cpu < -1 ||", 1),
        ("  CPU_CLR(cpu, &others);\n", "", 0),
        ("sched_setaffinity(0, sizeof usual, &usual);", "(void)usual;", 0),
    ],
    ids=["threads elsewhere move", "a thread may stay", "a thread is not let go"],
)
def test_wrong_moves_are_noticed(tmp_path: Path, old: str, new: str, cpu_of_others: int) -> None:
    assert run_placed(tmp_path, faulty(old, new), cpu_of_others) != 0
