"""Recurrent layers as exporters write them where they have no operator for them: loops of cells."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

from dlc.dialects.graph.structure import Array

_node = helper.make_node

_LSTM = [
    _node("Split", ["total"], ["i", "f", "g", "o"], axis=1),
    *(_node("Sigmoid", [name], [f"s{name}"]) for name in "ifo"),
    _node("Tanh", ["g"], ["tg"]),
    _node("Mul", ["sf", "c"], ["kept"]),
    _node("Mul", ["si", "tg"], ["new"]),
    _node("Add", ["kept", "new"], ["next_c"]),
    _node("Tanh", ["next_c"], ["tc"]),
    _node("Mul", ["so", "tc"], ["next_h"]),
]
"""From the sums of the gates and the state ``c`` to both states."""

_GATES = [
    _node("Split", ["of_x"], ["zx", "rx", "gx"], axis=1),
    _node("Split", ["of_h"], ["zh", "rh"], axis=1),
    _node("Add", ["zx", "zh"], ["zs"]),
    _node("Sigmoid", ["zs"], ["z"]),
    _node("Add", ["rx", "rh"], ["rs"]),
    _node("Sigmoid", ["rs"], ["r"]),
]
_GRU = [
    *_GATES,
    _node("Mul", ["r", "h"], ["reset"]),
    _node("MatMul", ["reset", "v"], ["of_reset"]),
    _node("Add", ["gx", "of_reset"], ["gs"]),
    _node("Tanh", ["gs"], ["g"]),
    _node("Sub", ["h", "g"], ["gap"]),
    _node("Mul", ["z", "gap"], ["part"]),
    _node("Add", ["g", "part"], ["next_h"]),
]
"""From the products to the state, with the reset before the last one."""


@dataclass(frozen=True)
class WrittenCell:
    """A layer of ``steps`` steps of ``batch`` sequences.

    form: "gemms" (an LSTM as PyTorch's LSTMCell, two Gemm), "joined" (as Keras and TensorFlow write
    it: one product of input and state beside each other), "rnn", "gru" (the reset before the
    product), all of them in a Scan; "lookup" (an LSTM in a Loop that looks its input up by the
    number of the step, as a script of PyTorch does).
    """

    form: str
    steps: int
    batch: int
    inputs: int
    units: int
    backward: bool = False

    @property
    def _sizes(self) -> Mapping[str, Sequence[int]]:
        i, h = self.inputs, self.units
        known: dict[str, Mapping[str, Sequence[int]]] = {
            "gemms": {"w": (4 * h, i), "u": (4 * h, h), "b": (4 * h,), "d": (4 * h,)},
            "joined": {"w": (i + h, 4 * h), "b": (4 * h,)},
            "rnn": {"w": (i, h), "u": (h, h), "b": (h,)},
            "gru": {"w": (i, 3 * h), "u": (h, 2 * h), "v": (h, h), "b": (3 * h,)},
        }
        return known.get(self.form, {"w": (i, 4 * h), "u": (h, 4 * h), "b": (4 * h,)})

    @property
    def _is_loop(self) -> bool:
        return self.form == "lookup"

    @property
    def states(self) -> list[str]:
        """The names of the states."""
        return ["h"] if self.form in ("rnn", "gru") else ["h", "c"]

    def _cell(self) -> list[NodeProto]:
        """Return the nodes of a step, from ``x`` and the states to the new ones."""
        if self.form == "gemms":
            both = [
                _node("Gemm", ["x", "w", "b"], ["of_x"], transB=1),
                _node("Gemm", ["h", "u", "d"], ["of_h"], transB=1),
            ]
            return [*both, _node("Add", ["of_x", "of_h"], ["total"]), *_LSTM]
        if self.form == "joined":
            joined = [
                _node("Concat", ["x", "h"], ["xh"], axis=1),
                _node("MatMul", ["xh", "w"], ["product"]),
            ]
            return [*joined, _node("Add", ["product", "b"], ["total"]), *_LSTM]
        both = [
            _node("MatMul", ["x", "w"], ["of_x0"]),
            _node("Add", ["of_x0", "b"], ["of_x"]),
            _node("MatMul", ["h", "u"], ["of_h"]),
        ]
        if self.form == "gru":
            return [*both, *_GRU]
        total = _node("Add", ["of_x", "of_h"], ["total"])
        rest = [_node("Tanh", ["total"], ["next_h"])] if self.form == "rnn" else _LSTM
        return [*both, total, *rest]

    def _loop(self) -> NodeProto:
        initial, last = ([f"{name}{end}" for name in self.states] for end in ("0", "1"))
        nodes = [*self._cell(), _node("Identity", ["next_h"], ["y"])]
        results = [*(f"next_{name}" for name in self.states), "y"]
        ends = [_value(name, self.batch, self.units) for name in self.states]
        attributes: dict[str, Any] = {}
        if self._is_loop:
            nodes.insert(0, _node("Gather", ["xs", "t"], ["x"], axis=0))
            nodes.append(_node("Identity", ["going"], ["goes_on"]))
            counters = [_value("t", type=TensorProto.INT64), _value("going", type=TensorProto.BOOL)]
            body = helper.make_graph(nodes, "body", [*counters, *ends], _named("goes_on", *results))
            return _node("Loop", ["count", "true", *initial], [*last, "ys"], body=body)
        ends.append(_value("x", self.batch, self.inputs))
        body = helper.make_graph(nodes, "body", ends, _named(*results))
        way = [int(self.backward)]
        attributes = {"scan_input_directions": way, "scan_output_directions": way}
        names = [*last, "ys"]
        return _node("Scan", [*initial, "xs"], names, body=body, num_scan_inputs=1, **attributes)

    def model(self) -> onnx.ModelProto:
        """Return the layer as a model of initial states and all inputs."""
        generator, scale = np.random.default_rng(self.units), 1.5 / np.sqrt(self.units)
        tensors: dict[str, Array] = {
            name: (generator.uniform(-1, 1, size) * scale).astype(np.float32)
            for name, size in self._sizes.items()
        }
        if self._is_loop:
            tensors |= {"count": np.array(self.steps), "true": np.array(True)}
        ends = [_value(f"{name}0", self.batch, self.units) for name in self.states]
        graph = helper.make_graph(
            [self._loop()],
            "layer",
            [*ends, _value("xs", self.steps, self.batch, self.inputs)],
            _named("ys", *(f"{name}1" for name in self.states)),
            [numpy_helper.from_array(x, name) for name, x in tensors.items()],
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)

    def feeds(self) -> dict[str, Array]:
        """Return random inputs."""
        generator = np.random.default_rng(self.steps)
        return {
            x.name: generator.uniform(
                -1, 1, [d.dim_value for d in x.type.tensor_type.shape.dim]
            ).astype(np.float32)
            for x in self.model().graph.input
        }


def _value(name: str, *sizes: int, type: int = TensorProto.FLOAT) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, type, sizes)


def _named(*names: str) -> list[ValueInfoProto]:
    return [ValueInfoProto(name=name) for name in names]
