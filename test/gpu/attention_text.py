"""Attention as the text of a group, of any sizes, with what may stand between its products."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dlc.dialects.graph.structure import Array

SCALE = 0.25
LATER = 3

_LEAST = {"f16": "0xFC00", "f32": "0xFF800000", "f64": "0xFFF0000000000000"}
"""Minus infinity."""


@dataclass(frozen=True)
class Case:
    """``batch`` products of ``rows`` queries and ``keys`` keys of ``depth`` elements, and values of
    ``columns``, by a schedule.

    mask: what stands between the products: "" nothing, "scaled" a factor, "added" a tensor of
    numbers, "scaled, added" both, "seen" one of booleans, "causal" a comparison of positions,
    "causal, later" one in which rows see ``LATER`` keys more. zero:
    whether rows that see nothing are zeros. packed: whether the factors are parts of one tensor,
    heads beside each other, and so is the result. element: of all tensors of numbers. target: the
    kind of chip that the schedule is for.
    """

    schedule: str
    batch: int
    rows: int
    keys: int
    depth: int
    columns: int
    mask: str = ""
    zero: bool = False
    packed: bool = False
    element: str = "f16"
    target: str = "gpu"

    def inputs(self) -> Mapping[str, Array]:
        """Return random inputs by name."""
        rng = np.random.default_rng(self.rows * self.keys)
        if self.packed:
            sizes = {"qkv": (self.rows, 3, self.batch, self.depth)}
        else:
            queries, keys = (self.batch, self.rows), (self.batch, self.keys)
            sizes = {
                "q": (*queries, self.depth),
                "k": (*keys, self.depth),
                "v": (*keys, self.columns),
            }
        found: dict[str, Array] = {
            name: rng.standard_normal(n).astype(self._dtype) for name, n in sizes.items()
        }
        if self.mask.endswith("added"):
            found["mask"] = rng.standard_normal((self.rows, self.keys)).astype(self._dtype)
            found["mask"][:, : self.keys // 2] = -np.inf  # whole steps of some schedules
        if self.mask == "seen":
            found["mask"] = rng.random((self.rows, self.keys)) < 0.3
            found["mask"][::5] = False  # rows that see nothing
        return found

    def wanted(self, inputs: Mapping[str, Array]) -> Array:
        """Return the result in float64."""
        if self.packed:
            q, k, v = inputs["qkv"].astype(np.float64).transpose(1, 2, 0, 3)
        else:
            q, k, v = (inputs[name].astype(np.float64) for name in "qkv")
        scores = q @ k.swapaxes(1, 2)
        if self.mask.startswith("scaled"):
            scores = scores * SCALE
        if self.mask.endswith("added"):
            scores = scores + inputs["mask"].astype(np.float64)
        if self.mask == "seen":
            scores = np.where(inputs["mask"], scores, -np.inf)
        if self.mask.startswith("causal"):
            seen = np.tri(self.rows, self.keys, self._later, dtype=bool)
            scores = np.where(seen, scores, -np.inf)
        with np.errstate(invalid="ignore"):
            weights = np.exp(scores - scores.max(-1, keepdims=True))
            weights /= weights.sum(-1, keepdims=True)
        found = (np.nan_to_num(weights) if self.zero else weights) @ v
        return found.transpose(1, 0, 2) if self.packed else found

    def text(self) -> str:
        """Return a module with the one group."""
        return self._text().replace("f16", self.element)

    def _text(self) -> str:
        """Return it for elements of type f16."""
        inputs = self.inputs()
        types = {
            name: _type(x.shape, "i1" if x.dtype == bool else "f16") for name, x in inputs.items()
        }
        given = ", ".join(f"%{name}: {type}" for name, type in types.items())
        taken = ", ".join(f"%given_{name}: {type}" for name, type in types.items())
        names, all = ", ".join(f"%given_{name}" for name in types), ", ".join(types.values())
        first = (self.rows, self.batch) if self.packed else (self.batch, self.rows)
        y = _type((*first, self.columns))
        keys = f'strategy = "attention", target = "{self.target}", {self.schedule}'
        body = "\n    ".join([*self._factors(), *self._between(), *self._product(y)])
        return f"""
func.func @main({taken}) -> {y} {{
  %y = fused_group.group @g({names}) : ({all}) -> {y} attributes {{
      schedule = #loop.schedule<{keys}>}} {{
  ^bb0({given}):
    {body}
    fused_group.yield %z : {y}
  }}
  func.return %y : {y}
}}"""

    def _factors(self) -> list[str]:
        """Return the ops that take the factors from a tensor that has all three."""
        if not self.packed:
            return []
        whole, part = (self.rows, 3, self.batch, self.depth), (self.rows, 1, self.batch, self.depth)
        heads, flat = (1, self.batch, self.rows, self.depth), (self.batch, self.rows, self.depth)
        lines: list[str] = []
        for number, name in enumerate("qkv"):
            starts, stops = [0, number, 0, 0], [self.rows, number + 1, self.batch, self.depth]
            lines += [
                f"%{name}0 = graph.slice %qkv {{starts = {_array(starts)}, "
                f"stops = {_array(stops)}, steps = {_array([1] * 4)}}} "
                f": {_type(whole)} -> {_type(part)}",
                f"%{name}1 = graph.transpose %{name}0 {{permutation = {_array([1, 2, 0, 3])}}} "
                f": {_type(part)} -> {_type(heads)}",
                f"%{name} = graph.reshape %{name}1 {{sizes = {_array(flat)}}} "
                f": {_type(heads)} -> {_type(flat)}",
            ]
        return lines

    def _between(self) -> list[str]:
        """Return the first product, and what is between it and the softmax, ``%x``."""
        s, mask = self._scores, _type((self.rows, self.keys))
        seen = _type((self.rows, self.keys), "i1")
        q, k = (_type((self.batch, n, self.depth)) for n in (self.rows, self.keys))
        chooses = self.mask == "seen" or self.mask.startswith("causal")
        number = f"dense<{_LEAST[self.element]}>" if chooses else f"dense<{SCALE}>"
        lines = [
            f"%s = graph.matmul %q, %k transpose_rhs : ({q}, {k}) -> {s}",
            f"%n = graph.constant {number} : tensor<f16>",
        ]
        rows, columns = _type((self.rows, 1), "i64"), _type((self.keys,), "i64")
        flat = _type((self.rows,), "i64")
        select = f"%x = graph.where %mask, %s, %n : ({seen}, {s}, tensor<f16>) -> {s}"
        return (
            lines
            + {
                "": [],
                "scaled": [f"%x = graph.mul %s, %n : ({s}, tensor<f16>) -> {s}"],
                "scaled, added": [
                    f"%f = graph.mul %s, %n : ({s}, tensor<f16>) -> {s}",
                    f"%x = graph.add %f, %mask : ({s}, {mask}) -> {s}",
                ],
                "added": [f"%x = graph.add %s, %mask : ({s}, {mask}) -> {s}"],
                "seen": [select],
                "causal": [
                    _range("i0", self.rows, self._later),
                    f"%i = graph.reshape %i0 {{sizes = {_array([self.rows, 1])}}} "
                    f": {flat} -> {rows}",
                    _range("j", self.keys),
                    f'%mask = graph.compare %j, %i {{predicate = "le"}} '
                    f": ({columns}, {rows}) -> {seen}",
                    select,
                ],
            }[self.mask.removesuffix(", later")]
        )

    def _product(self, y: str) -> list[str]:
        """Return the softmax, and the second product, ``%z``."""
        s, r = self._scores, _type((self.batch, self.rows, 1))
        v = _type((self.batch, self.keys, self.columns))
        o, x = _type((self.batch, self.rows, self.columns)), "%x" if self.mask else "%s"
        tests = s.replace("f16", "i1")
        weights = "%p" if self.zero else "%w"
        lines = [
            f"%m = graph.reduce_max {x} axes [2] keep_dims : {s} -> {r}",
            f"%d = graph.sub {x}, %m : ({s}, {r}) -> {s}",
            f"%e = graph.exp %d : {s} -> {s}",
            f"%t = graph.reduce_sum %e axes [2] keep_dims : {s} -> {r}",
            f"%w = graph.div %e, %t : ({s}, {r}) -> {s}",
        ]
        if self.zero:
            lines += [
                f"%a = graph.is_nan %w : {s} -> {tests}",
                "%0 = graph.constant dense<0.0> : tensor<f16>",
                f"%p = graph.where %a, %0, %w : ({tests}, tensor<f16>, {s}) -> {s}",
            ]
        if not self.packed:
            return [*lines, f"%z = graph.matmul {weights}, %v : ({s}, {v}) -> {o}"]
        return [
            *lines,
            f"%o = graph.matmul {weights}, %v : ({s}, {v}) -> {o}",
            f"%z = graph.transpose %o {{permutation = {_array([1, 0, 2])}}} : {o} -> {y}",
        ]

    @property
    def _dtype(self) -> str:
        return f"float{self.element[1:]}"

    @property
    def _later(self) -> int:
        return LATER if self.mask.endswith("later") else 0

    @property
    def _scores(self) -> str:
        return _type((self.batch, self.rows, self.keys))


def _type(sizes: tuple[int, ...], element: str = "f16") -> str:
    return f"tensor<{'x'.join(map(str, (*sizes, element)))}>"


def _range(name: str, size: int, start: int = 0) -> str:
    type = _type((size,), "i64")
    return (
        f"%{name} = graph.range {{start = {start} : i64, step = 1 : i64, size = {size} : i64}} "
        f"-> {type}"
    )


def _array(numbers: list[int] | tuple[int, ...]) -> str:
    return f"array<i64: {', '.join(map(str, numbers))}>"
