"""Random ONNX models, the same for the same seed: what a compile must not refuse.

``python test/fuzz/random_models.py 0 200`` compiles those of seeds 0 to 199 for the CPU, compares
them with ONNX Runtime, and prints what was refused.
"""

import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from dlc import registry
from dlc.compiler import Options, compile_to
from dlc.core.weights import WeightStore
from dlc.errors import CompileError
from dlc.frontends.onnx.importer import import_model
from dlc.verification.judge import Judge
from dlc.verification.reference import Reference

OPSET = 18
FLOATS = (TensorProto.FLOAT, TensorProto.FLOAT16)


@dataclass(frozen=True)
class Tensor:
    """A value of the graph. kind: a float type of ``TensorProto``."""

    name: str
    kind: int
    shape: tuple[int, ...]


class _Graph:
    """A graph that grows by one random operator after the other."""

    def __init__(self, seed: int):
        self.random = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.inputs = [self._input(number) for number in range(self.random.integers(1, 4))]
        self.tensors = list(self.inputs)

    def _input(self, number: int) -> Tensor:
        shape = [int(self.random.integers(1, 9)) for _ in range(self.random.integers(1, 5))]
        return Tensor(f"x{number}", self.random.choice(FLOATS).item(), tuple(shape))

    def pick(self, rank: int = 1, below: float = np.inf) -> Tensor:
        """Return a random value of at least ``rank`` axes, the latest ones most often."""
        fits = [t for t in self.tensors if len(t.shape) >= rank and prod(t.shape) < below]
        if not fits:
            return self._reshaped(self.tensors[-1], rank)
        return fits[-1 - min(self.random.geometric(0.4) - 1, len(fits) - 1)]

    def _reshaped(self, x: Tensor, rank: int) -> Tensor:
        shape = (*x.shape, *(1,) * (rank - len(x.shape)))
        return self.add("Reshape", x, self.constant(np.array(shape)), shape=shape)

    def constant(self, array: NDArray[Any], kind: int | None = None) -> str:
        """Add a constant; return its name."""
        name = f"w{len(self.weights)}"
        if kind is not None:
            array = array.astype(helper.tensor_dtype_to_np_dtype(kind))
        self.weights.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def noise(self, shape: Sequence[int], kind: int) -> str:
        """Add a constant of random numbers; return its name."""
        return self.constant(self.random.standard_normal(tuple(shape)), kind)

    def clipped(self, x: Tensor) -> Tensor:
        """Add a limit of the values to what every integer type holds."""
        limits = [self.constant(np.array(n), x.kind) for n in (-100, 100)]
        return self.add("Clip", x, *limits)

    def add(
        self,
        operator: str,
        *operands: Tensor | str,
        shape: Sequence[int] | None = None,
        kind: int | None = None,
        outputs: int = 1,
        **attributes: Any,
    ) -> Tensor:
        """Add a node; shape and type of its first result are those of its first operand."""
        first = operands[0]
        if shape is None or kind is None:
            assert isinstance(first, Tensor)
            shape = first.shape if shape is None else shape
            kind = first.kind if kind is None else kind
        number = len(self.nodes)
        names = [f"v{number}" if n == 0 else f"v{number}_{n}" for n in range(outputs)]
        inputs = [x.name if isinstance(x, Tensor) else x for x in operands]
        self.nodes.append(helper.make_node(operator, inputs, names, f"n{number}", **attributes))
        return Tensor(names[0], kind, tuple(shape))

    def model(self) -> onnx.ModelProto:
        """Return the model; its results are the values that nothing reads."""
        read = {name for node in self.nodes for name in node.input}
        ends = [t for t in self.tensors if t.name not in read and t not in self.inputs]
        inputs, outputs = ([_info(t) for t in tensors] for tensors in (self.inputs, ends))
        graph = helper.make_graph(self.nodes, "random", inputs, outputs, self.weights)
        opsets = [helper.make_opsetid("", OPSET)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def _info(tensor: Tensor) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(tensor.name, tensor.kind, tensor.shape)


UNARY = ["Relu", "Sigmoid", "Tanh", "Erf", "Softplus", "HardSigmoid", "LeakyRelu"]
STEPS = ["Floor", "Round", "Ceil", "Sign", "Abs", "Neg"]
BINARY = ["Add", "Sub", "Mul", "Max", "Min"]
REDUCTIONS = ["ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceL2"]


def _unary(g: _Graph) -> Tensor:
    return g.add(str(g.random.choice(UNARY)), g.pick())


def _step(g: _Graph) -> Tensor:
    return g.add(str(g.random.choice(STEPS)), g.pick())


def _positive(g: _Graph) -> Tensor:
    x = g.add("Abs", g.pick())
    return g.add(
        str(g.random.choice(["Sqrt", "Reciprocal"])),
        g.add("Add", x, g.constant(np.array(0.5), x.kind)),
    )


def _exp(g: _Graph) -> Tensor:
    return g.add("Exp", g.add("Neg", g.add("Abs", g.pick())))


def _binary(g: _Graph) -> Tensor:
    x = g.pick()
    sizes = [n if g.random.random() < 0.6 else 1 for n in x.shape]
    operator = str(g.random.choice(BINARY))
    return g.add(operator, x, g.noise(sizes, x.kind))


def _sum(g: _Graph) -> Tensor:
    x = g.pick()
    partners = [t for t in g.tensors if t.shape == x.shape and t.kind == x.kind]
    return g.add(str(g.random.choice(BINARY)), x, partners[g.random.integers(len(partners))])


def _divide(g: _Graph) -> Tensor:
    x = g.pick()
    return g.add("Div", x, g.constant(g.random.uniform(0.5, 2, x.shape[-1:]), x.kind))


def _product(g: _Graph) -> Tensor:
    x = g.pick(2)
    columns = int(g.random.integers(1, 20))
    weight = g.noise((x.shape[-1], columns), x.kind)
    return g.add("MatMul", x, weight, shape=(*x.shape[:-1], columns))


def _convolution(g: _Graph) -> Tensor:
    x = g.pick(4)
    if len(x.shape) != 4:
        return _unary(g)
    size = int(g.random.choice([1, 3]))
    channels = int(g.random.integers(1, 9))
    pads = [size // 2] * 4
    weight = g.noise((channels, x.shape[1], size, size), x.kind)
    shape = (x.shape[0], channels, *x.shape[2:])
    return g.add("Conv", x, weight, g.noise((channels,), x.kind), shape=shape, pads=pads)


def _pool(g: _Graph) -> Tensor:
    x = g.pick(4)
    if len(x.shape) != 4:
        return _unary(g)
    operator = str(g.random.choice(["MaxPool", "AveragePool"]))
    return g.add(operator, x, kernel_shape=[3, 3], pads=[1, 1, 1, 1])


def _resize(g: _Graph) -> Tensor:
    x = g.pick(4, below=2000)
    if len(x.shape) != 4:
        return _unary(g)
    shape = [*x.shape[:2], *(int(n * g.random.choice([0.5, 1, 2]) + 1) for n in x.shape[2:])]
    mode = str(g.random.choice(["nearest", "linear"]))
    places = str(g.random.choice(["half_pixel", "asymmetric", "align_corners"]))
    return g.add(
        "Resize",
        x,
        "",
        "",
        g.constant(np.array(shape)),
        shape=shape,
        mode=mode,
        coordinate_transformation_mode=places,
    )


def _along(g: _Graph) -> Tensor:
    x = g.pick()
    operator = str(g.random.choice(["Softmax", "LogSoftmax"]))
    return g.add(operator, x, axis=int(g.random.integers(len(x.shape))))


def _norm(g: _Graph) -> Tensor:
    x = g.pick()
    sizes = x.shape[-1:]
    return g.add("LayerNormalization", x, g.noise(sizes, x.kind), g.noise(sizes, x.kind), axis=-1)


def _reduce(g: _Graph) -> Tensor:
    x = g.pick(2)
    axis = int(g.random.integers(len(x.shape)))
    shape = tuple(1 if n == axis else size for n, size in enumerate(x.shape))
    axes = g.constant(np.array([axis]))
    return g.add(str(g.random.choice(REDUCTIONS)), x, axes, shape=shape, keepdims=1)


def _transpose(g: _Graph) -> Tensor:
    x = g.pick()
    axes = g.random.permutation(len(x.shape)).tolist()
    return g.add("Transpose", x, shape=[x.shape[a] for a in axes], perm=axes)


def _reshape(g: _Graph) -> Tensor:
    x = g.pick()
    cut = int(g.random.integers(len(x.shape) + 1))
    shape = (prod(x.shape[:cut]), prod(x.shape[cut:]))
    return g.add("Reshape", x, g.constant(np.array(shape)), shape=shape)


def _concat(g: _Graph) -> Tensor:
    x = g.pick(below=5000)
    axis = int(g.random.integers(len(x.shape)))
    other = g.noise(x.shape, x.kind)
    shape = [2 * n if a == axis else n for a, n in enumerate(x.shape)]
    return g.add("Concat", x, other, shape=shape, axis=axis)


def _slice(g: _Graph) -> Tensor:
    x = g.pick()
    axis = int(g.random.integers(len(x.shape)))
    start = int(g.random.integers(x.shape[axis]))
    shape = [n - start if a == axis else n for a, n in enumerate(x.shape)]
    ends = [g.constant(np.array([n])) for n in (start, x.shape[axis], axis)]
    return g.add("Slice", x, *ends, shape=shape)


def _gather(g: _Graph) -> Tensor:
    x = g.pick()
    axis = int(g.random.integers(len(x.shape)))
    size = x.shape[axis]
    places = g.random.integers(-size, size, int(g.random.integers(1, 9)))
    shape = (*x.shape[:axis], len(places), *x.shape[axis + 1 :])
    return g.add("Gather", x, g.constant(places), shape=shape, axis=axis)


def _best(g: _Graph) -> Tensor:
    """Gather the elements at the largest ones of another value."""
    x = g.pick()
    places = g.add("ArgMax", x, shape=(), kind=TensorProto.INT64, axis=-1, keepdims=1)
    return g.add("GatherElements", x, places, shape=(*x.shape[:-1], 1), axis=-1)


def _where(g: _Graph) -> Tensor:
    x = g.pick()
    operator = str(g.random.choice(["Greater", "Less", "Equal"]))
    test = g.add(operator, x, g.noise(x.shape[-1:], x.kind), kind=TensorProto.BOOL)
    return g.add("Where", test, x, g.noise(x.shape, x.kind), kind=x.kind)


def _cast(g: _Graph) -> Tensor:
    x = g.pick()
    kind = FLOATS[1 - FLOATS.index(x.kind)]
    return g.add("Cast", x, kind=kind, to=kind)


def _through_integers(g: _Graph) -> Tensor:
    x = g.pick()
    whole = g.add("Cast", g.clipped(x), kind=TensorProto.INT32, to=TensorProto.INT32)
    return g.add("Cast", whole, kind=x.kind, to=x.kind)


def _largest(g: _Graph) -> Tensor:
    x = g.pick()
    count = int(g.random.integers(1, x.shape[-1] + 1))
    shape = (*x.shape[:-1], count)
    return g.add("TopK", x, g.constant(np.array([count])), shape=shape, outputs=2)


def _running_sum(g: _Graph) -> Tensor:
    x = g.pick()
    return g.add("CumSum", x, g.constant(np.array(int(g.random.integers(len(x.shape))))))


OPERATORS: Sequence[Callable[[_Graph], Tensor]] = (
    *(_unary, _step, _positive, _exp, _binary, _binary, _sum, _divide, _product, _product),
    *(_convolution, _pool, _resize, _along, _norm, _reduce, _transpose, _reshape, _concat),
    *(_slice, _gather, _best, _where, _cast, _cast, _through_integers, _largest, _running_sum),
)


def random_model(seed: int, operators: int = 12) -> onnx.ModelProto:
    """Return a valid model of ``operators`` random operators or a few more, small in every size."""
    graph = _Graph(seed)
    for _ in range(operators):
        choice = OPERATORS[int(graph.random.integers(len(OPERATORS)))]
        graph.tensors.append(choice(graph))
    model = graph.model()
    onnx.checker.check_model(model, full_check=True)
    return model


def check_random_model(seed: int, folder: Path) -> None:
    """Fail unless a model compiles for the CPU, and ONNX Runtime gives what the import means."""
    model = random_model(seed)
    compile_to(folder / f"{seed}.so", model, Options("cpu"))
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    data = model.SerializeToString()
    session = onnxruntime.InferenceSession(data, options, ["CPUExecutionProvider"])
    random = np.random.default_rng(seed)
    feeds = {x.name: _feed(x, random) for x in model.graph.input}
    names = [x.name for x in model.graph.output]
    context = registry.new_context(WeightStore())
    module = import_model(model, None, context)
    outputs = {n: np.asarray(x) for n, x in zip(names, session.run(names, feeds), strict=True)}
    Judge(Reference(module, context.weights), "fp32").check(feeds, outputs, "random")


def _feed(info: onnx.ValueInfoProto, random: np.random.Generator) -> NDArray[Any]:
    kind = info.type.tensor_type
    sizes = [d.dim_value for d in kind.shape.dim]
    return random.standard_normal(sizes).astype(helper.tensor_dtype_to_np_dtype(kind.elem_type))


def main() -> int:
    """Check the models of a range of seeds; return how many were refused."""
    first, end = map(int, sys.argv[1:])
    refused = 0
    for seed in range(first, end):
        with tempfile.TemporaryDirectory() as folder:
            try:
                check_random_model(seed, Path(folder))
            except CompileError as error:
                refused += 1
                print(f"{seed}: {error}", flush=True)
    print(f"{refused} of {end - first} refused")
    return min(refused, 1)


if __name__ == "__main__":
    sys.exit(main())
