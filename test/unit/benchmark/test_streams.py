"""The cases of ``test/benchmarks/streams.py``."""

from argparse import Namespace

import pytest
from stream_cases import cases
from streams import chosen


def test_patterns_choose_cases() -> None:
    names = [case.name for case in chosen(Namespace(cases="cast*fp16,cumsum*fp32"))]
    assert {name.split()[0] for name in names} == {"cast", "cumsum"}
    assert len(chosen(Namespace(cases="*"))) == len(list(cases()))


def test_a_pattern_that_no_case_fits_is_an_error() -> None:
    with pytest.raises(SystemExit, match=r"no case fits 'sofmax\*'; they begin with .*softmax"):
        chosen(Namespace(cases="sofmax*"))
