"""Loops of steps as the text of a group, of any sizes, and what they give in float64."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from body_lines import BodyLines
from ml_dtypes import bfloat16
from recurrent_forms import FORMS, CellForm

from dlc.dialects.graph.structure import Array

DTYPES = {"f16": np.float16, "bf16": bfloat16, "f32": np.float32}


@dataclass(frozen=True)
class Case:
    """``steps`` steps of ``sequences`` sequences with ``units`` units, by a schedule, or none.

    cell: of ``FORMS``. initial: whether the states
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
    def form(self) -> CellForm:
        """What a step computes."""
        return FORMS[self.cell]

    @property
    def states(self) -> int:
        """The states that a step gives the next one."""
        return self.form.states

    @property
    def gates(self) -> int:
        """The columns of a step's part that a unit has."""
        return self.form.gates

    def inputs(self) -> Mapping[str, Array]:
        """Return random inputs by name."""
        rng = np.random.default_rng(self.units * self.sequences + self.steps)
        h, b, scale = self.units, self.sequences, 1.5 / np.sqrt(self.units)
        sizes: dict[str, tuple[tuple[int, ...], float]] = {
            "x": ((self.steps, b, self.gates * h), 1.0)
        }
        gates = {name: ((gates * h, h), scale) for name, gates in self.form.weights.items()}
        sizes |= gates | ({"bias": ((h,), 1.0)} if self.form.has_bias else {})
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
            new = self.form.step(own, own["x"][place], states)
            runs = own["left"][place][:, None] > 0 if self.lengths else True
            states = [np.where(runs, n, o) for n, o in zip(new, states, strict=True)]
            given[place] = np.where(runs, new[0], 0)
        if self.room:
            given = np.pad(given.reshape(self.steps, -1), [(0, 0), (0, self.room)])
        return [given, *states] if self.last else [given]

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
        lines = BodyLines(self.sequences, self.units, self.element, self.tf32, self.room)
        new = self.form.write(lines)
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
