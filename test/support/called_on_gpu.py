"""Models whose groups call a library on a GPU, compiled and run in the emulator."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

import dlc
from dlc import registry
from dlc.backends.cuda.cubins import compile_kernels
from dlc.compiler.driver import compile_to
from dlc.compiler.levels import lower
from dlc.compiler.options import Options
from dlc.compiler.targets import Target
from dlc.core.parser import parse_module
from dlc.emulator.model import EmulatedModel
from dlc.runtime.model import Model
from dlc.verification.emulation import emulated_model

Array = NDArray[Any]

TARGET = "sm_90a"

CALLED = (
    'strategy = "contract", target = "gpu", tile = [16, 32, 32], warps = [1, 2], '
    'instruction = "fma", library = "cublaslt"'
)
"""Keys of a schedule for any product."""


def group(name: str, inputs: Mapping[str, str], type: str, keys: str, *ops: str) -> str:
    """Return the group ``@name``, whose value is ``%name``.

    inputs: values and their types, which are ``%a``, ``%b``, ``%c`` inside. ops: values ``%0``,
    ``%1``, ...; the group gives the last one, of ``type``.
    """
    types = ", ".join(inputs.values())
    inner = ", ".join(f"%{x}: {each}" for x, each in zip("abc", inputs.values(), strict=False))
    body = "\n".join(f"    %{number} = {op}" for number, op in enumerate(ops))
    return f"""  %{name} = fused_group.group @{name}({", ".join(inputs)}) : ({types}) -> {type}
      attributes {{schedule = #loop.schedule<{keys}>}} {{
  ^bb0({inner}):
{body}
    fused_group.yield %{len(ops) - 1} : {type}
  }}
"""


def product(
    lhs: str, rhs: str, result: str, turned: str = "", after: str = "", library: str = ""
) -> str:
    """Return a model of one group: a product of ``tensor<lhs>`` and ``tensor<rhs>``.

    after: ``bias``, ``relu`` or both. library: more keys of the schedule, behind its name.
    """
    x, y, z = (f"tensor<{sizes}>" for sizes in (lhs, rhs, result))
    *_, columns, element = result.split("x")
    inputs = {"%x": x, "%y": y}
    ops = [f"graph.matmul %a, %b {turned} : ({x}, {y}) -> {z}"]
    if "bias" in after:
        inputs["%v"] = f"tensor<{columns}x{element}>"
        ops.append(f"graph.add %0, %c : ({z}, {inputs['%v']}) -> {z}")
    if "relu" in after:
        ops.append(f"graph.relu %{len(ops) - 1} : {z} -> {z}")
    given = ", ".join(f"{name}: {type}" for name, type in inputs.items())
    body = group("g", inputs, z, f"{CALLED}{library}", *ops)
    return f"func.func @main({given}) -> {z} {{\n{body}  func.return %g : {z}\n}}"


def loaded(
    library: str, folder: Path, text: str, weights: Mapping[str, Array] | None = None
) -> Model:
    """Compile a model whose groups call a library, and load it on the GPU of this machine; a test
    is skipped where the library is not found.
    """
    source, path = folder / "model.mlir", folder / "model.so"
    source.write_text(text)
    compile_to(path, source, Options(TARGET, weights_from=weights or {}, verify=False))
    model = dlc.load(path)
    model.workspace_bytes  # noqa: B018  (makes the model)
    found = model.report["libraries"][library]
    if not found["used"]:
        pytest.skip(f"library {library} is not found: {found['state']}")
    assert "generated ones run" not in found["state"], found["state"]
    return model


class Compiled:
    """An artifact of a model, which runs in the emulator."""

    def __init__(
        self,
        folder: Path,
        text: str,
        verify: bool = False,
        weights: Mapping[str, Array] | None = None,
    ):
        source, self.path = folder / "model.mlir", folder / "model.so"
        source.write_text(text)
        self.text = text
        self.folder = folder
        options = Options(TARGET, weights_from=weights or {}, verify=verify)
        self.outcome = compile_to(self.path, source, options)
        self.module = _module(text)

    def emulated(self, libraries: Mapping[str, Path]) -> EmulatedModel:
        """Return it as it runs here."""
        folder = self.folder / "emulated"
        folder.mkdir(exist_ok=True)
        variants = [(self.module, compile_kernels(self.module, TARGET))]
        return emulated_model(self.path, folder, TARGET, variants, 1, libraries=libraries)


def _module(text: str) -> ModuleOp:
    context = registry.new_context()
    module = parse_module(text, context)
    for _ in lower(context, module, Target(TARGET), "fp32", reached="fused-group"):
        pass
    return module


def integers(model: EmulatedModel) -> dict[str, Array]:
    """Return inputs of small integers, whose products are exact."""
    numbers = np.random.default_rng(0)
    return {x.name: numbers.integers(-4, 5, x.shape).astype(x.dtype) for x in model.inputs}


def wanted(text: str, factor: int, x: Array, y: Array, bias: Array | None = None) -> Array:
    """Return what a model of ``product`` gives, with ``factor`` times the product."""
    wide = np.int32 if x.dtype.kind == "i" else np.float64
    x = x.swapaxes(-1, -2) if "transpose_lhs" in text else x
    y = y.swapaxes(-1, -2) if "transpose_rhs" in text else y
    found = factor * (x.astype(wide) @ y.astype(wide))
    found = found if bias is None else found + bias.astype(wide)
    found = np.maximum(found, 0) if "graph.relu" in text else found
    return found if wide is np.int32 else found.astype(x.dtype)
