"""Groups that cuDNN may compute, as clusters: a convolution and what follows it, or attention."""

from typing import Any

from programs import cluster

from dlc.analysis.dataflow import Cluster

CONV = (
    "%0 = graph.conv %x, {weight} strides [{ones}] padding [{begin}, {zeros}] dilations [{ones}]"
    "{groups} {layout} : ({x}, {w}) -> {z}"
)
LAYOUT = "layout channels_last weight_layout ohwi"
BIAS = "%{n} = graph.add %{p}, %v : ({z}, {v}) -> {z}"
RESIDUAL = "%{n} = graph.add %r, %{p} : ({z}, {z}) -> {z}"
RELU = "%{n} = graph.relu %{p} : {z} -> {z}"
TANH = "%{n} = graph.tanh %{p} : {z} -> {z}"
SIGMOID = "%{n} = graph.sigmoid %{p} : {z} -> {z}"
GELU = "%{n} = graph.gelu %{p} : {z} -> {z}"
TANH_GELU = "%{n} = graph.gelu %{p} {{tanh}} : {z} -> {z}"
SWISH = "%{n} = graph.mul %{p}, %0 : ({z}, {z}) -> {z}"


def scalar(op: str, number: str, n: int = 1) -> str:
    """Return an op on a value and a number. n: which of the lines it is, from 1 on."""
    constant = f"%c{n} = graph.constant dense<{number}> : tensor<1x{{e}}>\n"
    return constant + f"%{{n}} = graph.{op} %{{p}}, %c{n} : ({{z}}, tensor<1x{{e}}>) -> {{z}}"


def convolved(
    *after: str,
    x: str = "2x9x7x16xf16",
    w: str = "24x3x3x16xf16",
    z: str = "2x7x5x24xf16",
    v: str = "24xf16",
    layout: str = LAYOUT,
    groups: int = 1,
    begin: int = 0,
    first: str = "",
    weight: str = "%w",
) -> Cluster:
    """Return a convolution and the ops after it. begin: the padding before the first axis of its
    window. first: a line before it, which may make another ``weight``.
    """
    types = {name: f"tensor<{each}>" for name, each in zip("xwzv", (x, w, z, v), strict=True)}
    axes = z.count("x") - 2
    given = {
        **types,
        "e": z.rsplit("x", 1)[1],
        "layout": layout,
        "groups": f" groups {groups}" if groups > 1 else "",
        "ones": ", ".join("1" * axes),
        "zeros": ", ".join("0" * (2 * axes - 1)),
        "begin": begin,
        "weight": weight,
    }
    lines = [first.format(**given), CONV.format(**given)]
    lines += [op.format(n=n + 1, p=n, **given) for n, op in enumerate(after)]
    signature = "%x: {x}, %w: {w}, %v: {v}, %r: {z}".format(**types)
    return cluster("\n".join(lines), f"%{len(after)}: {types['z']}", signature)


SCALED = """%n = graph.constant dense<0.125> : tensor<{e}>
%l = graph.mul %s, %n : ({s}, tensor<{e}>) -> {s}"""
MASKED = "%l = graph.add %s, %m : ({s}, {s}) -> {s}"
TURN = "%{n} = graph.transpose %{p} {{permutation = array<i64: {axes}>}} : {y} -> {t}"


def attended(
    *after: str,
    logits: str = SCALED,
    q: str = "2x3x32x64xf16",
    k: str = "2x3x40x64xf16",
    v: str = "2x3x40x64xf16",
    turned: str = "transpose_rhs",
    axes: str = "0, 2, 1, 3",
    result: str = "",
    first: str = "",
    keys: str = "%k",
) -> Cluster:
    """Return attention and the ops after it. logits: the ops that make ``%l`` of the scores ``%s``,
    which are the logits where there are none. turned: how the keys are read. axes: of ``TURN``,
    which gives a ``tensor<result>``. first: a line before it, which may make other ``keys``.
    """
    *rows, _, element = q.split("x")
    columns = k.split("x")[-3 if "transpose_rhs" in turned else -2]
    y = "x".join((*rows, v.split("x")[-2], element))
    types = {"q": q, "k": k, "v": v, "y": y, "t": result or y}
    types |= {"s": "x".join((*rows, columns, element)), "r": "x".join((*rows, "1", element))}
    given = {name: f"tensor<{each}>" for name, each in types.items()} | {"e": element, "axes": axes}
    name = "%l" if logits else "%s"
    lines = [
        first,
        f"%s = graph.matmul %q, {keys} {turned} : ({{q}}, {{k}}) -> {{s}}",
        logits,
        f"%h = graph.reduce_max {name} axes [{len(rows)}] keep_dims : {{s}} -> {{r}}",
        f"%d = graph.sub {name}, %h : ({{s}}, {{r}}) -> {{s}}",
        "%e = graph.exp %d : {s} -> {s}",
        f"%t = graph.reduce_sum %e axes [{len(rows)}] keep_dims : {{s}} -> {{r}}",
        "%p = graph.div %e, %t : ({s}, {r}) -> {s}",
        "%0 = graph.matmul %p, %v : ({s}, {v}) -> {y}",
    ]
    lines += [op.replace("{n}", str(n + 1)).replace("{p}", str(n)) for n, op in enumerate(after)]
    signature = "%q: {q}, %k: {k}, %v: {v}, %m: {s}, %b: {y}".format(**given)
    body = "\n".join(line.format(**given) for line in lines)
    return cluster(body, f"%{len(after)}: {given['t' if result else 'y']}", signature)


BF16: dict[str, Any] = {
    "x": "2x9x7x16xbf16",
    "w": "24x3x3x16xbf16",
    "z": "2x7x5x24xbf16",
    "v": "24xbf16",
}
VOLUME: dict[str, Any] = {
    "x": "1x5x6x7x8xf16",
    "w": "16x3x3x3x8xf16",
    "z": "1x3x4x5x16xf16",
    "v": "16xf16",
}
GROUPS: dict[str, Any] = {"x": "2x9x7x32xf16", "w": "24x3x3x8xf16", "groups": 4}

CONVOLUTIONS = {
    "f16": convolved(),
    "bf16": convolved(BIAS, RELU, **BF16),
    "three axes": convolved(BIAS, **VOLUME),
    "groups": convolved(**GROUPS),
    "bias, then relu": convolved(BIAS, RELU),
    "residual": convolved(RESIDUAL, RELU),
    "numbers": convolved(scalar("mul", "0.5"), scalar("add", "6.0", 2)),
    "a number less": convolved(scalar("sub", "1.0")),
    "swish": convolved(SIGMOID, SWISH),
    "tanh": convolved(TANH),
    "gelu": convolved(GELU),
    "gelu by tanh": convolved(TANH_GELU),
    "one channel vector of as many axes": convolved(BIAS, v="1x1x1x24xf16"),
}

SHORT: dict[str, Any] = {"k": "2x3x40x64xf16", "v": "2x3x40x32xf16"}

ATTENTIONS = {
    "scaled": attended(),
    "not scaled": attended(logits=""),
    "short values": attended(**SHORT),
    "turned": attended(TURN, result="2x32x3x64xf16"),
    "without heads": attended(q="3x32x64xf16", k="3x40x64xf16", v="3x40x64xf16"),
}
