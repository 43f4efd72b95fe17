"""Layers that users write as loops over cells, as PyTorch's exporters write them: all steps are one
kernel, and mean what PyTorch computes.
"""

import io
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
import pytest

import dlc
from dlc.dialects.graph.structure import Array

torch: Any = pytest.importorskip("torch", reason="needs torch: pip install -e '.[torch]'")
pytest.importorskip("onnxscript", reason="needs onnxscript: pip install -e '.[torch]'")
nn = torch.nn
if TYPE_CHECKING:
    Tensor = Any
else:
    Tensor = torch.Tensor  # a script asks for the class

pytestmark = [
    pytest.mark.torch,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of torch itself
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]

STEPS, BATCH, INPUTS, UNITS = 40, 2, 48, 512


class _Reset(nn.Module):
    """A GRU that resets its state before the product: two products in a row."""

    def __init__(self) -> None:
        super().__init__()
        self.of_x = nn.Linear(INPUTS, 3 * UNITS)
        self.of_h = nn.Linear(UNITS, 2 * UNITS, bias=False)
        self.of_reset = nn.Linear(UNITS, UNITS, bias=False)

    def forward(self, x: Tensor, h: Tensor) -> Tensor:
        """Return the new state."""
        zx, rx, nx = self.of_x(x).chunk(3, 1)
        zh, rh = self.of_h(h).chunk(2, 1)
        z, r = torch.sigmoid(zx + zh), torch.sigmoid(rx + rh)
        return (1 - z) * torch.tanh(nx + self.of_reset(r * h)) + z * h


class _Joined(nn.Module):
    """The same of inputs and states beside each other."""

    def __init__(self) -> None:
        super().__init__()
        self.gates = nn.Linear(INPUTS + UNITS, 2 * UNITS)
        self.new = nn.Linear(INPUTS + UNITS, UNITS)

    def forward(self, x: Tensor, h: Tensor) -> Tensor:
        """Return the new state."""
        z, r = torch.sigmoid(self.gates(torch.cat([x, h], 1))).chunk(2, 1)
        return (1 - z) * torch.tanh(self.new(torch.cat([x, r * h], 1))) + z * h


class _List(nn.Module):
    """A loop that appends the states to a list."""

    def __init__(self, cell: Any):
        super().__init__()
        self.cell = cell

    def forward(self, x: Tensor, h: Tensor) -> tuple[Tensor, Tensor]:
        """Return the states of all steps, and the last one."""
        found = torch.jit.annotate(list[Tensor], [])
        for t in range(x.size(0)):
            h = self.cell(x[t], h)
            found.append(h)
        return torch.stack(found), h


class _Backward(nn.Module):
    """A loop from the last input to the first, of inputs with their batch first."""

    def __init__(self, cell: Any):
        super().__init__()
        self.cell = cell

    def forward(self, x: Tensor, h: Tensor) -> tuple[Tensor, Tensor]:
        """Return the states of all steps, and the last one."""
        found = torch.jit.annotate(list[Tensor], [])
        for t in range(x.size(1)):
            h = self.cell(x[:, x.size(1) - 1 - t], h)
            found.append(h)
        return torch.stack(found, 1), h


class _Last(nn.Module):
    """A loop of which only the last state is asked for."""

    def __init__(self, cell: Any):
        super().__init__()
        self.cell = cell

    def forward(self, x: Tensor, h: Tensor) -> Tensor:
        """Return the last state."""
        for t in range(x.size(0)):
            h = self.cell(x[t], h)
        return h


class _Scan(nn.Module):
    """A scan of PyTorch's own, which the newer exporter writes as one of ONNX."""

    def __init__(self, cell: Any):
        super().__init__()
        self.cell = cell

    def forward(self, x: Any, h: Any) -> Any:
        """Return the last state, and those of all steps."""
        scan = import_module("torch._higher_order_ops.scan").scan

        def step(h: Any, x: Any) -> Any:
            new = self.cell(x, h)
            return new, new.clone()

        return scan(step, h, x)


def _exported(model: Any, inputs: tuple[Any, ...]) -> onnx.ModelProto:
    if isinstance(model, _Scan):
        return torch.onnx.export(model, inputs, dynamo=True, verbose=False).model_proto
    file = io.BytesIO()
    script = torch.jit.script(model)
    torch.onnx.export(script, inputs, file, dynamo=False, opset_version=17)
    return onnx.load_from_string(file.getvalue())


def _feeds(model: onnx.ModelProto, inputs: tuple[Any, ...]) -> Mapping[str, Array]:
    return {x.name: y.numpy() for x, y in zip(model.graph.input, inputs, strict=True)}


@pytest.mark.parametrize("target", ["cpu", "sm_90a"])
@pytest.mark.parametrize("cell", [_Reset, _Joined])
@pytest.mark.parametrize("loop", [_List, _Backward, _Last, _Scan])
def test_all_steps_are_one_kernel(loop: Any, cell: Any, target: str) -> None:
    torch.manual_seed(0)
    sizes = (BATCH, STEPS, INPUTS) if loop is _Backward else (STEPS, BATCH, INPUTS)
    inputs = torch.randn(*sizes), torch.randn(BATCH, UNITS)
    layer = loop(cell()).eval()
    model = _exported(layer, inputs)
    operator = "Scan" if loop is _Scan else "Loop"
    assert operator in {node.op_type for node in model.graph.node}
    artifact = dlc.compile(model, target=target, verify=False)
    report = artifact.report["variants"][0]
    launched = [
        each["launches"]
        for each in report["kernels"]
        if each["schedule"]["strategy"] == "recurrent"
    ]
    assert launched == [1]
    # Products of inputs before the steps, and where the batch is first, copies on both sides.
    assert sum(each["launches"] for each in report["kernels"]) <= 3 + 3 * (loop is _Backward)
    if target == "cpu":
        with torch.no_grad():
            wanted = layer(*inputs)
        found = artifact.run(_feeds(model, inputs))
        wanted = wanted if isinstance(wanted, tuple) else (wanted,)
        for array, expected in zip(found.values(), wanted, strict=True):
            np.testing.assert_allclose(array, expected.numpy(), rtol=1e-4, atol=2e-5)
