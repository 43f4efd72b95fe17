"""Artifacts for GPUs that are not there are emulated: sound ones pass, faulty ones do not."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from dlc.backends.cuda import cubins
from dlc.backends.cuda.prelude import PRELUDE
from dlc.backends.host import link
from dlc.backends.host.cuda import CudaVariant
from dlc.backends.host.program import Address, HostProgram, Launch
from dlc.compiler import build, targets, verifier
from dlc.compiler.driver import compile_to
from dlc.compiler.options import Options
from dlc.compiler.outcome import Outcome
from dlc.core import c_compiler
from dlc.emulator import build as emulator_build
from dlc.emulator import model as model_module
from dlc.errors import CompileError
from dlc.simulator import SimulationError
from dlc.verification import emulation
from dlc.verification.miscompile import MiscompileError
from dlc.verification.plan import Plan

Patch = pytest.MonkeyPatch


def model() -> onnx.ModelProto:
    """Two inputs, two outputs; convolutions, a pooling, a residual, long products, a softmax."""
    generator = np.random.default_rng(2)
    sizes = {"w1": (16, 8, 3, 3), "w2": (16, 16, 3, 3), "w3": (576, 40), "b3": (40,)}
    weights = [
        numpy_helper.from_array((0.1 * generator.standard_normal(s)).astype(np.float32), n)
        for n, s in sizes.items()
    ]
    nodes = [
        helper.make_node("Conv", ["x", "w1"], ["c1"], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c1"], ["r1"]),
        helper.make_node("Conv", ["r1", "w2"], ["c2"], pads=[1, 1, 1, 1]),
        helper.make_node("Add", ["c2", "r1"], ["a2"]),
        helper.make_node("MaxPool", ["a2"], ["p"], kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Flatten", ["p"], ["f"]),
        helper.make_node("Gemm", ["f", "w3", "b3"], ["g"]),
        helper.make_node("Mul", ["g", "scale"], ["h"]),
        helper.make_node("Softmax", ["h"], ["y"]),
    ]
    given = {"x": [1, 8, 12, 12], "scale": [1, 40]}
    results = {"y": [1, 40], "g": [1, 40]}
    graph = helper.make_graph(
        nodes,
        "small",
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in given.items()],
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in results.items()],
        weights,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


@pytest.fixture(autouse=True)
def no_gpu(monkeypatch: Patch) -> None:
    monkeypatch.setattr(targets, "device_capability", lambda: None)


def compiled(folder: Path, precision: str = "fp16", target: str = "sm_90a") -> Outcome:
    return compile_to(folder / "m.so", model(), Options(target, precision))


@pytest.mark.parametrize("precision", ["fp32", "tf32", "fp16", "bf16"])
def test_a_sound_artifact_passes_on_each_of_its_targets(precision: str, tmp_path: Path) -> None:
    outcome = compiled(tmp_path, precision, "sm_80,sm_90a")
    assert [found["target"] for found in outcome.emulated] == ["sm_80", "sm_90a"]
    for found in outcome.emulated:
        assert next(iter(found["cases"])) == "random"
        assert 0 < found["worst"] <= found["bound"]
        text = f"emulated for {found['target']}: the whole artifact on {len(found['cases'])} input"
        assert text in outcome.checked


def test_what_is_not_emulated_is_said(monkeypatch: Patch, tmp_path: Path) -> None:
    monkeypatch.setattr(emulation, "LONGEST_S", 0)
    assert (
        "the whole model was not emulated for sm_90a: it would take" in compiled(tmp_path).checked
    )
    monkeypatch.undo()
    monkeypatch.setattr(targets, "device_capability", lambda: None)

    def none() -> c_compiler.CCompiler:
        raise CompileError("no C++ compiler found")

    monkeypatch.setattr(emulator_build, "find_cpp_compiler", none)
    outcome = compiled(tmp_path)
    assert outcome.emulated[0]["not_emulated"] == "no C++ compiler found"
    assert "not emulated for sm_90a: no C++ compiler found" in outcome.checked


def test_one_input_is_emulated_however_small_the_budget(monkeypatch: Patch, tmp_path: Path) -> None:
    monkeypatch.setattr(Plan, "budget_seconds", lambda *_: 0.0)
    outcome = compiled(tmp_path)
    assert "the whole artifact on 1 input (random)" in outcome.checked
    left_out = outcome.report["certificate"]["emulated"][0]["left_out_for_time"]
    assert left_out == ["large", "special", "zero", "ties", "small", "negative"]
    assert "left out for time: large and special and zero" in outcome.checked


def test_weights_come_through_many_chunks(monkeypatch: Patch, tmp_path: Path) -> None:
    in_host("CHUNK_BYTES = 32 << 20", "CHUNK_BYTES = 4 << 10")(monkeypatch)
    assert "the whole artifact on" in compiled(tmp_path).checked


# Faults. -----------------------------------------------------------------------------------------


def in_text(old: str, new: str) -> Callable[[Patch], None]:
    """Exchange a part of the CUDA text of every kernel."""

    def apply(patch: Patch) -> None:
        print_text = cubins.cuda_text
        patch.setattr(cubins, "cuda_text", lambda kernels: print_text(kernels).replace(old, new))

    return apply


def in_prelude(name: str, old: str, new: str) -> Callable[[Patch], None]:
    assert old in PRELUDE[name]
    return lambda patch: patch.setitem(PRELUDE, name, PRELUDE[name].replace(old, new))


def in_program(change: Callable[[HostProgram], HostProgram]) -> Callable[[Patch], None]:
    """Change what the host does."""

    def apply(patch: Patch) -> None:
        read = build.read_program

        def changed(*arguments: Any) -> HostProgram:
            program = change(right := read(*arguments))
            assert program != right
            return program

        patch.setattr(build, "read_program", changed)

    return apply


def in_variant(change: Callable[[CudaVariant], CudaVariant]) -> Callable[[Patch], None]:
    def apply(patch: Patch) -> None:
        printed = build.print_cuda_program

        def changed(variants: Any, *others: Any) -> str:
            assert [change(v) for v in variants] != list(variants)
            return printed([change(v) for v in variants], *others)

        patch.setattr(build, "print_cuda_program", changed)

    return apply


def in_host(old: str, new: str, file: str = "cuda.c") -> Callable[[Patch], None]:
    """Exchange a part of the host program that is the same in all artifacts."""

    def apply(patch: Patch) -> None:
        text = link.native_text
        assert old in text(file)
        patch.setattr(link, "native_text", lambda name: text(name).replace(old, new))

    return apply


def of_launch(
    which: int, change: Callable[[Launch], Launch]
) -> Callable[[HostProgram], HostProgram]:
    def apply(program: HostProgram) -> HostProgram:
        launches = list(program.launches)
        launches[which] = change(launches[which])
        return replace(program, launches=tuple(launches))

    return apply


def of_reader(change: Callable[[Launch], Launch]) -> Callable[[HostProgram], HostProgram]:
    """Change the first launch that reads a weight."""

    def apply(program: HostProgram) -> HostProgram:
        readers = (any(a.space == "weight" for a in x.operands) for x in program.launches)
        return of_launch(list(readers).index(True), change)(program)

    return apply


def swapped(launch: Launch) -> Launch:
    first, second, *rest = launch.operands
    return replace(launch, operands=(second, first, *rest))


def moved(space: str, by: int) -> Callable[[Launch], Launch]:
    """Move the first operand in a space of a launch."""

    def apply(launch: Launch) -> Launch:
        operands = list(launch.operands)
        number = next(i for i, a in enumerate(operands) if a.space == space)
        operands[number] = replace(operands[number], offset=operands[number].offset + by)
        return replace(launch, operands=tuple(operands))

    return apply


def overlapping(program: HostProgram) -> HostProgram:
    """Every value of the workspace begins where the workspace does."""

    def at(address: Address) -> Address:
        return replace(address, offset=0) if address.space == "workspace" else address

    launches = [replace(x, operands=tuple(map(at, x.operands))) for x in program.launches]
    return replace(program, launches=tuple(launches))


def smaller_grid(variant: CudaVariant) -> CudaVariant:
    first, *rest = variant.kernels
    grid = (first.grid[0] - 1, *first.grid[1:])
    return replace(variant, kernels=[replace(first, grid=grid), *rest])


def other_image(variant: CudaVariant) -> CudaVariant:
    (offset, count), *rest = variant.images
    return replace(variant, images=[(offset + 256, count), *rest])


FAULTS = {
    "a wrong index in the text": in_text("v6 * 256 + ", "v6 * 240 + "),
    "a store to the next elements": in_text("*(uint2*)&b3[", "*(uint2*)&b3[4 + "),
    "a wrong condition": in_text(" < 12;", " < 11;"),
    "matrices loaded transposed": in_prelude("ldmatrix_x4", ".x4.", ".x4.trans."),
    "the operands of mma exchanged": in_text("{%4, %5, %6, %7}", "{%5, %4, %6, %7}"),
    "an accumulator that is not added": in_text("{%0, %1, %2, %3};", "{%1, %1, %2, %3};"),
    "copies fill with what is not there": in_prelude("cp_async_16", "inside ? 16 : 0", "16"),
    "no wait for copies": in_prelude("cp_async_wait", "wait_group %0", "wait_group 7"),
    "no barrier": in_text("__syncthreads();", ""),
    "another instruction": in_prelude("quotient_f32", "rcp.approx", "rsqrt.approx"),
    "values of fp16 one unit too large": in_prelude("store_f16", "return y", "return y + 64"),
    "the operands of a launch exchanged": in_program(of_launch(1, swapped)),
    "a result at a wrong place": in_program(of_launch(1, moved("workspace", 256))),
    "an output at a wrong place": in_program(of_launch(-1, moved("output", 16))),
    "a weight one line further": in_program(of_reader(moved("weight", 16))),
    "a weight off by one": in_program(of_reader(moved("weight", 2))),
    "values that live at the same place": in_program(overlapping),
    "one block less": in_variant(smaller_grid),
    "an image at a wrong place": in_variant(other_image),
    "inputs staged too near": in_host("aligned(dlc_inputs[i++].bytes)", "16 + 0 * i++"),
    "outputs staged too near": in_host("aligned(dlc_outputs[i++].bytes)", "16 + 0 * i++"),
    "stale arguments": in_host("changed |= pointer", "changed = pointer", "cuda_arguments.c"),
    "no edges": in_host("i < model->variant->edge_count", "i < 0 * i"),
    "the chunks of weights not awaited": in_host("TRY(cuStreamSynchronize(streams[i]));", ";"),
    "too little shared memory": in_host("= kernel->shared_bytes,", "= 64,"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_fault(fault: str, monkeypatch: Patch, tmp_path: Path) -> None:
    FAULTS[fault](monkeypatch)
    says = r"verification failed: .*; this is a fault of dlc|emulation: the process ended"
    with pytest.raises(CompileError, match=says) as found:
        compiled(tmp_path)
    print(fault, "->", found.value)
    assert not (tmp_path / "m.so").exists()


def test_a_fault_of_a_simulated_kernel_is_one_of_dlc(monkeypatch: Patch, tmp_path: Path) -> None:
    def fail(*_: object) -> None:
        raise SimulationError(
            "is outside: index 3, axis 0 of size 3", "loop.load", (1, 0, 0), (2, 0, 0)
        )

    monkeypatch.setattr(verifier, "verify_by_simulation", fail)
    message = (
        r"verification failed: loop.load: block \(1, 0, 0\), thread \(2, 0, 0\) is outside: "
        "index 3, axis 0 of size 3; this is a fault of dlc, please report the model"
    )
    with pytest.raises(MiscompileError, match=message):
        compiled(tmp_path)


def test_an_emulation_that_takes_too_long_is_no_fault(monkeypatch: Patch, tmp_path: Path) -> None:
    monkeypatch.setattr(model_module, "_SECONDS", 0)
    with pytest.raises(CompileError, match="emulation: ") as found:
        compiled(tmp_path)
    assert "fault of dlc" not in str(found.value)
