"""What orders of axes cost by the plans."""

from itertools import product

import pytest
from programs import dataflow

from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.analysis.evaluation import KnownValues
from dlc.arch import Arch
from dlc.arch.cpus import AVX2
from dlc.arch.nvidia import A100, H200
from dlc.dialects.graph.convolution import ConvOp
from dlc.plan import Plan, Planner
from dlc.plan.order_price import OTHER, OWN, OrderPrices

LAST = (0, 2, 3, 1)
SIDES = list(product((OWN, OTHER), repeat=2))


def convolution(
    channels: int, size: int, results: int, window: int, groups: int = 1, element: str = "f16"
) -> Dataflow:
    x, y = (f"tensor<1x{n}x{size}x{size}x{element}>" for n in (channels, results))
    w = f"tensor<{results}x{channels // groups}x{window}x{window}x{element}>"
    pad = window // 2
    text = (
        f"%w = graph.weight @w : {w}\n%0 = graph.conv %x, %w strides [1, 1] "
        f"padding [{pad}, {pad}, {pad}, {pad}] dilations [1, 1] groups {groups} "
        f": ({x}, {w}) -> {y}"
    )
    return dataflow(text, f"%0: {y}", f"%x: {x}")


def prices(chip: Arch) -> OrderPrices:
    return OrderPrices(Planner(chip), "n" if chip is AVX2 else "gpu", KnownValues())


def conv_of(flow: Dataflow) -> ConvOp:
    (op,) = flow.ops
    assert isinstance(op, ConvOp)
    return op


@pytest.mark.parametrize("chip", [H200, A100, AVX2], ids=lambda chip: chip.name)
@pytest.mark.parametrize("element", ["f16", "f32"])
@pytest.mark.parametrize(
    "sizes", [(3, 224, 64, 7), (64, 56, 64, 3), (64, 56, 256, 1), (512, 7, 512, 3), (37, 13, 21, 5)]
)
def test_what_only_tiles_can_make_prefers_channels_last(
    sizes: tuple[int, int, int, int], element: str, chip: Arch
) -> None:
    """So that ``graph-choose-layout`` need not rate it. Half a percent is a tie of plans."""
    op, asked = conv_of(convolution(*sizes, element=element)), prices(chip)
    assert not asked.has_rivals(op, LAST)
    least = asked.of_op(op, LAST, OTHER, OTHER)
    assert all(asked.of_op(op, LAST, *sides) >= 0.995 * least for sides in SIDES)


@pytest.mark.parametrize("sizes", [(64, 256, 2, 1, 1), (96, 56, 96, 7, 96)])
def test_what_threads_can_make_alone_is_rated(sizes: tuple[int, int, int, int, int]) -> None:
    assert prices(H200).has_rivals(conv_of(convolution(*sizes)), LAST)


@pytest.mark.parametrize("chip", [H200, AVX2], ids=lambda chip: chip.name)
def test_another_order_costs_no_more_than_a_transposition(chip: Arch) -> None:
    op, asked = conv_of(convolution(64, 56, 64, 3)), prices(chip)
    before, after = asked.of_move(op.x, LAST), asked.of_move(op.output, LAST)
    own, other = (asked.of_op(op, LAST, each, each) for each in (OWN, OTHER))
    assert before > 0
    assert asked.of_op(op, LAST, OWN, OTHER) <= min(before + other, own + after)
    assert asked.of_op(op, LAST, OTHER, OWN) <= min(before + own, other + after)
    assert asked.of_end(op.output, LAST) <= after


def test_an_op_as_it_is_costs_what_its_plan_says() -> None:
    flow = convolution(64, 56, 64, 3, 64)
    op = conv_of(flow)
    own = OrderPrices(Planner(H200), "gpu", KnownValues()).of_op(op, LAST, OWN, OWN)
    plan = Planner(H200).plan(Cluster(flow, (op,)))
    assert isinstance(plan, Plan)
    assert own == pytest.approx(plan.s, rel=0.2)  # its weight lies as the model has it


def test_what_moves_nothing_costs_nothing() -> None:
    op = conv_of(convolution(1, 56, 1, 3))
    assert prices(H200).of_move(op.x, LAST) == 0
    assert prices(H200).of_end(op.output, LAST) == 0


@pytest.mark.parametrize("scale", ["1x64x1x1", "64x1x1", "1x1x1x1"])
def test_constants_have_the_order_of_what_they_scale(scale: str) -> None:
    x, s = "tensor<1x64x56x56xf16>", f"tensor<{scale}xf16>"
    text = f"%s = graph.weight @s : {s}\n%0 = graph.mul %x, %s : ({x}, {s}) -> {x}"
    (op,) = dataflow(text, f"%0: {x}", f"%x: {x}").ops
    asked = prices(H200)
    own, other = (asked.of_op(op, LAST, each, each) for each in (OWN, OTHER))
    assert own == pytest.approx(other, rel=0.3)
    assert 0 <= asked.of_end(op.results[0], LAST) <= asked.of_move(op.results[0], LAST)
    assert all(asked.of_op(op, LAST, *sides) < 1 for sides in SIDES)


def test_what_has_no_other_order_is_transposed_by_itself() -> None:
    x, y = "tensor<64x3136xf16>", "tensor<64x56x56xf16>"
    text = f"%e = graph.exp %x : {x} -> {x}\n"
    text += f"%0 = graph.gather %e, %i {{axis = 1 : i64}} : ({x}, tensor<56x56xi64>) -> {y}"
    flow = dataflow(text, f"%0: {y}", f"%x: {x}, %i: tensor<56x56xi64>")
    value = flow.ops[-1].results[0]
    assert prices(H200).of_end(value, (1, 2, 0)) == prices(H200).of_move(value, (1, 2, 0)) > 0
