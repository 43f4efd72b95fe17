"""What the strategy ``attention`` finds in a group: what the softmax does itself, and boxes."""

from dataclasses import replace

import pytest
from attention_text import LATER, SCALE, Case

from dlc import registry
from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.core.parser import parse_module
from dlc.dialects.fused_group import GroupOp
from dlc.strategies.attention.logits import logits_of
from dlc.strategies.attention.work import AttentionWork, attention_in, work_of

CASE = Case("rows = 64, step = 64, warps = 4", 3, 40, 56, 64, 64)


def cluster_of(case: Case, old: str = "", new: str = "") -> Cluster:
    """Return the group of a case, in whose text something may be replaced."""
    text = case.text()
    assert old in text
    module = parse_module(text.replace(old, new), registry.new_context())
    (group,) = (op for op in module.walk() if isinstance(op, GroupOp))
    flow = Dataflow(group.body.block)
    return Cluster(flow, tuple(flow.ops))


def work(case: Case, old: str = "", new: str = "") -> AttentionWork:
    return work_of(cluster_of(case, old, new))


@pytest.mark.parametrize(
    ("mask", "scale", "last", "reads", "computes"),
    [
        ("", 1.0, None, 0, False),
        ("scaled", SCALE, None, 0, False),
        ("causal", 1.0, 0, 0, False),
        ("causal, later", 1.0, LATER, 0, False),
        ("added", 1.0, None, 1, True),
        ("scaled, added", 1.0, None, 1, True),  # a factor before something else stays
        ("seen", 1.0, None, 1, True),
    ],
)
def test_what_the_softmax_does(
    mask: str, scale: float, last: int | None, reads: int, computes: bool
) -> None:
    cluster = cluster_of(replace(CASE, mask=mask))
    found = attention_in(cluster)
    assert found is not None
    logits, own = logits_of(found), work_of(cluster)
    assert (logits.scale, logits.last) == (scale, last)
    assert (own.last_seen, own.reads, own.operations > 0) == (last, reads, computes)


@pytest.mark.parametrize("number", ["-2.5e-01", "0.0"])
def test_factors_that_are_not_positive_stay(number: str) -> None:
    own = work(replace(CASE, mask="scaled"), "dense<0.25>", f"dense<{number}>")
    assert own.operations > 0


def test_rows_that_see_all_are_not_causal() -> None:
    own = work(replace(CASE, mask="causal, later"), f"start = {LATER}", "start = 55")
    assert own.last_seen is None


def test_another_number_than_minus_infinity_hides_nothing() -> None:
    own = work(replace(CASE, mask="causal"), "dense<0xFC00>", "dense<-1.0e+04>")
    assert own.last_seen is None


@pytest.mark.parametrize(
    ("case", "boxes"),
    [
        (CASE, True),
        (replace(CASE, keys=40, packed=True), True),
        (replace(CASE, depth=20), False),  # no pieces of 16 bytes
    ],
)
def test_what_tensor_copies_bring(case: Case, boxes: bool) -> None:
    assert work(case).boxes == boxes


def test_what_is_computed_is_no_box() -> None:
    product = "%s = graph.matmul %q, %k"
    types = "tensor<3x40x64xf16>"
    before = f"%h = graph.relu %q : {types} -> {types}\n    %s = graph.matmul %h, %k"
    assert not work(CASE, product, before).boxes
