"""Divisions as text of a lock file: what is written is read back, and what does not fit is said."""

import pytest
from programs import dataflow
from random_flows import random_flow

from dlc import arch
from dlc.errors import CompileError
from dlc.plan import Planner
from dlc.search import dp
from dlc.tuning.division import Recorded, Replayed, division_text, read_division

PLANNER = Planner(arch.by_name("sm_90a"))


@pytest.mark.parametrize("seed", range(5, 11))
def test_what_is_recorded_is_replayed(seed: int) -> None:
    recorded = Recorded(dp.search)
    found = recorded(random_flow(seed), PLANNER)
    (text,) = recorded.texts
    again = Replayed([text], "dlc.lock")(random_flow(seed), PLANNER)
    places = [[each.clusters[n].places for n in each.order()] for each in (found, again)]
    assert places[0] == places[1]
    assert division_text(again) == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [("0 1", "of another model"), ("0 1 0", "groups wait for each other"), ("", "of another")],
)
def test_what_does_not_fit_is_one_line(text: str, reason: str) -> None:
    flow = dataflow(
        "%a = exp %x : 4x8\n%b = tanh %a : 4x8\n%c = exp %b : 4x8", "%c: tensor<4x8xf32>"
    )
    assert len(read_division("0 0 0", flow).clusters) == 1
    with pytest.raises(CompileError, match=reason) as raised:
        Replayed([text], "dlc.lock")(flow, PLANNER)
    assert str(raised.value).startswith("dlc.lock: the lock divides the operations")


def test_a_lock_with_too_few_divisions_is_one_line() -> None:
    with pytest.raises(CompileError, match="the lock divides the operations of another"):
        Replayed([], "dlc.lock")(random_flow(5), PLANNER)


def test_a_lock_with_too_many_divisions_is_one_line() -> None:
    flow = dataflow("%a = exp %x : 4x8", "%a: tensor<4x8xf32>")
    replayed = Replayed(["0", "0"], "dlc.lock")
    replayed(flow, PLANNER)
    with pytest.raises(
        CompileError, match=r"^dlc\.lock: the lock divides the operations of another"
    ):
        replayed.finish()
