"""Groups that cuDNN may compute, as clusters: a convolution and what follows it, attention, a
pooling, or functions of elements.
"""

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

F32: dict[str, Any] = {name: each.replace("bf16", "f32") for name, each in BF16.items()}
SINGLE: dict[str, Any] = {"x": "2x9x7x24xf16", "w": "24x3x3x1xf16", "groups": 24}
WEIGHT = "%k = graph.weight @k : {w}"

APART: dict[str, Any] = {
    "x": "2x16x9x7xf16",
    "w": "24x16x3x3xf16",
    "z": "2x24x7x5xf16",
    "layout": "",
}
"""Channels first, of the weight too."""

CONVOLUTIONS = {
    "f16": convolved(),
    "channels first": convolved(**APART),
    "channels first, bias, then relu": convolved(BIAS, RELU, v="24x1x1xf16", **APART),
    "channels first, three axes": convolved(
        BIAS,
        RELU,
        x="2x16x9x7x5xf16",
        w="24x16x3x3x3xf16",
        z="2x24x7x5x3xf16",
        v="24x1x1x1xf16",
        layout="",
    ),
    "channels first, f32": convolved(
        **{name: each.replace("f16", "f32") for name, each in APART.items()}
    ),
    "f32": convolved(BIAS, RELU, **F32),
    "tf32": convolved(BIAS, RELU, layout=f"{LAYOUT} precision tf32", **F32),
    "f32 alone": convolved(**F32),
    "f32, three axes": convolved(
        BIAS, **{name: each.replace("f16", "f32") for name, each in VOLUME.items()}
    ),
    "3 channels": convolved(RELU, x="2x9x7x3xf16", w="24x3x3x3xf16"),
    "3 channels of f32": convolved(RELU, x="2x9x7x3xf32", w="24x3x3x3xf32", z=F32["z"], v=F32["v"]),
    "12 channels": convolved(x="2x9x7x12xf16", w="20x3x3x12xf16", z="2x7x5x20xf16", v="20xf16"),
    "groups of 4": convolved(w="24x3x3x4xf16", groups=4),
    "groups of one channel": convolved(**SINGLE),
    "groups of one channel, then relu": convolved(BIAS, RELU, **SINGLE),
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

ORDERED = {
    "another order of a constant": convolved(
        BIAS,
        RELU,
        first=WEIGHT,
        weight="%k",
        w="3x3x16x24xf16",
        layout="layout channels_last weight_layout hwio",
    ),
    "channels first in a constant": convolved(
        first=WEIGHT, weight="%k", w="24x16x3x3xf16", layout="layout channels_last"
    ),
}
"""Convolutions whose constant weight the call reads in another order."""

SHORT: dict[str, Any] = {"k": "2x3x40x64xf16", "v": "2x3x40x32xf16"}

ATTENTIONS = {
    "scaled": attended(),
    "not scaled": attended(logits=""),
    "short values": attended(**SHORT),
    "turned": attended(TURN, result="2x32x3x64xf16"),
    "without heads": attended(q="3x32x64xf16", k="3x40x64xf16", v="3x40x64xf16"),
}


IMAGE = "2x9x7x24xf16"


def pooled(
    op: str,
    *after: str,
    x: str = IMAGE,
    y: str = "2x4x3x24xf16",
    window: str = "3, 3",
    strides: str = "2, 2",
    padding: str = "0, 0, 0, 0",
    dilations: str = "1, 1",
    more: str = "",
    layout: str = "layout channels_last",
    first: str = "",
    of: str = "%x",
) -> Cluster:
    """Return a pooling and ops after it, lines of types ``{y}``. more: keywords before its layout.
    first: a line before it, which may make another operand, ``of``.
    """
    lists = f"window [{window}] strides [{strides}] padding [{padding}] dilations [{dilations}]"
    pool = f"%0 = graph.{op} {of} {lists} {more} {layout} : {{x}} -> {{y}}"
    return applied(first, pool, *after, x=x, y=y)


def applied(*lines: str, x: str = IMAGE, y: str = "", v: str = "24xf16") -> Cluster:
    """Return lines of ops of ``%x``, ``%r`` of the same type, and ``%v``; the last one makes a
    ``{y}``, which is like ``{x}`` unless it is said.
    """
    types = {name: f"tensor<{each}>" for name, each in {"x": x, "y": y or x, "v": v}.items()}
    signature = "%x: {x}, %r: {x}, %v: {v}".format(**types)
    made = [line for line in lines if line]
    result = made[-1].split(" = ")[0]
    return cluster("\n".join(made).format(**types), f"{result}: {types['y']}", signature)


MEAN = "%0 = graph.reduce_mean %x axes [1, 2] keep_dims : {x} -> {y}"
RELU_OF = "%0 = graph.relu %x : {x} -> {x}"
SUM_OF = "%0 = graph.add %x, %r : ({x}, {x}) -> {x}"

BF16_IMAGE = {"x": "2x9x7x24xbf16", "y": "2x4x3x24xbf16"}
SPACE = {
    "x": "2x9x7x5x24xf16",
    "y": "2x4x3x2x24xf16",
    "window": "3, 3, 3",
    "strides": "2, 2, 2",
    "padding": "0, 0, 0, 0, 0, 0",
    "dilations": "1, 1, 1",
}

POOLINGS = {
    "largest": pooled("max_pool"),
    "largest of f32": pooled("max_pool", x="2x9x7x3xf32", y="2x4x3x3xf32"),
    "largest with padding": pooled("max_pool", padding="1, 1, 1, 1", y="2x5x4x24xf16"),
    "largest, rounded up": pooled(
        "max_pool", x="2x10x8x24xf16", y="2x5x4x24xf16", more="ceil_mode"
    ),
    "mean of three axes": pooled("average_pool", **SPACE),
    "mean": pooled("average_pool", padding="1, 1, 1, 1", y="2x5x4x24xf16"),
    "mean with padding": pooled(
        "average_pool", padding="1, 1, 1, 1", y="2x5x4x24xf16", more="count_include_pad"
    ),
    "mean of all": applied(MEAN, y="2x1x1x24xf16"),
    "mean of all, without their axes": applied(MEAN.replace(" keep_dims", ""), y="2x24xf16"),
    "mean of all, odd channels": applied(MEAN, x="2x9x7x1001xf32", y="2x1x1x1001xf32"),
    "relu": applied(RELU_OF),
    "relu of f32": applied(RELU_OF, x="2x3x5x7xf32"),
    "relu of one axis": applied(RELU_OF, x="1001xf32"),
    "relu of six axes": applied(RELU_OF, x="1x2x1x2x3x8xbf16"),
    "sum": applied(SUM_OF),
    "sum, then relu": applied(SUM_OF, "%1 = graph.relu %0 : {x} -> {x}"),
    "sum of channels": applied("%0 = graph.add %v, %x : ({v}, {x}) -> {x}"),
    "swish": applied(
        "%0 = graph.sigmoid %x : {x} -> {x}", "%1 = graph.mul %x, %0 : ({x}, {x}) -> {x}"
    ),
    "a number": applied(
        "%c = graph.constant dense<0.5> : tensor<1xf16>",
        "%0 = graph.mul %x, %c : ({x}, tensor<1xf16>) -> {x}",
    ),
}  # fmt: skip
"""Poolings, and functions of elements alone."""
