"""The cases of ``test/benchmarks/streams.py``."""

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

import pytest
import streams
from artifacts import Artifact
from stream_cases import cases
from streams import build, chosen


def test_patterns_choose_cases() -> None:
    names = [case.name for case in chosen(Namespace(cases="cast*fp16,cumsum*fp32"))]
    assert {name.split()[0] for name in names} == {"cast", "cumsum"}
    assert len(chosen(Namespace(cases="*"))) == len(list(cases()))


def test_a_pattern_that_no_case_fits_is_an_error() -> None:
    with pytest.raises(SystemExit, match=r"no case fits 'sofmax\*'; they begin with .*softmax"):
        chosen(Namespace(cases="sofmax*"))


@pytest.mark.parametrize("error", ["", "no kernel"])
def test_a_case_that_does_not_compile_is_named_and_is_an_error(
    error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def make(todo: Sequence[Artifact]) -> list[str]:
        return [error, *[""] * (len(todo) - 1)]

    monkeypatch.setattr(streams, "make", make)
    given = Namespace(cases="cast*", folder=tmp_path, target="sm_90a")
    assert build(given) == (not error)
    assert (f"{chosen(given)[0].name}: no kernel" in capsys.readouterr().out) == bool(error)
