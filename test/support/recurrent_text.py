"""Loops of steps as the text of a group, of any sizes, and what they give in float64."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from ml_dtypes import bfloat16

from dlc.dialects.graph.structure import Array

DTYPES = {"f16": np.float16, "bf16": bfloat16, "f32": np.float32}


@dataclass(frozen=True)
class Case:
    """``steps`` steps of ``sequences`` sequences with ``units`` units, by a schedule, or none.

    cell: "lstm", "gru" (with its reset behind the product), "reset" (a gru with its reset before
    the product: two products in a row), "rnn", "stack" (two of these, the second a step behind),
    "deep" (three products in a row, the second one of two factors). initial: whether the states
    begin as tensors, else as zeros. lengths: whether sequences end before the last step; their
    states stay then, and what they give is zero. last: whether the last states are results. room:
    elements behind a step's part of the result, which is flat then.
    """

    cell: str
    schedule: str
    steps: int
    sequences: int
    units: int
    element: str = "f16"
    initial: bool = False
    backward: bool = False
    lengths: bool = False
    last: bool = False
    tf32: bool = False
    room: int = 0
    target: str = "gpu"

    @property
    def states(self) -> int:
        """The states that a step gives the next one."""
        return 2 if self.cell in ("lstm", "stack") else 1

    @property
    def gates(self) -> int:
        """The columns of products that a unit has."""
        return {"lstm": 4, "gru": 3, "reset": 3}.get(self.cell, 1)

    def inputs(self) -> Mapping[str, Array]:
        """Return random inputs by name."""
        rng = np.random.default_rng(self.units * self.sequences + self.steps)
        h, b, scale = self.units, self.sequences, 1.5 / np.sqrt(self.units)
        sizes: dict[str, tuple[tuple[int, ...], float]] = {
            "x": ((self.steps, b, self.gates * h), 1.0)
        }
        if self.cell == "gru":
            sizes |= {"w": ((2 * h, h), scale), "v": ((h, h), scale), "bias": ((h,), 1.0)}
        elif self.cell == "reset":
            sizes |= {"w": ((2 * h, h), scale), "v": ((h, h), scale)}
        elif self.cell == "deep":
            sizes |= dict.fromkeys("wuv", ((h, h), scale))
        elif self.cell == "stack":
            sizes |= dict.fromkeys("wuv", ((h, h), scale)) | {"bias": ((h,), 1.0)}
        else:
            sizes |= {"w": ((self.gates * h, h), scale)}
        if self.initial:
            sizes |= {f"s{n}": ((b, h), 1.0) for n in range(self.states)}
        found: dict[str, Array] = {
            name: (rng.uniform(-1, 1, size) * scale).astype(DTYPES[self.element])
            for name, (size, scale) in sizes.items()
        }
        if self.lengths:
            left = rng.integers(0, self.steps + 1, b)
            found["left"] = (left - np.arange(self.steps)[:, None]).astype(np.int32)
        return found

    def wanted(self, inputs: Mapping[str, Array]) -> list[Array]:
        """Return the results in float64: the states of all steps, then the last ones."""
        own = {name: x.astype(np.float64) for name, x in inputs.items()}
        zeros = np.zeros((self.sequences, self.units))
        states: Sequence[Array] = [own.get(f"s{n}", zeros) for n in range(self.states)]
        given = np.zeros((self.steps, self.sequences, self.units))
        places = range(self.steps)
        for place in reversed(places) if self.backward else places:
            new = self._step(own, own["x"][place], states)
            runs = own["left"][place][:, None] > 0 if self.lengths else True
            states = [np.where(runs, n, o) for n, o in zip(new, states, strict=True)]
            given[place] = np.where(runs, new[0], 0)
        if self.room:
            given = np.pad(given.reshape(self.steps, -1), [(0, 0), (0, self.room)])
        return [given, *states] if self.last else [given]

    def _step(self, own: Mapping[str, Array], x: Array, states: Sequence[Array]) -> Sequence[Array]:
        h, *rest = states
        if self.cell == "rnn":
            return [np.tanh(x + h @ own["w"].T)]
        if self.cell == "stack":
            below = h @ own["u"].T + own["bias"]
            return [np.tanh(x + h @ own["w"].T), np.tanh(below + rest[0] @ own["v"].T)]
        if self.cell == "deep":
            a = np.tanh(x + h @ own["w"].T)
            b = np.tanh(a @ own["u"].T + (a * x) @ own["v"].T)
            return [np.tanh(b @ own["w"].T + a * h)]
        if self.cell == "reset":
            zx, rx, nx = np.split(x, 3, axis=1)
            zh, rh = np.split(h @ own["w"].T, 2, axis=1)
            z, r = _sigmoid(zx + zh), _sigmoid(rx + rh)
            new = np.tanh(nx + (r * h) @ own["v"].T)
            return [(1 - z) * new + z * h]
        if self.cell == "lstm":
            i, o, f, c = np.split(x + h @ own["w"].T, 4, axis=1)
            cell = _sigmoid(f) * rest[0] + _sigmoid(i) * np.tanh(c)
            return [_sigmoid(o) * np.tanh(cell), cell]
        zx, rx, nx = np.split(x, 3, axis=1)
        zh, rh = np.split(h @ own["w"].T, 2, axis=1)
        z, r = _sigmoid(zx + zh), _sigmoid(rx + rh)
        new = np.tanh(nx + r * (h @ own["v"].T + own["bias"]))
        return [(1 - z) * new + z * h]

    def text(self) -> str:
        """Return a module whose ``main`` is the group."""
        names = list(self.inputs())
        types = {name: self._type(x) for name, x in self.inputs().items()}
        state = self.tensor(self.sequences, self.units)
        all_steps = self.tensor(self.steps, *self._part)
        arguments = ", ".join(f"%m_{name}: {types[name]}" for name in names)
        inner = ", ".join(f"%g_{name}: {types[name]}" for name in names)
        given = ", ".join(f"%m_{name}" for name in names)
        listed = ", ".join(types[name] for name in names)
        results = [all_steps, *([state] * self.states if self.last else [])]
        texts = ", ".join(results)
        count = len(results)
        outs = ", ".join(f"%y{n}" for n in range(count))
        yielded = ["%all", *(f"%l{n}" for n in range(self.states) if self.last)]
        return f"""
func.func @main({arguments}) -> ({texts}) {{
  {outs} = fused_group.group @g0({given}) : ({listed}) -> ({texts}){self._chosen()} {{
  ^bb0({inner}):
{self._loop()}
    fused_group.yield {", ".join(yielded)} : {texts}
  }}
  func.return {outs} : {texts}
}}"""

    def _chosen(self) -> str:
        if not self.schedule:
            return ""
        keys = f'strategy = "recurrent", target = "{self.target}", {self.schedule}'
        return f" attributes {{schedule = #loop.schedule<{keys}>}}"

    @property
    def _part(self) -> tuple[int, ...]:
        """The sizes of what a step gives."""
        sizes = self.sequences, self.units
        return (self.sequences * self.units + self.room,) if self.room else sizes

    def tensor(self, *sizes: int) -> str:
        return f"tensor<{'x'.join(map(str, sizes))}x{self.element}>"

    def _type(self, x: Array) -> str:
        element = "i32" if x.dtype == np.int32 else self.element
        return f"tensor<{'x'.join(map(str, x.shape))}x{element}>"

    def _loop(self) -> str:
        h, b = self.units, self.sequences
        state, row = self.tensor(b, h), self.tensor(b, self.gates * h)
        types = {name: self._type(x) for name, x in self.inputs().items()}
        initial = [f"%g_s{n}" if self.initial else "%zero" for n in range(self.states)]
        sliced = ["x", *(["left"] if self.lengths else [])]
        shared = [name for name in types if name in ("w", "u", "v", "bias")]
        arguments = [f"%h{n}: {state}" for n in range(self.states)]
        arguments.append(f"%p: {row}")
        if self.lengths:
            arguments.append(f"%left: tensor<{b}xi32>")
        arguments += [f"%{name}: {types[name]}" for name in shared]
        way = "steps = " + str(self.steps) + " : i64" + (", backward" if self.backward else "")
        states = ", ".join([state] * self.states)
        last = ", ".join(f"%l{n}" for n in range(self.states))
        return f"""    %zero = graph.splat 0.000000e+00 : {self.element} -> {state}
    {last}, %all = graph.step_loop carry({", ".join(initial)})
        slice({", ".join(f"%g_{n}" for n in sliced)}) read({", ".join(f"%g_{n}" for n in shared)})
        {{{way}}} : ({states}) ({", ".join(types[n] for n in sliced)})
        ({", ".join(types[n] for n in shared)})
        -> {states}, {self.tensor(self.steps, *self._part)} {{
    ^bb1({", ".join(arguments)}):
{self._body()}
    }}"""

    def _body(self) -> str:
        lines = _Lines(self)
        new = getattr(self, f"_{self.cell}")(lines)
        state = self.tensor(self.sequences, self.units)
        given = new[0]
        if self.lengths:
            b, bit = self.sequences, f"tensor<{self.sequences}x1xi1>"
            column = f"tensor<{b}x1xi32>"
            lines.add(
                f"%own = graph.reshape %left {{sizes = array<i64: {b}, 1>}} : "
                f"tensor<{b}xi32> -> {column}"
            )
            lines.add(f"%none = graph.splat 0 : i32 -> {column}")
            lines.add(
                f'%runs = graph.compare %none, %own {{predicate = "lt"}} : '
                f"({column}, {column}) -> {bit}"
            )
            kept: list[str] = []
            where = f": ({bit}, {state}, {state}) -> {state}"
            for number, value in enumerate(new):
                kept.append(
                    lines.add(f"%k{number} = graph.where %runs, {value}, %h{number} {where}")
                )
            lines.add(f"%nothing = graph.splat 0.000000e+00 : {self.element} -> {state}")
            given = lines.add(f"%give = graph.where %runs, {given}, %nothing {where}")
            new = kept
        if self.room:
            given = lines.with_room(given)
        types = ", ".join([*([state] * len(new)), self.tensor(*self._part)])
        lines.text.append(f"graph.yield {', '.join([*new, given])} : {types}")
        return "\n".join(f"      {line}" for line in lines.text)

    def _lstm(self, lines: "_Lines") -> list[str]:
        total = lines.binary("add", "%p", lines.product("%h0", "%w", 4), 4)
        i, o, f, c = (lines.part(total, n, 4) for n in range(4))
        kept = lines.binary("mul", lines.unary("sigmoid", f), "%h1")
        new = lines.binary("mul", lines.unary("sigmoid", i), lines.unary("tanh", c))
        cell = lines.binary("add", kept, new)
        out = lines.binary("mul", lines.unary("sigmoid", o), lines.unary("tanh", cell))
        return [out, cell]

    def _gru(self, lines: "_Lines") -> list[str]:
        gates, last = lines.product("%h0", "%w", 2), lines.product("%h0", "%v", 1)
        z, r = (
            lines.unary(
                "sigmoid", lines.binary("add", lines.part("%p", n, 3), lines.part(gates, n, 2))
            )
            for n in range(2)
        )
        shifted = lines.binary("add", last, "%bias", right=f"tensor<{self.units}x{self.element}>")
        total = lines.binary("add", lines.part("%p", 2, 3), lines.binary("mul", r, shifted))
        new = lines.unary("tanh", total)
        gap = lines.binary("mul", z, lines.binary("sub", "%h0", new))
        return [lines.binary("add", new, gap)]

    def _reset(self, lines: "_Lines") -> list[str]:
        gates = lines.product("%h0", "%w", 2)
        z, r = (
            lines.unary(
                "sigmoid", lines.binary("add", lines.part("%p", n, 3), lines.part(gates, n, 2))
            )
            for n in range(2)
        )
        last = lines.product(lines.binary("mul", r, "%h0"), "%v", 1)
        new = lines.unary("tanh", lines.binary("add", lines.part("%p", 2, 3), last))
        gap = lines.binary("mul", z, lines.binary("sub", "%h0", new))
        return [lines.binary("add", new, gap)]

    def _deep(self, lines: "_Lines") -> list[str]:
        a = lines.unary("tanh", lines.binary("add", "%p", lines.product("%h0", "%w", 1)))
        masked = lines.product(lines.binary("mul", a, "%p"), "%v", 1)
        b = lines.unary("tanh", lines.binary("add", lines.product(a, "%u", 1), masked))
        kept = lines.binary("mul", a, "%h0")
        return [lines.unary("tanh", lines.binary("add", lines.product(b, "%w", 1), kept))]

    def _stack(self, lines: "_Lines") -> list[str]:
        below, vector = lines.product("%h0", "%u", 1), f"tensor<{self.units}x{self.element}>"
        shifted = lines.binary("add", below, "%bias", right=vector)
        total = lines.binary("add", shifted, lines.product("%h1", "%v", 1))
        return [*self._rnn(lines), lines.unary("tanh", total)]

    def _rnn(self, lines: "_Lines") -> list[str]:
        return [lines.unary("tanh", lines.binary("add", "%p", lines.product("%h0", "%w", 1)))]


class _Lines:
    """The ops of a body."""

    def __init__(self, case: Case):
        self.case = case
        self.text: list[str] = []

    def add(self, line: str) -> str:
        self.text.append(line)
        return line.split(" ")[0]

    def _type(self, gates: int = 1) -> str:
        return self.case.tensor(self.case.sequences, gates * self.case.units)

    def _name(self) -> str:
        return f"%v{len(self.text)}"

    def with_room(self, value: str) -> str:
        case = self.case
        count = case.sequences * case.units
        flat, whole = case.tensor(count), case.tensor(count + case.room)
        row = self.add(
            f"{self._name()} = graph.reshape {value} {{sizes = array<i64: {count}>}} : "
            f"{self._type()} -> {flat}"
        )
        zero = f"value = 0.000000e+00 : {case.element}"
        ends = f"low = array<i64: 0>, high = array<i64: {case.room}>"
        return self.add(
            f'{self._name()} = graph.pad {row} {{mode = "constant", {zero}, {ends}}} : '
            f"{flat} -> {whole}"
        )

    def product(self, lhs: str, rhs: str, gates: int) -> str:
        h, how = self.case.units, " precision tf32" if self.case.tf32 else ""
        weight = self.case.tensor(gates * h, h)
        return self.add(
            f"{self._name()} = graph.matmul {lhs}, {rhs} transpose_rhs{how} : "
            f"({self._type()}, {weight}) -> {self._type(gates)}"
        )

    def part(self, x: str, number: int, gates: int) -> str:
        h, b = self.case.units, self.case.sequences
        return self.add(
            f"{self._name()} = graph.slice {x} {{starts = array<i64: 0, {number * h}>, "
            f"stops = array<i64: {b}, {(number + 1) * h}>, steps = array<i64: 1, 1>}} : "
            f"{self._type(gates)} -> {self._type()}"
        )

    def binary(self, op: str, x: str, y: str, gates: int = 1, right: str = "") -> str:
        type = self._type(gates)
        return self.add(
            f"{self._name()} = graph.{op} {x}, {y} : ({type}, {right or type}) -> {type}"
        )

    def unary(self, op: str, x: str) -> str:
        return self.add(f"{self._name()} = graph.{op} {x} : {self._type()} -> {self._type()}")


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))
