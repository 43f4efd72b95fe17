"""Random graphs of a few ops, the same for the same seed: products, elementwise ops, reductions,
softmax, transpositions and concatenations, with forks, diamonds and several outputs.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp

from dlc import registry
from dlc.analysis.dataflow import Dataflow
from dlc.analysis.entry import find_main
from dlc.core.parser import parse_module

Shape = tuple[int, int]

MOST_OPS = 9


SIDES = (16, 64, 512, 1024)


def random_module(seed: int, sides: Sequence[int] = SIDES) -> ModuleOp:
    """Return a graph of 4 to 9 ops on tensors with one of some numbers of rows and columns."""
    text = _Graph(random.Random(seed), sides).text()
    return parse_module(text, registry.new_context())


def random_flow(seed: int) -> Dataflow:
    """Return the ops of a graph."""
    return Dataflow(find_main(random_module(seed)).body.block)


@dataclass
class _Graph:
    random: random.Random
    sides: Sequence[int]
    lines: list[str] = field(default_factory=list[str])
    read: set[str] = field(default_factory=set[str])

    def text(self) -> str:
        """Return a program."""
        side = self.random.choice(self.sides)
        square = (side, side)
        inputs = [f"%x{n}" for n in range(self.random.randint(1, 3))]
        self.shapes: dict[str, Shape] = dict.fromkeys(inputs, square)
        count = self.random.randint(4, MOST_OPS)
        kinds = [self._unary, self._binary, self._reduce, self._transpose, self._concat]
        kinds += [self._unary, self._binary, self._softmax, self._matmul]
        while len(self.lines) < count:
            self.random.choice(kinds)(count - len(self.lines))
        computed = [v for v in self.shapes if v not in inputs]
        results = [v for v in computed if v not in self.read or self.random.random() < 0.15]
        types = ", ".join(_type(self.shapes[v]) for v in results)
        arguments = ", ".join(f"{v}: {_type(square)}" for v in inputs)
        body = "\n".join(self.lines)
        end = f"func.return {', '.join(results)} : {types}"
        return f"func.func @main({arguments}) -> ({types}) {{\n{body}\n{end} }}"

    def _pick(self, *shapes: Shape) -> str | None:
        fitting = [v for v, shape in self.shapes.items() if not shapes or shape in shapes]
        return self.random.choice(fitting[-4:]) if fitting else None

    def _add(self, op: str, operands: list[str], attributes: str, shape: Shape) -> str:
        result = f"%{len(self.lines)}"
        types = ", ".join(_type(self.shapes[v]) for v in operands)
        values = ", ".join(operands)
        text = f"{result} = graph.{op} {values}{attributes} : ({types}) -> {_type(shape)}"
        self.lines.append(text if len(operands) > 1 else text.replace(f"({types})", types))
        self.shapes[result] = shape
        self.read.update(operands)
        return result

    def _unary(self, _: int) -> None:
        x = self._pick()
        assert x is not None
        self._add(self.random.choice(["exp", "tanh", "relu"]), [x], "", self.shapes[x])

    def _binary(self, _: int) -> None:
        x = self._pick()
        assert x is not None
        rows, columns = self.shapes[x]
        other = self._pick((rows, columns), (rows, 1))
        assert other is not None
        self._add(self.random.choice(["add", "mul", "sub"]), [x, other], "", (rows, columns))

    def _reduce(self, _: int) -> None:
        x = self._pick()
        assert x is not None
        kind = self.random.choice(["reduce_sum", "reduce_max"])
        self._add(kind, [x], " axes [1] keep_dims", (self.shapes[x][0], 1))

    def _softmax(self, room: int) -> None:
        x = self._pick()
        assert x is not None
        if room < 5:
            return
        shape = self.shapes[x]
        one = (shape[0], 1)
        most = self._add("reduce_max", [x], " axes [1] keep_dims", one)
        power = self._add("exp", [self._add("sub", [x, most], "", shape)], "", shape)
        total = self._add("reduce_sum", [power], " axes [1] keep_dims", one)
        self._add("div", [power, total], "", shape)

    def _transpose(self, _: int) -> None:
        x = self._pick()
        assert x is not None
        rows, columns = self.shapes[x]
        self._add("transpose", [x], " {permutation = array<i64: 1, 0>}", (columns, rows))

    def _concat(self, _: int) -> None:
        x = self._pick()
        assert x is not None
        rows, columns = self.shapes[x]
        other = self._pick((rows, columns))
        assert other is not None
        axis = self.random.choice([0, 0, 1])
        shape = (2 * rows, columns) if axis == 0 else (rows, 2 * columns)
        self._add("concat", [x, other], f" {{axis = {axis} : i64}}", shape)

    def _matmul(self, _: int) -> None:
        x = self._pick()
        assert x is not None
        rows, columns = self.shapes[x]
        fitting = [v for v, shape in self.shapes.items() if shape[0] == columns]
        if fitting:
            y = self.random.choice(fitting)
            self._add("matmul", [x, y], "", (rows, self.shapes[y][1]))


def _type(shape: Shape) -> str:
    return f"tensor<{shape[0]}x{shape[1]}xf32>"
