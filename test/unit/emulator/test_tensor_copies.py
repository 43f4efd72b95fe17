"""Artifacts whose kernels use tensor maps: the host program encodes them, the engine obeys them."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from kernels_artifact import build
from launched import LaunchError, Printed, launch, printed
from lowered import lowered
from tensor_copies import CASES, STORED, loading, storing

from dlc.backends.host import link
from dlc.compiler import build as build_module
from dlc.dialects.graph.structure import Array
from dlc.emulator.model import EmulationError
from dlc.simulator.launch import find_kernel

PASSES = "gpu-allocate-shared,gpu-check-limits"
TOGETHER = 8
"""Kernels of an artifact: each buffer takes address space for its guard pages."""


def parts(names: list[str]) -> list[list[str]]:
    return [names[first : first + TOGETHER] for first in range(0, len(names), TOGETHER)]


@pytest.mark.parametrize("names", parts(list(CASES)))
def test_boxes_are_loaded(names: list[str], tmp_path: Path) -> None:
    cases = [CASES[name] for name in names]
    built = build(list(map(loading, cases)), [(c.x, c.tile) for c in cases], PASSES, tmp_path)
    found = built.emulated(tmp_path).run({f"x{n}": case.x for n, case in enumerate(cases)})
    for number, case in enumerate(cases):
        np.testing.assert_array_equal(found[f"y{number}"], case.tile, err_msg=names[number])


@pytest.mark.parametrize("names", parts(STORED))
def test_boxes_are_stored(names: list[str], tmp_path: Path) -> None:
    cases = [CASES[name] for name in names]
    built = build(list(map(storing, cases)), [(c.x, c.x) for c in cases], PASSES, tmp_path)
    found = built.emulated(tmp_path).run({f"x{n}": case.x for n, case in enumerate(cases)})
    for number, case in enumerate(cases):
        np.testing.assert_array_equal(found[f"y{number}"], case.x + case.x, err_msg=names[number])


# Faults of the host program, or of the text. -----------------------------------------------------

CASE = CASES["2d, 128"]


def case(**wrong: object) -> Printed:
    """Return a kernel that is given another map than it should."""
    right = printed(find_kernel(lowered(loading(CASE), PASSES), "k"), "unsigned short")
    return replace(right, maps=(replace(right.maps[0], **wrong),))


def launched(one: Printed, folder: Path) -> Array:
    return launch(one, CASE.x, np.zeros_like(CASE.tile), folder)


def test_the_right_map(tmp_path: Path) -> None:
    np.testing.assert_array_equal(launched(case(), tmp_path), CASE.tile)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            {"sizes": (136, 71, 0, 0, 0)},
            "tensor map 0 reaches 19312 bytes far, operand 0 has 19040",
        ),
        (
            {
                "strides": (272, 272, 0, 0),
                "rank": 3,
                "sizes": (136, 70, 1, 0, 0),
                "box": (64, 64, 1, 0, 0),
                "element_strides": (1, 1, 1, 0, 0),
            },
            "a copy of 2 axes by a tensor map of 3 axes",
        ),
        ({"box": (64, 32, 0, 0, 0)}, "mbarrier.try_wait for ever"),
        ({"strides": (264, 0, 0, 0)}, "cuTensorMapEncodeTiled: 1"),
        ({"box": (64, 257, 0, 0, 0)}, "cuTensorMapEncodeTiled: 1"),
        ({"swizzle": 2}, "cuTensorMapEncodeTiled: 1"),
        ({"sizes": (0, 70, 0, 0, 0)}, "cuTensorMapEncodeTiled: 1"),
        ({"element_strides": (1, 9, 0, 0, 0)}, "cuTensorMapEncodeTiled: 1"),
    ],
)
def test_a_wrong_map_is_found(wrong: dict[str, object], message: str, tmp_path: Path) -> None:
    with pytest.raises(LaunchError, match=message):
        launched(case(**wrong), tmp_path)


def test_a_box_at_a_place_that_it_cannot_have(tmp_path: Path) -> None:
    right = case()
    text = right.printed.replace("16, 64, &", "16, 65, &")
    assert text != right.printed
    with pytest.raises(LaunchError, match="element 65 of a row, which is at no multiple of 16"):
        launched(replace(right, printed=text), tmp_path)


@pytest.mark.parametrize(
    "wrong", [("bulk_wait_read<0>();", ""), ("bulk_wait_read<0>", "bulk_wait_read<1>")]
)
def test_a_store_that_nobody_waits_for(wrong: tuple[str, str], tmp_path: Path) -> None:
    right = printed(find_kernel(lowered(storing(CASE), PASSES), "k"), "unsigned short")
    text = right.printed.replace(*wrong)
    assert text != right.printed
    with pytest.raises(LaunchError, match="it ends before it has waited for its stores"):
        launch(replace(right, printed=text), CASE.x, np.zeros_like(CASE.x), tmp_path)


@pytest.mark.parametrize("wrong", [{"swizzle": 0}, {"strides": (256, 0, 0, 0)}])
def test_a_map_of_other_elements_gives_others(wrong: dict[str, object], tmp_path: Path) -> None:
    assert (launched(case(**wrong), tmp_path) != CASE.tile).any()


@pytest.mark.parametrize("data_type", [2, 7])
def test_a_map_that_does_not_round(data_type: int, tmp_path: Path) -> None:
    """Integers are moved as they are; no kernel has a map of any floats."""
    one = CASES["2d, rounded"]
    right = printed(find_kernel(lowered(loading(one), PASSES), "k"), "float")
    wrong = replace(right, maps=(replace(right.maps[0], data_type=data_type),))
    tile = np.zeros_like(one.tile)
    np.testing.assert_array_equal(launch(right, one.x, tile, tmp_path), one.tile)
    if data_type == 2:
        assert (launch(wrong, one.x, tile, tmp_path) != one.tile).any()
    else:
        with pytest.raises(LaunchError, match="cuTensorMapEncodeTiled: 1"):
            launch(wrong, one.x, tile, tmp_path)


def test_a_tile_at_a_place_that_the_swizzle_cannot_have(tmp_path: Path) -> None:
    right = case()
    text = right.printed.replace("(shared_memory + 0)", "(shared_memory + 512)")
    assert text != right.printed
    with pytest.raises(LaunchError, match="the tile is at byte 512, no multiple of 1024"):
        launched(replace(right, printed=text, shared=right.shared + 512), tmp_path)


def in_arguments(old: str, new: str) -> Callable[[pytest.MonkeyPatch], None]:
    """Exchange a part of the host program that makes the arguments of launches."""

    def apply(patch: pytest.MonkeyPatch) -> None:
        text = link.native_text
        assert old in text("cuda_arguments.c")
        patch.setattr(link, "native_text", lambda name: text(name).replace(old, new))

    return apply


def in_table(**wrong: object) -> Callable[[pytest.MonkeyPatch], None]:
    """Let the tables of the host program say something else of each map."""

    def apply(patch: pytest.MonkeyPatch) -> None:
        right = build_module.driver_map
        patch.setattr(build_module, "driver_map", lambda map: replace(right(map), **wrong))

    return apply


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (in_arguments("a->pointers[map->operand]", "a->pointers[0]"), "is not of operand 1"),
        (
            in_arguments("status = encode(", "status = times++ > 1 ? DLC_OK : encode("),
            "is not of operand",
        ),
        (in_table(operand=1), "is not of operand 0"),
        (in_table(rank=1), "a copy of 2 axes by a tensor map of 1 axes"),
        (in_table(strides=(120, 0, 0, 0)), "invalid value"),
    ],
)
def test_fault_of_the_host_program_is_found(
    fault: Callable[[pytest.MonkeyPatch], None],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """Two runs, on other buffers each: maps of the first one are of no use to the second."""
    in_arguments("static dlc_status encode", "static int times;\nstatic dlc_status encode")(
        monkeypatch
    )
    fault(monkeypatch)
    built = build([storing(CASE)], [(CASE.x, CASE.x)], PASSES, tmp_path)
    with pytest.raises(EmulationError, match=message):
        built.emulated(tmp_path).run({"x0": CASE.x})
