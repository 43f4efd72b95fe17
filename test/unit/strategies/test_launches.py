"""A group may become several launches: what is known of it is found by its name."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import pytest
from added_files import added
from onnx import TensorProto, helper
from xdsl.dialects.builtin import ModuleOp

from dlc import registry, strategies
from dlc.analysis.entry import find_main, kernels_by_group, launches
from dlc.compiler import Options, compile_to
from dlc.compiler.emission import emit
from dlc.compiler.targets import parse_targets, running_target
from dlc.core.parser import parse_module
from dlc.core.weights import Array, WeightStore
from dlc.errors import CompileError
from dlc.oracle import run_reference
from dlc.runtime.model import Model
from dlc.simulator.program import run_module
from dlc.strategies import _registry

TENSOR = "tensor<5x77xf32>"
X = np.random.default_rng(0).standard_normal((5, 77)).astype(np.float32)
TARGETS = ["cpu", "sm_90a"]
KERNELS = {"g0": ("g0_2", "g0_3"), "g0_1": ("g0_1",), "g2": ("g0_2", "g0_3")}


@pytest.fixture(autouse=True)
def in_two() -> Iterator[None]:
    """Add the folder ``launches`` to those where strategies are found."""
    with added(strategies, Path(__file__).parent / "launches", _registry.refresh):
        yield


def model(target: str) -> str:
    """Return three groups, the first and the last alike: each becomes two launches."""
    chip = 'target = "cpu"' if target == "cpu" else 'target = "gpu", threads = 64'

    def group(name: str, strategy: str, given: str, ops: str) -> str:
        return (
            f"%{name} = fused_group.group @{name}(%{given}) : ({TENSOR}) -> {TENSOR} attributes "
            f'{{schedule = #loop.schedule<strategy = "{strategy}", {chip}>}} {{\n'
            f"^bb0(%a: {TENSOR}):\n{ops}\nfused_group.yield %r : {TENSOR} }}\n"
        )

    damped = (
        f"%0 = graph.neg %a : {TENSOR} -> {TENSOR}\n"
        f"%1 = graph.exp %0 : {TENSOR} -> {TENSOR}\n"
        f"%r = graph.mul %1, %a : ({TENSOR}, {TENSOR}) -> {TENSOR}"
    )
    relu = f"%r = graph.relu %a : {TENSOR} -> {TENSOR}"
    return (
        f"func.func @main(%x: {TENSOR}) -> {TENSOR} {{\n"
        + group("g0", "in_two", "x", damped)
        + group("g0_1", "map", "g0", relu)
        + group("g2", "in_two", "g0_1", damped)
        + f"func.return %g2 : {TENSOR} }}\n"
    )


def saved(folder: Path, target: str) -> Path:
    path = folder / "model.mlir"
    path.write_text(model(target))
    return path


def lowered(folder: Path, target: str, level: str) -> ModuleOp:
    text = emit(saved(folder, target), Options(target), level)
    return parse_module(text, registry.new_context())


def wanted() -> Array:
    groups = parse_module(model("cpu"), registry.new_context())
    (found,) = run_reference(groups, {"input0": X}, WeightStore()).values()
    return found


def close(found: Array) -> None:
    np.testing.assert_allclose(np.float32(found), np.float32(wanted()), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("target", TARGETS)
def test_launches_have_the_names_of_their_groups_and_equal_groups_the_same_kernels(
    tmp_path: Path, target: str
) -> None:
    main = find_main(lowered(tmp_path, target, "loop"))
    assert kernels_by_group(main) == KERNELS
    first, second, *_ = launches(main)
    assert second.inputs == (main.args[0], first.outputs[0])


@pytest.mark.parametrize("target", TARGETS)
def test_the_artifact_is_verified(tmp_path: Path, target: str) -> None:
    path = tmp_path / "model.so"
    outcome = compile_to(path, saved(tmp_path, target), Options(target))
    if running_target(parse_targets(target)):
        assert "verified: 3 of 3 kernels in 5 of 5 launches" in outcome.checked
        close(Model(path).run({"input0": X})["output0"])
    else:
        assert "3 of 3 kernels at" in outcome.checked
        assert "emulated for sm_90a" in outcome.checked


def test_the_simulator_runs_all_launches(tmp_path: Path) -> None:
    close(run_module(lowered(tmp_path, "sm_90a", "gpu"), [X])[0])


@pytest.mark.parametrize("target", TARGETS)
def test_the_report_has_kernels_under_the_name_of_their_group(tmp_path: Path, target: str) -> None:
    path = tmp_path / "model.so"
    outcome = compile_to(path, saved(tmp_path, target), Options(target, verify=False))
    (variant,) = outcome.report["variants"]
    found = {kernel["name"]: (kernel["group"], kernel["launches"]) for kernel in variant["kernels"]}
    assert found == {"g0_2": ("g0", 2), "g0_3": ("g0", 2), "g0_1": ("g0_1", 1)}
    assert variant["launches"] == 5
    lines = Model(path).explain().splitlines()
    start = lines.index("g0: graph.neg + graph.exp + graph.mul")
    own = lines[start + 1 : next(n for n, x in enumerate(lines) if x.startswith("g0_1"))]
    assert [line.split(":")[0].strip() for line in own][-2:] == ["kernel g0_2 x2", "kernel g0_3 x2"]
    assert sum("strategy = in_two" in line for line in lines) == 1


@pytest.mark.parametrize(("target", "level"), [("cpu", "c"), ("sm_90a", "cuda")])
def test_the_text_of_a_kernel_names_its_groups(tmp_path: Path, target: str, level: str) -> None:
    text = emit(saved(tmp_path, target), Options(target), level)
    assert re.findall(r"^// groups: (.*)$", text, re.M) == ['"g0", "g2"', '"g0", "g2"', '"g0_1"']


def test_what_is_handed_on_shares_memory_with_what_lives_at_other_times(tmp_path: Path) -> None:
    module = lowered(tmp_path, "cpu", "loop")
    offsets = [tuple(op.offsets.get_values()) for op in launches(find_main(module)) if op.offsets]
    first, result, relu, second, output = (int(row[0]) for row in offsets)
    assert first != result != relu != second
    assert output == -1
    rows = -(-X.nbytes // 256) * 256
    assert {first, result, relu, second} == {0, rows}


def onnx_model(folder: Path) -> Path:
    """Save ``exp(-x) * x``, which is one group."""
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, X.shape) for n in "xy"]
    nodes = [
        helper.make_node("Neg", ["x"], ["n"]),
        helper.make_node("Exp", ["n"], ["e"]),
        helper.make_node("Mul", ["e", "x"], ["y"]),
    ]
    graph = helper.make_graph(nodes, "damped", ends[:1], ends[1:])
    path = folder / "model.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    return path


@pytest.mark.parametrize(("right", "wrong"), [("math.exp ", "math.tanh "), ("mulf", "addf")])
@pytest.mark.parametrize(("target", "level"), [("cpu", "loop"), ("sm_90a", "gpu")])
def test_a_fault_in_either_kernel_is_found_in_the_text_of_both(
    tmp_path: Path, target: str, level: str, right: str, wrong: str
) -> None:
    source, path = onnx_model(tmp_path), tmp_path / "model.mlir"
    options = Options(target, weights_from=source)
    text = emit(source, Options(target), level)
    path.write_text(text)
    assert "kernels" in compile_to(tmp_path / "model.so", path, options).checked
    assert text.count(right) == 1
    path.write_text(text.replace(right, wrong))
    with pytest.raises(CompileError, match="kernels @g0_1, @g0_2 together do not compute what"):
        compile_to(tmp_path / "model.so", path, options)
