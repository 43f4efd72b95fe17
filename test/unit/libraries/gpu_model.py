"""Models whose groups call a library on a GPU, compiled and run in the emulator."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from dlc import registry
from dlc.backends.cuda.cubins import compile_kernels
from dlc.compiler.driver import compile_to
from dlc.compiler.levels import lower
from dlc.compiler.options import Options
from dlc.compiler.targets import Target
from dlc.core.parser import parse_module
from dlc.emulator.model import EmulatedModel
from dlc.verification.emulation import emulated_model

TARGET = "sm_90a"

TILE = 'tile = [16, 32, 32], warps = [1, 2], instruction = "fma"'
"""Of a generated kernel for any product."""


def product(
    lhs: str, rhs: str, result: str, turned: str = "", after: str = "", library: str = ""
) -> str:
    """Return a model of one group: a product of ``tensor<lhs>`` and ``tensor<rhs>``.

    after: ``bias``, ``relu`` or both. library: more keys of the schedule, behind its name.
    """
    x, y, z = (f"tensor<{sizes}>" for sizes in (lhs, rhs, result))
    *_, columns, element = result.split("x")
    vector = f"tensor<{columns}x{element}>"
    ops, last = [f"%p = graph.matmul %a, %b {turned} : ({x}, {y}) -> {z}"], "%p"
    if "bias" in after:
        ops.append(f"%s = graph.add %p, %c : ({z}, {vector}) -> {z}")
        last = "%s"
    if "relu" in after:
        ops.append(f"%r = graph.relu {last} : {z} -> {z}")
        last = "%r"
    names, types = ("%x", "%y"), (x, y)
    if "bias" in after:
        names, types = (*names, "%v"), (*types, vector)
    given = ", ".join(f"{name}: {type}" for name, type in zip(names, types, strict=True))
    inner = ", ".join(f"{n}: {t}" for n, t in zip(("%a", "%b", "%c"), types, strict=False))
    body = "\n    ".join(ops)
    return f"""func.func @main({given}) -> {z} {{
  %0 = fused_group.group @g0({", ".join(names)}) : ({", ".join(types)}) -> {z} attributes {{
      schedule = #loop.schedule<strategy = "contract", target = "gpu", {TILE},
      library = "cublaslt"{library}>}} {{
  ^bb0({inner}):
    {body}
    fused_group.yield {last} : {z}
  }}
  func.return %0 : {z}
}}"""


class Compiled:
    """An artifact of a model, which runs in the emulator."""

    def __init__(self, folder: Path, text: str):
        source, self.path = folder / "model.mlir", folder / "model.so"
        source.write_text(text)
        self.folder = folder
        self.outcome = compile_to(self.path, source, Options(TARGET, weights_from={}, verify=False))
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


def integers(model: EmulatedModel) -> dict[str, NDArray[Any]]:
    """Return inputs of small integers, whose products are exact."""
    numbers = np.random.default_rng(0)
    return {x.name: numbers.integers(-4, 5, x.shape).astype(x.dtype) for x in model.inputs}
