"""Kernels of several stages, against the meaning of their ops, on integers that are exact."""

from dataclasses import dataclass

import numpy as np
import pytest
from lowered import lowered
from simulated import Runner

from dlc import registry
from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.analysis.entry import find_main
from dlc.arch import gpu_by_name
from dlc.core.parser import parse_module
from dlc.core.weights import WeightStore
from dlc.oracle import run_reference
from dlc.plan import Plan, Planner

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Case:
    """A program. inputs: their shapes. results: the numbers of the values that it gives."""

    inputs: tuple[Shape, ...]
    lines: tuple[tuple[str, str, str], ...]
    results: tuple[str, ...]
    element: str = "f16"

    def typed(self, shape: str) -> str:
        return f"tensor<{shape}x{self.element}>"

    @property
    def types(self) -> list[str]:
        return [self.typed("x".join(map(str, each))) for each in self.inputs]

    @property
    def body(self) -> str:
        """The ops: each has a text with its operands, their shapes, and the shape of its result."""
        known = {f"%g{i}": type for i, type in enumerate(self.types)}
        lines: list[str] = []
        for number, (text, operands, result) in enumerate(self.lines):
            known[f"%{number}"] = self.typed(result)
            types = ", ".join(known[each] for each in operands.split())
            source = f"({types})" if " " in operands else types
            lines.append(f"%{number} = graph.{text} : {source} -> {self.typed(result)}")
        return "\n".join(lines)

    def result_types(self) -> str:
        shapes = {f"%{n}": shape for n, (_, _, shape) in enumerate(self.lines)}
        return ", ".join(self.typed(shapes[each]) for each in self.results)

    def function(self) -> str:
        """The program as a function of graph ops."""
        inputs = ", ".join(f"%g{i}: {type}" for i, type in enumerate(self.types))
        end = f"func.return {', '.join(self.results)} : {self.result_types()}"
        return f"func.func @main({inputs}) -> ({self.result_types()}) {{\n{self.body}\n{end} }}"

    def group(self, schedule: str) -> str:
        """The program as one group."""
        names = [f"%x{i}" for i, _ in enumerate(self.types)]
        outer, types = ", ".join(map("{}: {}".format, names, self.types)), ", ".join(self.types)
        results = [f"%y{i}" for i, _ in enumerate(self.results)]
        return (
            f"func.func @main({outer}) -> ({self.result_types()}) {{\n"
            f"{', '.join(results)} = fused_group.group @g({', '.join(names)}) : ({types}) -> "
            f"({self.result_types()}) attributes {{schedule = {schedule}}} {{\n"
            f"^bb0({outer.replace('%x', '%g')}):\n{self.body}\n"
            f"fused_group.yield {', '.join(self.results)} : {self.result_types()} }}\n"
            f"func.return {', '.join(results)} : {self.result_types()} }}"
        )


CASES = {
    "a product of a product": Case(
        ((3, 96), (96, 40), (40,), (40, 72)),
        (
            ("matmul %g0, %g1", "%g0 %g1", "3x40"),
            ("add %0, %g2", "%0 %g2", "3x40"),
            ("relu %1", "%1", "3x40"),
            ("matmul %2, %g3", "%2 %g3", "3x72"),
        ),
        ("%3",),
    ),
    "the product between is a result, too": Case(
        ((67, 48), (48, 33), (33, 131)),
        (
            ("matmul %g0, %g1", "%g0 %g1", "67x33"),
            ("matmul %0, %g2", "%0 %g2", "67x131"),
        ),
        ("%0", "%1"),
    ),
    "rows before a product": Case(
        ((33, 64), (64, 24)),
        (
            ("reduce_max %g0 axes [1] keep_dims", "%g0", "33x1"),
            ("sub %g0, %0", "%g0 %0", "33x64"),
            ("matmul %1, %g1", "%1 %g1", "33x24"),
            ("relu %2", "%2", "33x24"),
        ),
        ("%3",),
        "f32",
    ),
    "two independent products, and their sum": Case(
        ((17, 40), (40, 31), (17, 24), (24, 31)),
        (
            ("matmul %g0, %g1", "%g0 %g1", "17x31"),
            ("matmul %g2, %g3", "%g2 %g3", "17x31"),
            ("add %0, %1", "%0 %1", "17x31"),
        ),
        ("%2",),
    ),
    "a view between": Case(
        ((2, 5, 48), (48, 20), (100, 7)),
        (
            ("matmul %g0, %g1", "%g0 %g1", "2x5x20"),
            ("reshape %0 {sizes = array<i64: 2, 100>}", "%0", "2x100"),
            ("matmul %1, %g2", "%1 %g2", "2x7"),
        ),
        ("%2",),
    ),
    "a running sum before rows of columns": Case(
        ((13, 70),),
        (
            ("cum_sum %g0 axis 1", "%g0", "13x70"),
            ("reduce_sum %0 axes [0]", "%0", "70"),
            ("relu %1", "%1", "70"),
        ),
        ("%2",),
        "f32",
    ),
    "three stages": Case(
        ((1, 64), (64, 16), (16, 48), (48, 5)),
        (
            ("matmul %g0, %g1", "%g0 %g1", "1x16"),
            ("relu %0", "%0", "1x16"),
            ("matmul %1, %g2", "%1 %g2", "1x48"),
            ("relu %2", "%2", "1x48"),
            ("matmul %3, %g3", "%3 %g3", "1x5"),
        ),
        ("%4",),
        "f32",
    ),
}


def schedules(case: Case) -> list[str]:
    """Return the schedules that the plan has for all ops of a case as one kernel."""
    flow = Dataflow(find_main(parse_module(case.function(), registry.new_context())).body.block)
    plan = Planner(gpu_by_name("h200")).plan(Cluster(flow, tuple(flow.ops)))
    assert isinstance(plan, Plan)
    return [each.text for each in plan.candidates]


def numbers(case: Case) -> dict[str, np.ndarray]:
    """Return small integers, whose sums are exact."""
    draw = np.random.default_rng(len(case.lines))
    dtype = {"f16": np.float16, "f32": np.float32}[case.element]
    return {
        f"input{i}": draw.integers(-1, 2, each).astype(dtype) for i, each in enumerate(case.inputs)
    }


@pytest.mark.parametrize("name", CASES)
def test_stages_agree_with_their_ops(runner: Runner, name: str) -> None:
    case = CASES[name]
    feeds = numbers(case)
    module = parse_module(case.function(), registry.new_context())
    wanted = list(run_reference(module, feeds, WeightStore()).values())
    found = [text for text in schedules(case) if 'strategy = "stitched"' in text]
    carries = {
        word for word in ("block", "cluster", "grid") for text in found if f'"{word}"' in text
    }
    assert carries == {"block", "cluster", "grid"}
    for text in found:
        kernel = lowered(case.group(text), f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}")
        outputs = runner.run(kernel, *feeds.values())
        for output, right in zip(outputs, wanted, strict=True):
            np.testing.assert_array_equal(output, right, err_msg=text)
