"""Every group says why each reader of its results is another group."""

import re
from collections.abc import Iterator

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from dlc import registry
from dlc.core.parser import parse_module
from dlc.dialects.fused_group import GroupOp

ROWS = 64


def product(result: str, lhs: str, weight: str, columns: int, target: int) -> str:
    x, w, y = (
        f"tensor<{a}x{b}xf16>" for a, b in ((ROWS, columns), (columns, target), (ROWS, target))
    )
    return f"%{result} = graph.matmul %{lhs}, %{weight} : ({x}, {w}) -> {y}"


def concat(result: str, parts: dict[str, int]) -> str:
    types = ", ".join(f"tensor<{ROWS}x{columns}xf16>" for columns in parts.values())
    names = ", ".join(f"%{name}" for name in parts)
    all = sum(parts.values())
    type = f"tensor<{ROWS}x{all}xf16>"
    return f"%{result} = graph.concat {names} {{axis = 1 : i64}} : ({types}) -> {type}"


def dense(layers: int) -> str:
    """Return layers each of which reads what all before it give."""
    lines, parts = [product("p0", "x", "w0", 64, 64)], {"p0": 64}
    for n in range(1, layers):
        if n > 1:
            lines.append(concat(f"c{n}", parts))
        lines.append(product(f"p{n}", f"c{n}" if n > 1 else "p0", f"w{n}", 64 * n, 64))
        parts[f"p{n}"] = 64
    return function(lines, [64 * max(1, n) for n in range(layers)], f"p{layers - 1}", 64)


def branches() -> str:
    """Return three products side by side, and two that read all of them."""
    lines = [product(f"p{n}", "x", f"w{n}", 64, 64) for n in range(3)]
    lines.append(concat("c", {f"p{n}": 64 for n in range(3)}))
    lines += [product(f"q{n}", "c", f"w{n + 3}", 192, 64) for n in range(2)]
    lines.append(concat("y", {"q0": 64, "q1": 64}))
    return function(lines, [64, 64, 64, 192, 192], "y", 128)


def function(lines: list[str], weights: list[int], result: str, columns: int) -> str:
    types = (f"%w{n}: tensor<{rows}x64xf16>" for n, rows in enumerate(weights))
    type = f"tensor<{ROWS}x{columns}xf16>"
    text = "\n".join((*lines, f"func.return %{result} : {type}"))
    return (
        f"func.func @main(%x: tensor<{ROWS}x64xf16>, {', '.join(types)}) -> {type} {{\n{text}\n}}"
    )


def fused(text: str) -> ModuleOp:
    context = registry.new_context()
    module = parse_module(text, context)
    for step in registry.build_passes("graph-share-concatenations,fuse{arch=sm_90a}"):
        step.apply(context, module)
    return module


def readers(group: GroupOp) -> set[str]:
    """Return the groups that read a group's results, or what these are put together to."""
    waiting: list[SSAValue] = list(group.outputs)
    found: set[str] = set()
    while waiting:
        for use in waiting.pop().uses:
            if isinstance(use.operation, GroupOp):
                found.add(use.operation.sym_name.data)
            else:
                waiting += use.operation.results
    return found


def explained(group: GroupOp) -> Iterator[str]:
    for text in group.boundaries.data if group.boundaries else ():
        names, reason = text.data.split(":", 1)
        assert reason.strip()
        yield from re.findall(r"\bg\d+\b", names)


@pytest.mark.parametrize("text", [dense(5), branches()], ids=["dense", "branches"])
def test_every_reader_has_its_reason(text: str) -> None:
    module = fused(text)
    groups = [op for op in module.walk() if isinstance(op, GroupOp)]
    assert [op.name for op in module.walk() if not op.regions and op.name == "graph.overlay"]
    for group in groups:
        assert sorted(explained(group)) == sorted(readers(group))
    assert "through a concatenation: two contractions" in str(module)
