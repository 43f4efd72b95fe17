"""ONNX's backend interface over ``dlc.compile``, for the CPU.

A model is compiled when it is run, for the shapes of the inputs it is given. Inputs whose values
decide the shape of something (the shape of a Reshape) are compiled in.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx.backend.base import Backend, BackendRep

import dlc
from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError
from dlc.frontends.onnx.check import check_model
from dlc.frontends.onnx.conversion import UnknownValueError
from dlc.frontends.onnx.input_types import model_inputs

Run = Callable[[Mapping[str, Array]], Mapping[str, Array]]
Compile = Callable[[onnx.ModelProto, Mapping[str, Sequence[int]], Mapping[str, Array]], Run]
"""Compiles a model for input shapes, with the values of some inputs fixed."""


def _compile_for_cpu(
    model: onnx.ModelProto, shapes: Mapping[str, Sequence[int]], constants: Mapping[str, Array]
) -> Run:
    # Whoever runs models through this interface compares the results; checking each twice is slow.
    compiled = dlc.compile(model, target="cpu", shapes=shapes, constants=constants, verify=False)
    return compiled.run


class PreparedModel(BackendRep):
    """A model that is compiled once per shapes, and values of compiled-in inputs, of a run."""

    def __init__(self, model: onnx.ModelProto, compile: Compile):
        self._model = model
        self._compile = compile
        self._names = [i.name for i in model_inputs(model.graph)]
        self._compiled_in: tuple[str, ...] = ()
        self._runs: dict[tuple[object, ...], Run] = {}

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Array, ...]:
        """Run on arrays, in order or by name, and return the outputs in order."""
        given = (
            inputs if isinstance(inputs, Mapping) else dict(zip(self._names, inputs, strict=False))
        )
        feeds = {name: np.asarray(x) for name, x in given.items()}
        run = self._find(feeds)
        results = run({n: x for n, x in feeds.items() if n not in self._compiled_in})
        return tuple(results[o.name] for o in self._model.graph.output)

    def _find(self, feeds: Mapping[str, Array]) -> Run:
        while True:
            fixed = {name: feeds[name] for name in self._compiled_in}
            shapes = {name: x.shape for name, x in feeds.items()}
            key = (*shapes.items(), *((name, x.tobytes()) for name, x in fixed.items()))
            try:
                if key not in self._runs:
                    self._runs[key] = self._compile(self._model, shapes, fixed)
                return self._runs[key]
            except UnknownValueError as error:
                found = {*self._compiled_in, *error.inputs}
                if len(found) == len(self._compiled_in):
                    raise
                self._compiled_in = tuple(sorted(found))


class DlcBackend(Backend):
    """Runs ONNX models compiled for the CPU."""

    COMPILE: Compile = staticmethod(_compile_for_cpu)

    @classmethod
    def is_compatible(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> bool:
        """Return whether everything in the model is supported, once the inputs are given."""
        return cls.supports_device(device) and all(p.unknown for p in check_model(model).problems)

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> PreparedModel:
        """Return the model, ready to be compiled for the inputs it is run with.

        Raises CompileError for a device that ``supports_device`` does not name.
        """
        if not cls.supports_device(device):
            raise CompileError(
                f"this backend runs on the CPU, not on {device!r}; "
                "dlc.compile(model, target=...) compiles for a GPU"
            )
        return PreparedModel(model, cls.COMPILE)

    @classmethod
    def run_node(
        cls,
        node: onnx.NodeProto,
        inputs: Any,
        device: str = "CPU",
        outputs_info: Sequence[tuple[np.dtype, tuple[int, ...]]] | None = None,
        **kwargs: Any,
    ) -> tuple[Array, ...]:
        """Run one node as a model of its own."""
        feeds = dict(zip(filter(None, node.input), map(np.asarray, inputs), strict=True))
        opset = kwargs.get("opset_version", onnx.defs.onnx_opset_version())
        graph = onnx.helper.make_graph(
            [node],
            "node",
            [_value_info(name, x) for name, x in feeds.items()],
            [onnx.ValueInfoProto(name=name) for name in node.output if name],
        )
        imports = [onnx.helper.make_opsetid(node.domain, opset)]
        model = onnx.helper.make_model(graph, opset_imports=imports)
        return cls.prepare(model, device).run(feeds)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Return whether models run on a device; only the CPU does."""
        return device.split(":")[0] == "CPU"


def _value_info(name: str, array: Array) -> onnx.ValueInfoProto:
    element = onnx.helper.np_dtype_to_tensor_dtype(array.dtype)
    return onnx.helper.make_tensor_value_info(name, element, array.shape)


is_compatible = DlcBackend.is_compatible
prepare = DlcBackend.prepare
run_model = DlcBackend.run_model
run_node = DlcBackend.run_node
supports_device = DlcBackend.supports_device
