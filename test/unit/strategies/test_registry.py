"""A strategy is there by its file: one that lives here is searched, chosen, printed, read, run."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from added_files import added
from compiled_c import CompiledKernels
from lowered import lowered

from dlc import registry, strategies
from dlc.core.diagnostics import diagnostics_of
from dlc.core.parser import parse_module
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.loop import KernelOp
from dlc.errors import CompileError
from dlc.strategies import _registry
from dlc.tools._strategy_page import strategy_page

GRAPH = """
func.func @main(%x: tensor<3x7xf32>, %y: tensor<3x7xf32>) -> tensor<3x7xf32> {
  %0 = graph.mul %x, %y : (tensor<3x7xf32>, tensor<3x7xf32>) -> tensor<3x7xf32>
  %1 = graph.relu %0 : tensor<3x7xf32> -> tensor<3x7xf32>
  func.return %1 : tensor<3x7xf32>
}
"""

TWO_SHAPES = """
func.func @main(%x: tensor<7xf32>, %y: tensor<3x7xf32>) -> (tensor<7xf32>, tensor<3x7xf32>) {
  %0 = graph.relu %x : tensor<7xf32> -> tensor<7xf32>
  %1 = graph.add %0, %y : (tensor<7xf32>, tensor<3x7xf32>) -> tensor<3x7xf32>
  func.return %0, %1 : tensor<7xf32>, tensor<3x7xf32>
}
"""


@pytest.fixture(autouse=True)
def flat() -> Iterator[None]:
    """Add the folder ``extra`` to those where strategies are found."""
    with added(strategies, Path(__file__).parent / "extra", _registry.refresh):
        yield


def _tiled(arch: str = "cpu-avx2") -> str:
    return str(lowered(GRAPH, f"fuse{{arch={arch}}},tile{{arch={arch}}}"))


def test_it_is_found_by_its_file() -> None:
    assert strategies.names() == (
        "attention",
        "contract",
        "flat",
        "map",
        "recurrent",
        "row",
        "scan",
        "stitched",
    )


def test_it_is_chosen_and_printed() -> None:
    assert '<strategy = "flat", target = "cpu", run = 8, cores = false>' in _tiled()


def test_it_is_read_again_with_its_defaults() -> None:
    module = lowered(_tiled().replace("run = 8, cores = false", "run = 5"), "tile{arch=cpu-avx2}")
    (group,) = (op for op in module.walk() if isinstance(op, GroupOp))
    assert group.schedule is not None
    schedule = strategies.read(group.schedule)
    assert (schedule.strategy, schedule.target) == ("flat", "cpu")
    assert schedule == type(schedule).read({"run": 5, "cores": False})


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("rnu = 8", "schedule key rnu is unknown; flat on a CPU has run, cores"),
        ("cores = true", "schedule key run is missing; it is an integer from 1"),
        ("run = 8, cores = 5", "schedule key cores should be true or false, is 5"),
    ],
)
def test_its_keys_are_checked_where_they_stand(keys: str, message: str) -> None:
    text = _tiled().replace("run = 8, cores = false", keys)
    with pytest.raises(Exception, match=message) as caught:
        parse_module(text, registry.new_context(), "edited.mlir")
    (diagnostic,) = diagnostics_of(caught.value) or []
    assert diagnostic.line == 1 + text[: text.index("#loop.schedule")].count("\n")


def test_its_kernel_runs() -> None:
    module = lowered(_tiled(), "lower-to-loop")
    (kernel,) = (op for op in module.ops if isinstance(op, KernelOp))
    x, y = np.random.default_rng(0).standard_normal((2, 3, 7), np.float32)
    (result,) = CompiledKernels([kernel]).run(kernel.sym_name.data, [x, y])
    np.testing.assert_array_equal(result, np.maximum(x * y, 0))


def test_another_chip_takes_another_strategy() -> None:
    assert 'strategy = "map", target = "gpu"' in _tiled("sm_90a")


def test_its_schedule_is_no_schedule_of_another_chip() -> None:
    with pytest.raises(CompileError, match="the schedule is for a CPU, not for h200"):
        lowered(_tiled(), "tile{arch=h200}")


def test_its_obstacle_is_the_reason_of_a_boundary() -> None:
    groups = lowered(TWO_SHAPES, "fuse{arch=cpu-avx2}")
    assert 'boundaries = ["g1: runs of different lengths"]' in str(groups)


def test_it_is_in_the_documentation() -> None:
    assert '### `strategy = "flat", target = "cpu"`' in strategy_page("")
