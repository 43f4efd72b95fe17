"""Schedules that a person edited are refused in one line, or the kernel is right: with each key at
values that are none, that do not fit the work or the chip, and at primes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import attention_text
import numpy as np
import pytest
import recurrent_text
from lowered import lowered
from simulated import Simulated
from xdsl.utils.exceptions import ParseError

from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError

HALF, SINGLE = 2.0**-11, 2.0**-22


@dataclass(frozen=True)
class Kind:
    """A group by its schedule. keys: those that are right, others: what each is changed to.

    text: the module with a schedule. inputs, wanted: what it takes and gives. most: the largest
    error.
    """

    name: str
    strategy: str
    keys: Mapping[str, str]
    others: Mapping[str, Sequence[str]]
    text: Callable[[str], str]
    inputs: Sequence[Array]
    wanted: Sequence[Array]
    most: float

    def schedule(self, **changed: str) -> str:
        """Return the keys of a schedule as text."""
        return ", ".join(f"{key} = {value}" for key, value in {**self.keys, **changed}.items())


def _group(strategy: str, body: str, result: str, *given: str) -> Callable[[str], str]:
    """Return what writes a module with one group, by its keys."""
    outer, inner = (
        ", ".join(f"%{letter}{n}: {each}" for n, each in enumerate(given)) for letter in "mg"
    )
    names = ", ".join(f"%m{n}" for n in range(len(given)))

    def text(keys: str) -> str:
        return f"""
func.func @main({outer}) -> {result} {{
  %y = fused_group.group @g({names}) : ({", ".join(given)}) -> {result} attributes {{
      schedule = #loop.schedule<strategy = "{strategy}", target = "gpu", {keys}>}} {{
  ^bb0({inner}):
    %r = {body} -> {result}
    fused_group.yield %r : {result}
  }}
  func.return %y : {result}
}}"""

    return text


def _random(*sizes: int, dtype: type = np.float32) -> Array:
    return np.random.default_rng(sum(sizes)).uniform(-1, 1, sizes).astype(dtype)


COUNTS = ["0", "-1", "3", "7", "1024", "1048577"]
PARTS = ["0", "-1", "3", "7", "1025"]
FLAGS = ["true", "1"]


def _map() -> Kind:
    x = _random(40, 37)
    given, result = "tensor<40x37xf32>", "tensor<37x40xf32>"
    body = f"graph.transpose %g0 {{permutation = array<i64: 1, 0>}} : {given}"
    keys = {"threads": "64", "vector": "1", "columns": "1", "tile": "[32, 32]"}
    tiles = ["[0, 1]", "[7, 5]", "[1, 32]", "[128, 3]", "[1, 1]", "[32]"]
    others = {"threads": COUNTS, "vector": COUNTS, "columns": COUNTS, "tile": tiles}
    text = _group("map", body, result, given)
    return Kind("map", "map", keys, others, text, [x], [x.T], 0.0)


def _row() -> Kind:
    x, type = _random(9, 60), "tensor<9x60xf32>"
    wide = np.exp(x.astype(np.float64))
    wanted = wide / wide.sum(1, keepdims=True)
    keys = {"threads": "32", "rows": "4", "vector": "1"}
    others = dict.fromkeys(["threads", "rows", "vector", "turns", "cluster", "split"], COUNTS)
    others |= {"lanes": ['"across"', '"x"'], "held": FLAGS, "packed": FLAGS}
    text = _group("row", f"graph.softmax %g0 axis 1 : {type}", type, type)
    return Kind("row", "row", keys, others, text, [x], [wanted], 16 * SINGLE)


def _row_across() -> Kind:
    x, given, result = _random(3, 20, 24), "tensor<3x20x24xf32>", "tensor<3x24xf32>"
    keys = {"threads": "8", "rows": "16", "vector": "1", "lanes": '"across"'}
    others = dict.fromkeys(["threads", "rows", "vector", "turns", "cluster"], COUNTS)
    others |= {"held": FLAGS, "packed": FLAGS}
    text = _group("row", f"graph.reduce_sum %g0 axes [1] : {given}", result, given)
    return Kind("row-across", "row", keys, others, text, [x], [x.sum(1)], 64 * SINGLE)


def _scan(name: str, *sizes: int) -> Kind:
    x, type = _random(*sizes), f"tensor<{'x'.join(map(str, sizes))}xf32>"
    keys = {"threads": "32", "rows": "1", "vector": "1"}
    text = _group("scan", f"graph.cum_sum %g0 axis 1 : {type}", type, type)
    wanted = np.cumsum(x.astype(np.float64), 1)
    return Kind(name, "scan", keys, dict.fromkeys(keys, COUNTS), text, [x], [wanted], 64 * SINGLE)


def _contract() -> Kind:
    a, b = _random(2, 40, 40, dtype=np.float16), _random(2, 40, 24, dtype=np.float16)
    types, result = ("tensor<2x40x40xf16>", "tensor<2x40x24xf16>"), "tensor<2x40x24xf16>"
    keys = {"tile": "[32, 32, 32]", "warps": "[2, 2]", "instruction": '"mma.m16n8k16"'}
    counts = ["stages", "interleave", "producers", "turns", "producer_registers"]
    others: dict[str, Sequence[str]] = dict.fromkeys([*counts, "blocks", "groups"], COUNTS)
    others |= {
        "split": PARTS,
        "tile": ["[16, 16, 16]", "[7, 8, 16]", "[32, 24, 32]", "[32, 32, 7]", "[0, 32, 32]"],
        "warps": ["[1, 1]", "[3, 1]", "[7, 1]", "[0, 2]", "[4, 4]"],
        "instruction": ['"fma"', '"mma.m16n8k8"', '"mma.m16n8k32"', '"wgmma.m64n32k16"'],
        "order": ['"grouped<7>"', '"grouped<0>"', '"x"'],
        "exchange": FLAGS,
        "copies": ['"tensor"', '"x"'],
    }
    text = _group("contract", f"graph.matmul %g0, %g1 : ({', '.join(types)})", result, *types)
    wanted = a.astype(np.float64) @ b.astype(np.float64)
    return Kind("contract", "contract", keys, others, text, [a, b], [wanted], 8 * HALF)


def _attention() -> Kind:
    case = attention_text.Case("", 2, 40, 50, 24, 24)
    keys = {"rows": "32", "step": "32", "warps": "2"}
    counts = ["stages", "teams", "producers", "producer_registers", "blocks"]
    others: dict[str, Sequence[str]] = dict.fromkeys([*keys, *counts], COUNTS)
    others |= {"instruction": ['"wgmma.m64k16"', '"fma"'], "exchange": FLAGS, "split": PARTS}
    inputs = case.inputs()

    def text(keys: str) -> str:
        return replace(case, schedule=keys).text()

    given, wanted = list(inputs.values()), [case.wanted(inputs)]
    return Kind("attention", "attention", keys, others, text, given, wanted, 8 * HALF)


def _recurrent(cell: str, element: str, instruction: str) -> Kind:
    case = recurrent_text.Case(cell, "", 2, 6, 44, element)
    keys = {"units": "8", "sequences": "3", "warps": "[1, 2]", "instruction": f'"{instruction}"'}
    others = {
        "units": ["0", "-8", "7", "16", "24"],
        "sequences": ["0", "-1", "1", "2", "4", "6", "7", "12"],
        "warps": ["[0, 1]", "[1, 3]", "[5, 1]", "[2, 7]", "[33, 1]"],
        "instruction": ['"fma"', '"mma.m16n8k8"', '"mma.m16n8k16"'],
        "shared_chunks": COUNTS,
        "pieces": COUNTS,
    }
    inputs = case.inputs()

    def text(keys: str) -> str:
        return replace(case, schedule=keys).text()

    most = 8 * (SINGLE if element == "f32" else HALF)
    given, wanted = list(inputs.values()), case.wanted(inputs)
    return Kind(f"{cell}-{element}", "recurrent", keys, others, text, given, wanted, most)


KINDS = [
    _map(),
    _row(),
    _row_across(),
    _scan("scan", 5, 90),
    _scan("scan-across", 5, 20, 36),
    _contract(),
    _attention(),
    _recurrent("gru", "f16", "mma.m16n8k16"),
    _recurrent("rnn", "f32", "fma"),
]
EDITS = [(kind, key) for kind in KINDS for key in kind.others]


def obstacle(kind: Kind, schedule: str) -> str | None:
    """Return why a schedule is refused; ``None`` where it is not, and its kernel is right."""
    runner = Simulated()
    try:
        passes = f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"
        module = lowered(kind.text(schedule), passes)
    except CompileError as error:
        return error.message
    except ParseError as error:
        return error.msg
    found = runner.run(module, *kind.inputs)
    for y, wanted in zip(found, kind.wanted, strict=True):
        np.testing.assert_allclose(y, wanted, rtol=0, atol=kind.most)
    return None


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_schedules_before_they_are_edited(kind: Kind) -> None:
    assert obstacle(kind, kind.schedule()) is None


@pytest.mark.parametrize(("kind", "key"), EDITS, ids=lambda each: getattr(each, "name", each))
def test_edited_schedules(kind: Kind, key: str) -> None:
    found = [obstacle(kind, kind.schedule(**{key: value})) for value in kind.others[key]]
    assert any(found)
    assert not any("\n" in reason for reason in found if reason)
