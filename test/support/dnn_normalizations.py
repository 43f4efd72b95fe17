"""Groups that cuDNN may compute, as clusters: normalisations, as they are decomposed."""

from typing import Any

from programs import cluster

from dlc.analysis.dataflow import Cluster

CENTRED = """%m = graph.reduce_mean %b {over} : {f} -> {r}
%d = graph.sub %a, %m : ({f}, {r}) -> {f}
%q = graph.mul %d, %d : ({f}, {f}) -> {f}"""
SQUARES = """%d = graph.cast %x {{to = f32}} : {x} -> {f}
%q = graph.mul %a, %b : ({f}, {f}) -> {f}"""
BY_INVERSE = """%one = graph.splat {one} : f32 -> tensor<f32>
%i = graph.div %one, %w : (tensor<f32>, {r}) -> {r}
%n = graph.mul %d, %i : ({f}, {r}) -> {f}"""
BY_DEVIATION = "%n = graph.div %d, %w : ({f}, {r}) -> {f}"
NARROW = """%o = graph.cast %n {{to = {e}}} : {f} -> {x}
%u = graph.mul %o, %s : ({x}, {s}) -> {x}"""
SHIFT = "%0 = graph.add %u, %t : ({x}, {t}) -> {x}"
NO_SHIFT = "%0 = graph.mul %o, %s : ({x}, {s}) -> {x}"
WIDE = """%o = graph.mul %s, %n : ({s}, {f}) -> {f}
%u = graph.add %t, %o : ({t}, {f}) -> {f}
%0 = graph.cast %u {{to = {e}}} : {f} -> {x}"""


def normalized(
    *after: str,
    x: str = "5x3x48xf16",
    s: str = "48xf16",
    t: str = "",
    axes: str = "2",
    keep: str = "keep_dims",
    centred: str = CENTRED,
    by: str = BY_INVERSE,
    scaled: str = NARROW,
    shift: str = SHIFT,
    epsilon: str = "0.001",
    one: str = "1.0",
    first: str = "",
    result: str = "x",
) -> Cluster:
    """Return a normalisation of ``tensor<x>`` and the ops after it. s, t: the scale and the bias.
    axes: those that it is over. centred, by, scaled, shift: how it is written. first: a line before
    it, which may make another ``%x``. result: whether it gives the type of ``x``, or ``f`` for f32.
    """
    *sizes, element = x.split("x")
    over = [int(axis) for axis in axes.split(",")]
    row = ["1" if n in over else size for n, size in enumerate(sizes)]
    row = row if keep else [size for n, size in enumerate(sizes) if n not in over]
    types = {"x": x, "s": s, "t": t or s, "r": "x".join((*row, "f32"))}
    types["f"] = "x".join((*sizes, "f32"))
    given = {name: f"tensor<{each}>" for name, each in types.items()}
    given |= {"e": element, "over": f"axes [{axes}] {keep}", "one": one}
    lines = [
        first,
        "%a = graph.cast %x {{to = f32}} : {x} -> {f}",
        "%b = graph.cast %x {{to = f32}} : {x} -> {f}",
        centred,
        "%v = graph.reduce_mean %q {over} : {f} -> {r}",
        f"%small = graph.splat {epsilon} : f32 -> tensor<f32>",
        "%g = graph.add %v, %small : ({r}, tensor<f32>) -> {r}",
        "%w = graph.sqrt %g : {r} -> {r}",
        by,
        scaled,
        shift,
    ]
    lines += [op.replace("{n}", str(n + 1)).replace("{p}", str(n)) for n, op in enumerate(after)]
    signature = "{name}: {x}, %s: {s}, %t: {t}, %y: {x}".format(
        name="%z" if "%x" in first else "%x", **given
    )
    body = "\n".join(line.format(**given) for line in lines)
    return cluster(body, f"%{len(after)}: {given[result]}", signature)


ONLY_SCALED: dict[str, Any] = {"scaled": NARROW.split("\n")[0], "shift": NO_SHIFT}

NORMALIZATIONS = {
    "layer norm": normalized(),
    "bf16": normalized(x="5x3x48xbf16", s="48xbf16"),
    "scale and bias of f32": normalized(s="48xf32", scaled=WIDE, shift=""),
    "divided": normalized(by=BY_DEVIATION),
    "over two axes": normalized(x="5x6x8xf16", s="6x8xf16", axes="1, 2"),
    "a row": normalized(x="48xf16", axes="0"),
    "more axes of the scale": normalized(s="1x1x48xf16", t="1x48xf16"),
    "odd elements": normalized(x="5x3x47xf16", s="47xf16"),
    "rms norm": normalized(centred=SQUARES, **ONLY_SCALED),
    "rms norm with a bias": normalized(centred=SQUARES),
    "without a bias": normalized(**ONLY_SCALED),
}
