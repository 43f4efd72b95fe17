"""The places of a host program's values are checked without running it."""

import pytest
from xdsl.dialects.builtin import ModuleOp

from dlc import registry
from dlc.backends.host import reader
from dlc.backends.host.program import Address
from dlc.core.parser import parse_module
from dlc.verification.byte_origins import Piece, joined
from dlc.verification.memory_plan import check_memory_plan
from dlc.verification.miscompile import MiscompileError

V = "tensor<64xf32>"
W = "tensor<128xf32>"
KERNELS = """
loop.kernel @k(%x: memref<64xf32>, %y: memref<64xf32>) attributes {outputs = 1 : i64} { loop.end }
loop.kernel @s(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<256xi8>)
    attributes {outputs = 1 : i64, scratch = array<i64: 256>} { loop.end }
loop.kernel @two(%x: memref<64xf32>, %w: memref<64xf32>, %y: memref<64xf32>)
    attributes {outputs = 1 : i64} { loop.end }
loop.kernel @wide(%x: memref<128xf32>, %y: memref<128xf32>) attributes {outputs = 1 : i64} {
  loop.end
}
loop.kernel @pair(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<64xf32>)
    attributes {outputs = 2 : i64} { loop.end }
loop.kernel @f(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<64xf32>)
    attributes {outputs = 1 : i64, scratch = array<i64: 256>, cooperative,
                filled = array<i64: 1, 2>} { loop.end }
loop.kernel @left(%x: memref<4x32xf32>, %y: memref<4x32xf32>)
    attributes {outputs = 1 : i64, parts = [array<i64: 1, 1, 0, 16>]} { loop.end }
loop.kernel @right(%x: memref<4x32xf32>, %y: memref<4x32xf32>)
    attributes {outputs = 1 : i64, parts = [array<i64: 1, 1, 16, 32>]} { loop.end }
loop.kernel @rows(%x: memref<4x32xf32>, %y: memref<4x32xf32>) attributes {outputs = 1 : i64} {
  loop.end
}
"""
P, R = "tensor<4x16xf32>", "tensor<4x32xf32>"


def launch(
    kernel: str,
    operands: str,
    offsets: str,
    given: str = V,
    result: str = V,
    after: str | None = None,
) -> str:
    types = ", ".join([given] * (1 + operands.count(",")))
    order = "" if after is None else f"after = array<i64{after}>, "
    return (
        f"fused_group.launch @{kernel}({operands}) {{{order}offsets = array<i64: {offsets}>}} : "
        f"({types}) -> {result}"
    )


def module(body: str, result: str, type: str = V, given: str = V, bytes: int = 1024) -> ModuleOp:
    text = (
        f"builtin.module attributes {{fused_group.arena_bytes = {bytes} : i64}} {{ {KERNELS}"
        f"func.func @main(%x: {given}) -> {type} {{ {body}\nfunc.return {result} : {type} }} }}"
    )
    return parse_module(text, registry.new_context())


def chain(second: str, third: str, bytes: int = 1024) -> ModuleOp:
    """Return ``y = two(b, a)`` of ``b = s(a)`` of ``a = k(x)``; offsets of ``b``, its scratch and
    of ``y``.
    """
    return module(
        f"%a = {launch('k', '%x', '0')}\n%b = {launch('s', '%a', second)}\n"
        f"%y = {launch('two', '%b, %a', third)}",
        "%y",
        bytes=bytes,
    )


def view(start: int, offset: int) -> ModuleOp:
    """Return a launch on elements of a result from ``start`` on; the rest dies at once."""
    return module(
        f"%a = {launch('wide', '%x', '0', W, W)}\n"
        f"%v = graph.slice %a {{starts = array<i64: {start}>, stops = array<i64: {start + 64}>, "
        f"steps = array<i64: 1>}} : {W} -> {V}\n"
        f"%b = {launch('k', '%v', str(offset))}\n%y = {launch('k', '%b', '-1')}",
        "%y",
        given=W,
    )


def whole(first: int, second: int, between: str = "") -> ModuleOp:
    """Return a launch on two results, one after the other. between: what runs before it."""
    return module(
        f"%a = {launch('k', '%x', str(first))}\n%b = {launch('k', '%a', str(second))}\n{between}\n"
        f"%c = graph.concat %a, %b {{axis = 0 : i64}} : ({V}, {V}) -> {W}\n"
        f"%y = {launch('wide', '%c', '-1', W, W)}",
        "%y",
        W,
    )


def parts(between: str = "", after: str | None = None, given: str = "%x") -> ModuleOp:
    """Return a launch on rows of two parts, which stand from byte 0 on. between: what runs before
    it. after: what the second part comes after. given: what that one is made of.
    """

    def overlay(inputs: str, starts: str, types: str) -> str:
        numbers = f"axis = 1 : i64, size = 32 : i64, starts = array<i64: {starts}>"
        return f"graph.overlay {inputs} {{{numbers}}} : ({types}) -> {R}"

    return module(
        f"%a = {launch('left', '%x', '0', R, P)}\n%w = {overlay('%a', '0', P)}\n"
        f"%b = {launch('right', given, '0', R, P, after)}\n{between}\n"
        f"%c = {overlay('%w, %b', '0, 16', f'{R}, {P}')}\n"
        f"%y = {launch('rows', '%c', '-1', R, R)}",
        "%y",
        R,
        R,
    )


def filled(places: str) -> ModuleOp:
    """Return ``y = f(b)`` of ``b = k(a)`` of ``a = k(x)``, at 0 and 256; offsets of ``y`` and of
    scratch, both of which are filled when the run begins.
    """
    return module(
        f"%a = {launch('k', '%x', '0')}\n%b = {launch('k', '%a', '256')}\n"
        f"%y = {launch('f', '%b', places)}",
        "%y",
    )


def apart(second: str, third: str, after: str = ": 2") -> ModuleOp:
    """Return ``y = two(c, b)`` of ``b = k(a)`` and ``c = s(x)``, which may run at the same time, of
    ``a = k(x)``; offsets of ``b``, and of ``c`` and its scratch. after: what ``c`` comes after.
    """
    return module(
        f"%a = {launch('k', '%x', '0')}\n%b = {launch('k', '%a', second, after=': 1')}\n"
        f"%c = {launch('s', '%x', third, after=after)}\n%y = {launch('two', '%c, %b', '-1')}",
        "%y",
    )


@pytest.mark.parametrize(
    "right",
    [
        chain("256, 512", "-1"),
        chain("512, 768", "-1"),
        view(0, 512),
        view(64, 0),
        whole(0, 256),
        whole(512, 768),
        filled("-1, 512"),
        parts(),
        parts(after=""),
        parts(given="%w"),
        apart("256", "512, 768"),
        apart("256", "512, 0", after=": 1"),
        module(f"%a = {launch('k', '%x', '0')}", "%x"),
        module(f"%w = graph.weight @w : {V}\n%y = {launch('two', '%x, %w', '-1')}", "%w"),
        module(f"%y, %z = {launch('pair', '%x', '0, 256', V, f'({V}, {V})')}", "%z"),
        module(f"%a = {launch('k', '%x', '-1')}\n%y = {launch('k', '%a', '0')}", "%a"),
        module("", "%x", "tensor<0xf32>", "tensor<0xf32>"),
    ],
)
def test_right_plans(right: ModuleOp) -> None:
    check_memory_plan(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (chain("0, 512", "-1"), "@s for s writes result 0 where it may not"),
        (chain("256, 128", "-1"), "@s for s writes result 1 where it may not"),
        (chain("256, 256", "-1"), "@s for s writes result 1 where it may not"),
        (chain("256, 900", "-1"), "@s for s writes result 1 where it may not"),
        (chain("256, 512", "300"), "@two for two writes result 0 where it may not"),
        (chain("256, 512", "-1", bytes=700), "@s for s writes result 1 where it may not"),
        (view(64, 300), "@k for k writes result 0 where it may not"),
        (whole(0, 256, f"%d = {launch('k', '%a', '256')}"),
         "@wide for wide does not find its operand 0"),
        (parts(between=f"%d = {launch('rows', '%x', '0', R, R)}"),
         "@rows for rows does not find its operand 0"),
        (parts(between=f"%d = {launch('rows', '%x', '256', R, R)}"),
         "@rows for rows does not find its operand 0"),
        (filled("-1, 0"), "@f for f does not find its operand 2 filled"),
        (filled("0, 512"), "@f for f does not find its operand 1 filled"),
        (filled("512, 512"), "@f for f does not find its operand 1 filled"),
        (apart("256", "0, 512"), "@k for k and .* @s for s share memory, and may run at the same"),
        (apart("256", "512, 0"), "@k for k and .* @s for s share memory, and may run at the same"),
        (apart("256", "768, 300"), "@two for two does not find its operand 1"),
        (apart("256", "512, 0", after=""), "@k for k and .* @s for s share memory"),
        (module(f"%a = {launch('k', '%x', '0')}\n%b = {launch('k', '%x', '64')}\n"
                f"%y = {launch('two', '%b, %a', '-1')}", "%y"),
         "@two for two does not find its operand 1"),
        (module(f"%a = {launch('k', '%x', '-1')}\n%y = {launch('k', '%x', '-1')}", "%a"),
         "output 'output0' does not end where it is wanted"),
    ],
)  # fmt: skip
def test_wrong_plans(wrong: ModuleOp, message: str) -> None:
    with pytest.raises(MiscompileError, match=message):
        check_memory_plan(wrong)


def test_a_view_at_a_wrong_offset_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def unshifted(address: Address, *_: object) -> Address:
        return address

    monkeypatch.setattr(reader, "_shifted", unshifted)
    check_memory_plan(view(0, 512))
    with pytest.raises(MiscompileError, match="@k for k does not find its operand 0"):
        check_memory_plan(view(64, 512))


def test_a_copy_that_is_left_out_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = module(f"%a = {launch('k', '%x', '0')}", "%x")
    check_memory_plan(right)
    monkeypatch.setattr("dlc.backends.host.reader._Reader.copies", lambda *_: iter(()))
    with pytest.raises(MiscompileError, match="output 'output0' does not end where"):
        check_memory_plan(right)


def test_bytes_in_another_order_are_others() -> None:
    (tensor,) = (op.results[0] for op in module(f"%a = {launch('k', '%x', '0')}", "%a").walk()
                 if op.name == "fused_group.launch")  # fmt: skip
    halves = [Piece(128, tensor, 0), Piece(128, tensor, 128)]
    assert joined(halves) == [Piece(256, tensor)]
    assert joined(halves[::-1]) == halves[::-1]
    assert joined([Piece(8, None), Piece(8, None)]) == [Piece(16, None)]
