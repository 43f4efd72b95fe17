"""An artifact of kernels that are given as text: each has one input and one output."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lowered import lowered
from xdsl.dialects.builtin import ModuleOp

from dlc.backends.cuda.cubins import CompiledKernel, compile_kernels
from dlc.compiler.driver import compile_to
from dlc.compiler.options import Options
from dlc.dialects.graph.structure import Array
from dlc.emulator.model import EmulatedModel
from dlc.verification.emulation import emulated_model

TARGET = "sm_90a"
_DTYPES = {"float16": "f16", "float32": "f32", "int8": "i8"}


@dataclass(frozen=True)
class Artifact:
    """A library and what it was made of."""

    path: Path
    module: ModuleOp
    compiled: Sequence[CompiledKernel]

    def emulated(self, folder: Path) -> EmulatedModel:
        """Return it as it runs on this machine's processor."""
        return emulated_model(self.path, folder, TARGET, [(self.module, self.compiled)], 1)


def build(
    kernels: Sequence[str], pairs: Sequence[tuple[Array, Array]], passes: str, folder: Path
) -> Artifact:
    """Return an artifact that runs kernel ``k`` of each text on input ``x0``, ``x1``, ... to output
    ``y0``, ``y1``, ..., with the shapes and types of ``pairs``.
    """
    inputs, outputs = ([_tensor(pair[side]) for pair in pairs] for side in (0, 1))
    given = ", ".join(f'%x{n}: {t} {{graph.name = "x{n}"}}' for n, t in enumerate(inputs))
    results = ", ".join(f'{t} {{graph.name = "y{n}"}}' for n, t in enumerate(outputs))
    launches = "\n".join(
        f"%r{n} = fused_group.launch @k{n}(%x{n}) : ({x}) -> {y}"
        for n, (x, y) in enumerate(zip(inputs, outputs, strict=True))
    )
    returned = ", ".join(f"%r{n}" for n in range(len(pairs)))
    main = f"func.func @main({given}) -> ({results}) {{\n{launches}\n"
    main += f"func.return {returned} : {', '.join(outputs)}\n}}"
    texts = [
        text.replace("@k(", f"@k{n}(").replace("#map", f"#map{n}") for n, text in enumerate(kernels)
    ]
    module = lowered("\n".join([*texts, main]), f"{passes},fused-group-plan-memory")
    (folder / "model.mlir").write_text(str(module))
    options = Options(TARGET, weights_from={})
    compile_to(folder / "model.so", folder / "model.mlir", options)
    return Artifact(folder / "model.so", module, compile_kernels(module, TARGET))


def _tensor(array: Array) -> str:
    return f"tensor<{'x'.join(map(str, array.shape))}x{_DTYPES[array.dtype.name]}>"
