"""Which groups OpenBLAS computes, and which calls it takes."""

import sys
from pathlib import Path

import pytest
from xdsl.dialects.builtin import MemRefType, f32, f64

sys.path.append(str(Path(__file__).parents[1] / "plan"))

from library_contract import check_refused, check_taken
from programs import cluster

from dlc.analysis.dataflow import Cluster
from dlc.arch.cpus import AVX2
from dlc.dialects.loop.attributes import CallAttr
from dlc.errors import CompileError
from dlc.libraries.openblas import LIBRARY
from dlc.plan import Plan, Planner

TYPES = {"%x": "64x48xf32", "%y": "48x32xf32", "%0": "64x32xf32"}


def product(turned: str = "", op: str = "matmul", **types: str) -> Cluster:
    """Return a product as a cluster; types: of x, y and z in place of the usual ones."""
    x, y, z = (
        f"tensor<{types.get(name, usual)}>"
        for name, usual in zip("xyz", TYPES.values(), strict=True)
    )
    return cluster(
        f"%0 = graph.{op} %x, %y {turned} : ({x}, {y}) -> {z}", f"%0: {z}", f"%x: {x}, %y: {y}"
    )


CONV = "strides [1, 1] padding [{0}, {0}, {0}, {0}] dilations [1, 1]"

ACCEPTED = {
    "a product": product(),
    "a turned rhs": product("transpose_rhs", y="32x48xf32"),
    "double precision": product(x="64x48xf64", y="48x32xf64", z="64x32xf64"),
    "a batch": product(x="5x64x48xf32", y="5x48x32xf32", z="5x64x32xf32"),
    "a convolution of single pixels": product(
        CONV.format(0), "conv", x="1x4x8x8xf32", y="6x4x1x1xf32", z="1x6x8x8xf32"
    ),
}

REFUSED = {
    "OpenBLAS computes products of matrices alone": cluster(
        "%1 = exp %x : 4x8", "%1: tensor<4x8xf32>", "%x: tensor<4x8xf32>"
    ),
    "products of f32 or of f64, these are of f16": product(
        x="64x48xf16", y="48x32xf16", z="64x32xf16"
    ),
    "the factors are no matrices in memory": product(
        CONV.format(1), "conv", x="1x4x8x8xf32", y="6x4x3x3xf32", z="1x6x8x8xf32"
    ),
    "there is nothing to multiply": product(x="0x48xf32", z="0x32xf32"),
    "neither rows nor columns of consecutive elements": product(
        CONV.format(0).replace("[1, 1]", "[1, 2]", 1),
        "conv",
        x="1x4x1x16xf32",
        y="6x4x1x1xf32",
        z="1x6x1x8xf32",
    ),
}


@pytest.mark.parametrize("asked", ACCEPTED.values(), ids=ACCEPTED)
def test_a_product_is_taken(asked: Cluster) -> None:
    check_taken(LIBRARY, asked, AVX2)


@pytest.mark.parametrize("reason", REFUSED)
def test_the_reason_is_said(reason: str) -> None:
    check_refused(LIBRARY, REFUSED[reason], AVX2, reason)


def test_a_call_says_all_that_the_code_needs() -> None:
    call = LIBRARY.call(product("transpose_rhs", y="32x48xf32"))
    assert (call.library, call.function, call.buffers, call.count) == (
        "openblas",
        "cblas_sgemm",
        (0, 1, 2),
        16,
    )
    assert call["sizes"] == (1, 64, 32, 48)
    assert call["turned"] == (False, True, False)
    assert call["pitches"] == (48, 48, 32)
    LIBRARY.check(call, [MemRefType(f32, n) for n in ([64, 48], [32, 48], [64, 32])])


WRONG = {
    "sizes of a call of BLAS are 4 integers": {"sizes": (1, 64, 32)},
    "starts of a call of BLAS are 3 integers": {"starts": (0, -1, 0)},
    "turned of a call of BLAS is three of true and false": {"turned": (0, 0, 0)},
    "BLAS takes no matrix": {"pitches": (47, 32, 32)},
    "the rows of a result of BLAS are consecutive": {
        "turned": (False, False, True),
        "pitches": (48, 32, 64),
    },
    "not by cblas_zgemm": {"function": "cblas_zgemm"},
    "the call has 3 buffers and counts 16": {"count": 17},
    "leads out of buffer 0": {"starts": (1, 0, 0)},
    "leads out of buffer 1": {"starts": (0, 1, 0)},
    "leads out of buffer 2": {"starts": (0, 0, 1)},
    "cblas_dgemm does not take buffer 0": {"function": "cblas_dgemm"},
}


@pytest.mark.parametrize("reason", WRONG)
def test_an_edited_call_is_refused(reason: str) -> None:
    call = LIBRARY.call(product())
    buffers = [MemRefType(f32, sizes) for sizes in ([64, 48], [48, 32], [64, 32])]
    LIBRARY.check(call, buffers)
    edited = CallAttr(tuple({**dict(call.data), **WRONG[reason]}.items()))
    with pytest.raises(CompileError, match=reason):
        LIBRARY.check(edited, buffers)


def test_buffers_of_another_type_are_refused() -> None:
    buffers = [MemRefType(f64, sizes) for sizes in ([64, 48], [48, 32], [64, 32])]
    with pytest.raises(CompileError, match="cblas_sgemm does not take buffer 0"):
        LIBRARY.check(LIBRARY.call(product()), buffers)


def test_a_plan_has_the_call_beside_generated_kernels() -> None:
    asked = product()
    plain, plan = Planner(AVX2).plan(asked), Planner(AVX2, libraries=["openblas"]).plan(asked)
    assert isinstance(plain, Plan)
    assert isinstance(plan, Plan)
    calls = [each for each in plan.candidates if each.schedule.library]
    assert len(calls) == 1
    assert [each for each in plan.candidates if each not in calls] == list(plain.candidates)
    assert calls[0].text == plain.best.text[:-1] + ', library = "openblas">'
    price = LIBRARY.price(asked, AVX2)
    assert calls[0].estimate_s == price.surely_s > price.seconds
