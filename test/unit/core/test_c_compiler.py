"""The C compiler as a guest: what it may take, and what is said when it fails."""

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from dlc.core.c_compiler import CCompiler, Source, find_c_compiler
from dlc.core.limited_process import Limits, run_limited
from dlc.errors import CompileError


def doubled(first: str, times: int) -> str:
    """Return macros of which the last stands for ``first``, 2^times of them."""
    lines = [f"#define m{n + 1} m{n} m{n}" for n in range(times)]
    return "\n".join([f"#define m0 {first}", *lines])


ENDLESS = doubled("", 60) + "\nm60\nint x;\n"
HUGE = doubled('"aaaaaaaaaaaaaaaa"', 30) + "\nconst char *text = m30;\n"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DLC_CACHE_DIR", str(tmp_path / "cache"))


def compiled(text: str, limits: Mapping[str, int] = {}) -> bytes:
    compiler = replace(find_c_compiler(), limits=replace(Limits(), **limits))
    (found,) = compiler.compile_objects([Source("g7.c", text)], {}, 1)
    return found


def test_text_that_compiles() -> None:
    assert compiled("int x;\n").startswith(b"\x7fELF")


def test_an_error_names_file_and_line() -> None:
    with pytest.raises(CompileError, match=r"^g7\.c: the C compiler .* failed: g7\.c:1:.* error"):
        compiled("int x\n")


def test_a_compile_without_end_is_ended() -> None:
    start = time.monotonic()
    with pytest.raises(CompileError, match=r"^g7\.c: .*(took more than 1 s|CPU time limit)"):
        compiled(ENDLESS, {"seconds": 1})
    assert time.monotonic() - start < 30


def test_a_compile_that_takes_all_memory_is_ended() -> None:
    with pytest.raises(CompileError, match=r"^g7\.c: .*(out of memory|memory exhausted)"):
        compiled(HUGE, {"memory_bytes": 300 << 20, "seconds": 60})


def test_children_of_a_program_that_was_ended_are_gone(tmp_path: Path) -> None:
    command = ["sh", "-c", "(sleep 2; touch late) & wait"]
    with pytest.raises(CompileError, match="sh took more than 1 s"):
        run_limited(command, str(tmp_path), Limits(seconds=1))
    time.sleep(2)  # by then the child, if it lived, had written
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["/no/such/compiler", "sh -c :", "sh -c false"])
def test_a_compiler_of_the_user_that_is_none(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", command)
    with pytest.raises(CompileError, match=f"the C compiler {command} does not run; .* set CC"):
        find_c_compiler.__wrapped__()


def test_a_compiler_that_writes_nothing() -> None:
    compiler = CCompiler(("true",), "1")
    with pytest.raises(CompileError, match=r"^g7\.c: the C compiler true wrote no object\.o$"):
        compiler.compile_objects([Source("g7.c", "int x;")], {}, 1)
