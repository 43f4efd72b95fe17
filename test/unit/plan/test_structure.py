"""One key for clusters that differ in names and places only, another one for all others."""

import subprocess
import sys
from itertools import combinations, permutations
from pathlib import Path

import pytest
from programs import SIGNATURE, cluster, dataflow

from dlc import registry
from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.core.parser import parse_module
from dlc.dialects.fused_group import GroupOp
from dlc.plan import structure

TENSOR = "tensor<4x8xf32>"
MATMUL = f"""
%w = graph.weight @w : tensor<8x4xf32>
%0 = graph.matmul %x, %w : ({TENSOR}, tensor<8x4xf32>) -> tensor<4x4xf32>
"""


def key(body: str, results: str = f"%1: {TENSOR}", signature: str = SIGNATURE) -> str:
    return structure(cluster(body, results, signature)).key


def test_names_play_no_part() -> None:
    signature = SIGNATURE.replace("%x", "%left").replace("%y", "%right")
    assert key("%0 = sub %x %y : 4x8\n%1 = exp %0 : 4x8") == key(
        f'%a = graph.sub %left, %right : ({TENSOR}, {TENSOR}) -> {TENSOR} loc("n")\n'
        "%b = exp %a : 4x8",
        f"%b: {TENSOR}",
        signature,
    )


def test_who_computes_the_inputs_plays_no_part() -> None:
    flow = dataflow("%0 = exp %x : 4x8\n%1 = tanh %0 : 4x8\n%2 = tanh %1 : 4x8", f"%2: {TENSOR}")
    tanhs = [structure(Cluster(flow, (op,))) for op in flow.ops[1:]]
    assert tanhs[0] == tanhs[1]
    assert structure(Cluster(flow, (flow.ops[0],))) != tanhs[0]


LINES = (
    "%a = exp %x : 4x8",
    "%b = tanh %x : 4x8",
    "%c = add %a %b : 4x8",
    "%d = mul %y %a : 4x8",
    "%e = exp %y : 4x8",
)


def _in_order(lines: tuple[str, ...]) -> bool:
    return lines.index(LINES[2]) > max(map(lines.index, LINES[:2])) and lines.index(
        LINES[3]
    ) > lines.index(LINES[0])


@pytest.mark.parametrize("lines", [p for p in permutations(LINES) if _in_order(p)], ids=str)
def test_program_order_plays_no_part(lines: tuple[str, ...]) -> None:
    results = ", ".join(f"%{name}: {TENSOR}" for name in "ced")
    assert key("\n".join(lines), results) == key("\n".join(LINES), results)


def test_equal_last_ops_are_told_apart_by_what_they_share() -> None:
    # The exponential of the tensor that the product reads, and that of another.
    shared = "%a = exp %x : 4x8\n%b = exp %y : 4x8\n%c = mul %x %z : 4x8"
    other = "%a = exp %x : 4x8\n%b = exp %y : 4x8\n%c = mul %y %z : 4x8"
    results = ", ".join(f"%{name}: {TENSOR}" for name in "abc")
    signature = f"{SIGNATURE}, %z: {TENSOR}"
    assert key(shared, results, signature) == key(other, results, signature)


DIFFERENT = {
    "as it is": ("%0 = sub %x %y : 4x8\n%1 = exp %0 : 4x8", f"%1: {TENSOR}"),
    "operands of a difference": ("%0 = sub %y %x : 4x8\n%1 = sub %0 %y : 4x8", f"%1: {TENSOR}"),
    "operands the other way": ("%0 = sub %y %x : 4x8\n%1 = sub %y %0 : 4x8", f"%1: {TENSOR}"),
    "one input twice": ("%0 = sub %x %x : 4x8\n%1 = exp %0 : 4x8", f"%1: {TENSOR}"),
    "another op": ("%0 = sub %x %y : 4x8\n%1 = tanh %0 : 4x8", f"%1: {TENSOR}"),
    "what leaves": ("%0 = sub %x %y : 4x8\n%1 = exp %0 : 4x8", f"%0: {TENSOR}, %1: {TENSOR}"),
    "one op more": ("%0 = sub %x %y : 4x8\n%2 = exp %0 : 4x8\n%1 = exp %2 : 4x8", f"%1: {TENSOR}"),
    "computed twice": (
        "%0 = exp %x : 4x8\n%2 = exp %x : 4x8\n%1 = add %0 %2 : 4x8",
        f"%1: {TENSOR}",
    ),
    "computed once": ("%0 = exp %x : 4x8\n%1 = add %0 %0 : 4x8", f"%1: {TENSOR}"),
    "shape": ("%0 = sub %z %z : 4x9\n%1 = exp %0 : 4x9", "%1: tensor<4x9xf32>"),
    "element type": (
        "%0 = graph.exp %h : tensor<4x8xf16> -> tensor<4x8xf16>",
        "%0: tensor<4x8xf16>",
    ),
    "axis": (f"%1 = graph.reduce_sum %x axes [1] : {TENSOR} -> tensor<4xf32>", "%1: tensor<4xf32>"),
    "other axis": (
        f"%1 = graph.reduce_sum %x axes [0] : {TENSOR} -> tensor<8xf32>",
        "%1: tensor<8xf32>",
    ),
    "constant": (
        "%c = graph.constant dense<2.0> : tensor<1xf32>\n"
        f"%1 = graph.add %x, %c : ({TENSOR}, tensor<1xf32>) -> {TENSOR}",
        f"%1: {TENSOR}",
    ),
    "other constant": (
        "%c = graph.constant dense<3.0> : tensor<1xf32>\n"
        f"%1 = graph.add %x, %c : ({TENSOR}, tensor<1xf32>) -> {TENSOR}",
        f"%1: {TENSOR}",
    ),
    "not a constant": (
        f"%1 = graph.add %x, %s : ({TENSOR}, tensor<1xf32>) -> {TENSOR}",
        f"%1: {TENSOR}",
    ),
    "a view between": (
        f"%0 = exp %x : 4x8\n%v = graph.reshape %0 : {TENSOR} -> tensor<8x4xf32>\n"
        "%1 = exp %v : 8x4",
        "%1: tensor<8x4xf32>",
    ),
    "another view": (
        f"%0 = exp %x : 4x8\n%v = graph.reshape %0 : {TENSOR} -> tensor<32xf32>\n%1 = exp %v : 32",
        "%1: tensor<32xf32>",
    ),
    "the weight of a product": (MATMUL, "%0: tensor<4x4xf32>"),
    "no weight": (
        f"%0 = graph.matmul %x, %u : ({TENSOR}, tensor<8x4xf32>) -> tensor<4x4xf32>",
        "%0: tensor<4x4xf32>",
    ),
}


def test_what_differs_has_another_key() -> None:
    more = "%z: tensor<4x9xf32>, %h: tensor<4x8xf16>, %s: tensor<1xf32>, %u: tensor<8x4xf32>"
    signature = f"{SIGNATURE}, {more}"
    found = {name: key(*each, signature) for name, each in DIFFERENT.items()}
    assert [p for p in combinations(found, 2) if found[p[0]] == found[p[1]]] == []


def test_a_group_has_the_key_of_the_cluster_that_it_was_made_of() -> None:
    body = f"{MATMUL}%c = graph.constant dense<2.0> : tensor<1xf32>\n"
    body += "%1 = graph.mul %0, %c : (tensor<4x4xf32>, tensor<1xf32>) -> tensor<4x4xf32>\n"
    body += "%v = graph.reshape %1 : tensor<4x4xf32> -> tensor<16xf32>\n%2 = exp %v : 16"
    whole = cluster(body, "%2: tensor<16xf32>")
    context = registry.new_context()
    function = whole.ops[0].parent_op()
    assert function is not None
    module = parse_module(str(function.parent_op()), context)
    (fuse,) = registry.build_passes("fuse")
    fuse.apply(context, module)
    (group,) = (op for op in module.walk() if isinstance(op, GroupOp))
    flow = Dataflow(group.body.block)
    assert structure(Cluster(flow, tuple(flow.ops))) == structure(whole)


def test_the_key_is_the_same_in_every_process() -> None:
    program = f"print(__import__('test_structure').key('%1 = exp %x : 4x8', '%1: {TENSOR}'))"
    folder = Path(__file__).parent
    paths = f"import sys; sys.path[:0] = [{str(folder)!r}, {str(folder.parents[2])!r}]; "
    found = {
        subprocess.run(
            [sys.executable, "-c", paths + program],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert found == {key("%1 = exp %x : 4x8")}


def test_the_text_is_a_line_for_each_op() -> None:
    # Databases of measured times are lost where this changes.
    assert structure(cluster("%0 = exp %x : 4x8\n%1 = add %0 %y : 4x8", f"%1: {TENSOR}")).text == (
        f"graph.exp {{}} ({TENSOR}) -> {TENSOR} of (('input', 0),) leaves ()\n"
        f"graph.add {{}} ({TENSOR}, {TENSOR}) -> {TENSOR} of ((0, 0), ('input', 1)) leaves (0,)"
    )
