"""Calls that a child process answers, whatever becomes of it."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Never

import numpy as np
import pytest

from dlc.core.child import Child, CrashError, OverdueError
from dlc.errors import InputError


def fail(argument: Any) -> Never:
    raise InputError(f"no {argument}", at="there")


def kill(number: int) -> None:
    os.kill(os.getpid(), number)


def sleep_or_say_who(seconds: int) -> int:
    time.sleep(seconds)
    return os.getpid()


def begin(answer: Callable[[Any], Any]) -> Callable[[], Callable[[Any], Any]]:
    return lambda: answer


def test_answers_come_from_another_process() -> None:
    with Child(begin(lambda x: (os.getpid(), x * 2))) as child:
        first, doubled = child(np.arange(3))
        second, _ = child(1)
    assert first == second != os.getpid()
    assert doubled.tolist() == [0, 2, 4]


def test_errors_come_back_and_the_child_goes_on() -> None:
    with Child(begin(fail)) as child:
        for name in ("a", "b"):
            with pytest.raises(InputError, match=f"^there: no {name}$"):
                child(name)


def test_an_error_at_the_beginning_comes_back() -> None:
    with pytest.raises(InputError, match="no 1"):
        Child(lambda: fail(1))


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGFPE, signal.SIGABRT])
def test_a_crash_is_an_error_that_names_the_signal(number: signal.Signals) -> None:
    with Child(begin(kill)) as child, pytest.raises(CrashError, match=number.name):
        child(number)


def test_what_does_not_answer_in_time_is_ended() -> None:
    with Child(begin(sleep_or_say_who), seconds=1) as child:
        number = child(0)
        os.kill(number, 0)
        with pytest.raises(OverdueError, match=r"did not end within 1 s"):
            child(1000)
        with pytest.raises(ProcessLookupError):
            os.kill(number, 0)


def test_no_process_is_left() -> None:
    with Child(begin(lambda _: os.getpid())) as child:
        pid = child(None)
    assert not Path(f"/proc/{pid}").exists()


def test_the_child_does_nothing_at_its_end(capfd: pytest.CaptureFixture[str]) -> None:
    print("once", end="")
    with Child(begin(lambda x: x)) as child:
        child(0)
    assert capfd.readouterr().out == "once"
