"""Models that cuDNN computes: a convolution and what follows it in a group; attention, a
normalisation, a pooling or functions that are not divided into groups yet.
"""

from collections.abc import Sequence

from called_on_gpu import group

KEYS = (
    'strategy = "contract", target = "gpu", tile = [64, 32, 32], warps = [4, 1], '
    'instruction = "fma", library = "cudnn"'
)
"""Keys of a schedule for any convolution."""


def convolution(
    x: str,
    weight: str,
    y: str,
    *after: str,
    strides: str = "1, 1",
    padding: str = "0, 0, 0, 0",
    dilations: str = "1, 1",
    groups: int = 1,
    keys: str = KEYS,
    layout: str = "ohwi",
    is_weighted: bool = False,
    is_apart: bool = False,
) -> str:
    """Return a model of a convolution of ``tensor<x>`` and ``tensor<weight>``, channels last.

    after: what follows, each an op of the value before it: ``bias``, ``residual``, ``swish``,
    ``affine``, or the name of an op of ``graph`` on one value. layout: of the weight, and maybe the
    precision of products. is_weighted: whether the weight is a constant, ``@w``. is_apart: whether
    channels come first.
    """
    types = {name: f"tensor<{each}>" for name, each in (("x", x), ("w", weight), ("y", y))}
    sizes, element = y.rsplit("x", 1)
    channels = f"{sizes.split('x')[1]}x1x1" if is_apart else sizes.rsplit("x", 1)[1]
    inputs = {"%x": types["x"], "%w": types["w"]}
    ops = [
        f"graph.conv %a, %b strides [{strides}] padding [{padding}] dilations [{dilations}]"
        f"{f' groups {groups}' if groups > 1 else ''} {'' if is_apart else 'layout channels_last '}"
        f"weight_layout {layout} : ({types['x']}, {types['w']}) -> {types['y']}"
    ]
    for each in after:
        if each in ("bias", "residual"):
            type = f"tensor<{channels}x{element}>" if each == "bias" else types["y"]
            inputs["%v"] = type
        ops += _after(each, len(ops) - 1, types["y"], inputs.get("%v", ""))
    return _model(inputs, types["y"], keys, ops, ("%w",) if is_weighted else ())


def _after(name: str, last: int, type: str, other: str) -> list[str]:
    value, one = f"%{last}", type.rsplit("x", 1)[1].rstrip(">")
    match name:
        case "bias" | "residual":
            return [f"graph.add {value}, %c : ({type}, {other}) -> {type}"]
        case "swish":
            return [
                f"graph.sigmoid {value} : {type} -> {type}",
                f"graph.mul {value}, %{last + 1} : ({type}, {type}) -> {type}",
            ]
        case "affine":
            scalar = f"tensor<1x{one}>"
            return [
                f"graph.constant dense<0.5> : {scalar}",
                f"graph.mul {value}, %{last + 1} : ({type}, {scalar}) -> {type}",
                f"graph.constant dense<6.0> : {scalar}",
                f"graph.add %{last + 2}, %{last + 3} : ({type}, {scalar}) -> {type}",
            ]
        case _:
            return [f"graph.{name} {value} : {type} -> {type}"]


def _model(
    inputs: dict[str, str], result: str, keys: str, ops: list[str], weights: Sequence[str] = ()
) -> str:
    """weights: the inputs of the group that are none of the model."""
    given = ", ".join(f"{name}: {x}" for name, x in inputs.items() if name not in weights)
    known = [f"  {name} = graph.weight @{name[1:]} : {inputs[name]}\n" for name in weights]
    body = "".join(known) + group("g", inputs, result, keys, *ops)
    return f"func.func @main({given}) -> {result} {{\n{body}  func.return %g : {result}\n}}"


def attention(query: str, key: str, value: str, result: str, turned: bool, scale: float) -> str:
    """Return a model of attention that is not divided into groups yet; its result is turned from
    heads to rows where it is ``turned``.
    """
    q, k, v, y = (f"tensor<{sizes}>" for sizes in (query, key, value, result))
    given = f"%q: {q}, %k: {k}, %v: {v}"
    op = f"%0 = graph.attention %q, %k, %v scale {scale} : ({q}, {k}, {v}) -> {y}"
    if not turned:
        return f"func.func @main({given}) -> {y} {{\n  {op}\n  func.return %0 : {y}\n}}"
    batch, heads, rows, *rest = result.split("x")
    z = f"tensor<{'x'.join((batch, rows, heads, *rest))}>"
    turn = f"%1 = graph.transpose %0 {{permutation = array<i64: 0, 2, 1, 3>}} : {y} -> {z}"
    body = f"{op}\n  {turn}\n  func.return %1 : {z}"
    return f"func.func @main({given}) -> {z} {{\n  {body}\n}}"


def normalization(name: str, x: str, scale: str, axis: int, is_biased: bool) -> str:
    """Return a model of a normalisation that is not divided into groups yet, over the axes from
    ``axis`` on. name: of its op in ``graph``.
    """
    type, of = f"tensor<{x}>", f"tensor<{scale}>"
    given, bias = f"%x: {type}, %s: {of}", ""
    if is_biased:
        given, bias = f"{given}, %t: {of}", f" bias %t : {of}"
    op = f"%0 = graph.{name} %x scale %s{bias} axis {axis} epsilon 0.001 : {type}, {of} -> {type}"
    return f"func.func @main({given}) -> {type} {{\n  {op}\n  func.return %0 : {type}\n}}"


def pooling(name: str, x: str, y: str, *lists: str, more: str = "") -> str:
    """Return a model of a pooling that is not divided into groups yet. name: of its op in
    ``graph``. lists: its window, strides and padding. more: keywords behind its lists.
    """
    window, strides, padding = lists
    ones = ", ".join("1" for _ in window.split(","))
    keys = f"window [{window}] strides [{strides}] padding [{padding}] dilations [{ones}]"
    return alone(f"{name} %x {keys} {more} layout channels_last", x, y)


def alone(op: str, x: str, y: str = "", **others: str) -> str:
    """Return a model of an op of ``%x`` and others, a line for each op, that is not divided into
    groups yet. Values of lines are ``%0``, ``%1``, ...; ``{x}``, ``{y}`` and other names in a line
    are types. The type of an op of ``%x`` alone need not be said.
    """
    types = {name: f"tensor<{each}>" for name, each in {"x": x, "y": y or x, **others}.items()}
    lines = [line.strip() for line in op.splitlines() if line.strip()]
    if " : " not in lines[-1]:
        lines[-1] += " : {x} -> {y}"
    given = ", ".join(f"%{name}: {types[name]}" for name in ("x", *others))
    body = [f"  %{n} = graph.{line.format(**types)}\n" for n, line in enumerate(lines)]
    end = f"  func.return %{len(lines) - 1} : {types['y']}\n}}"
    return f"func.func @main({given}) -> {types['y']} {{\n{''.join(body)}{end}"
