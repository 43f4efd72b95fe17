"""A call of a library is taken where it wins by more than the error of its price."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from programs import cluster

from dlc import libraries
from dlc.analysis.dataflow import Cluster
from dlc.arch import Arch
from dlc.arch.cpus import AVX2
from dlc.arch.nvidia import H200
from dlc.libraries import Library, Price
from dlc.plan import Plan, Planner, forget

ERROR = 0.1


@pytest.fixture(autouse=True)
def _nothing_known() -> None:
    forget()


def product(element: str) -> Cluster:
    x, y, z = (f"tensor<{sizes}x{element}>" for sizes in ("64x48", "48x32", "64x32"))
    return cluster(f"%0 = graph.matmul %x, %y : ({x}, {y}) -> {z}", f"%0: {z}", f"%x: {x}, %y: {y}")


def made(asked: Cluster, planner: Planner) -> Plan:
    found = planner.plan(asked)
    assert isinstance(found, Plan)
    return found


@pytest.mark.parametrize(("part", "wins"), [(0.90, True), (0.92, False), (1.0, False)])
@pytest.mark.parametrize(
    ("name", "chip", "element"), [("openblas", AVX2, "f32"), ("cublaslt", H200, "f16")]
)
def test_a_call_wins_by_more_than_the_error_of_its_price(
    monkeypatch: pytest.MonkeyPatch, name: str, chip: Arch, element: str, part: float, wins: bool
) -> None:
    asked = product(element)
    generated = made(asked, Planner(chip))
    priced = _with_price(libraries.by_name(name), part * generated.estimate_s)
    monkeypatch.setattr(libraries, "by_name", lambda _: priced)
    plan = made(asked, Planner(chip, libraries=[name]))
    assert bool(plan.best.schedule.library) == wins
    assert (plan.estimate_s < generated.estimate_s) == wins


def _with_price(library: Library, seconds: float) -> Library:
    ask: Callable[[Cluster, Arch], Price] = library.price
    return replace(library, price=lambda asked, chip: Price(ask(asked, chip).bound, seconds, ERROR))


@pytest.mark.parametrize("alone_s", [None, 1e-5])
def test_a_call_on_a_gpu_takes_longer_between_launches_than_alone(alone_s: float | None) -> None:
    asked = product("f16")
    price = libraries.by_name("cublaslt").price(asked, H200)
    plan = made(asked, Planner(H200, libraries=["cublaslt"]))
    call = next(each for each in plan.candidates if each.schedule.library)
    assert call.estimate_s == pytest.approx(price.seconds * (1 + price.error) + price.late_s)
    assert price.late_s == 1e-6 * H200.costs.call_us
    wanted = call.estimate_s if alone_s is None else alone_s + price.late_s
    assert call.informed(alone_s).s == pytest.approx(wanted)
