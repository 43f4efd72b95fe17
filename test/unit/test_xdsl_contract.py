"""What we rely on in xDSL 0.74.0, and what we work around; an upgrade shows here what has changed.

Each test states xDSL's own behaviour first, then what ours does instead.
"""

import gc
import struct
from importlib.metadata import version

import pytest
from xdsl.context import Context
from xdsl.dialects import arith, builtin, func, test
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    FileLineColLoc,
    ModuleOp,
    StringAttr,
    TensorType,
    f32,
    i1,
    i32,
)
from xdsl.ir import Dialect, Operation
from xdsl.irdl import IRDLOperation, irdl_op_definition, opt_operand_def, traits_def
from xdsl.parser import Parser
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import (
    AlreadyRegisteredConstructException,
    ArgSpecParseError,
    ParseError,
    VerifyException,
)
from xdsl.utils.mlir_lexer import MLIRLexer

from dlc import registry
from dlc.core.context import DlcContext
from dlc.core.instrumentation import PassManager
from dlc.core.parser import DlcParser, parse_module
from dlc.core.printer import operation_as_text
from dlc.core.rewrite import OpRewrite, RewriteCounter, apply_patterns
from dlc.core.verify import InvalidModule, find_faults, verify
from dlc.errors import CompileError


def plain_context() -> Context:
    """Return a context as xDSL makes it."""
    context = Context()
    for dialect in (builtin.Builtin, arith.Arith, func.Func, test.Test):
        context.load_dialect(dialect)
    return context


def plain_module(text: str) -> ModuleOp:
    """Return what xDSL's own parser makes of a text."""
    return Parser(plain_context(), text).parse_module()


def own_module(text: str) -> ModuleOp:
    """Return what our parser makes of a text."""
    context = registry.new_context()
    context.register_dialect("test", lambda: test.Test)
    return parse_module(text, context, "here.mlir")


def values(module: ModuleOp) -> bytes:
    """Return the bytes of the dense attribute of a module's first op."""
    attribute = next(iter(module.ops)).get_attr_or_prop("value")
    assert isinstance(attribute, DenseIntOrFPElementsAttr)
    return attribute.data.data


def test_version_is_the_pinned_one() -> None:
    assert version("xdsl") == "0.74.0"


def test_bits_of_dense_floats() -> None:
    text = '"test.op"() {value = dense<0xFF800000> : tensor<1xf32>} : () -> ()'
    assert values(plain_module(text)) == struct.pack("<f", 0xFF800000), "the bits as an integer"
    assert values(own_module(text)) == struct.pack("<f", float("-inf"))
    with pytest.raises(ParseError, match="does not have the digits of one f32"):
        own_module(text.replace("0xFF800000", "0xFF80"))


@pytest.mark.parametrize("value", [16777216.0, 123456789.0, float("inf"), -0.0, 0.1, 1e-45, 3.0])
def test_dense_floats_round_trip(value: float) -> None:
    data = struct.pack("<2f", value, 1.0)
    attribute = DenseIntOrFPElementsAttr(TensorType(f32, [2]), builtin.BytesAttr(data))
    module = ModuleOp([test.TestOp(attributes={"value": attribute})])
    assert values(own_module(operation_as_text(module))) == data


def test_xdsl_prints_some_floats_as_integers() -> None:
    module = plain_module('"test.op"() {value = dense<16777216.0> : tensor<1xf32>} : () -> ()')
    assert "0x4B800000" in str(module)
    assert values(plain_module(str(module))) != values(module)


def test_a_true_bit_is_stored_as_all_ones() -> None:
    attribute = DenseIntOrFPElementsAttr.from_list(TensorType(i1, [2]), [1, 0])
    assert attribute.data.data == b"\xff\x00"


def test_dominance() -> None:
    text = '"test.op"(%0) : (i32) -> ()\n%0 = "test.op"() : () -> i32'
    plain_module(text).verify()
    assert [fault.message for fault in find_faults(own_module(text))] == [
        "test.op: operand 0 is not defined before this use"
    ]


def test_dominance_in_branches() -> None:
    text = """
    "test.op"() ({
    ^bb0:
      %0 = "test.op"() : () -> i32
      "test.termop"() [^bb1, ^bb2] : () -> ()
    ^bb1:
      %1 = "test.op"(%0) : (i32) -> i32
      "test.termop"() [^bb2] : () -> ()
    ^bb2:
      "test.termop"(%1) : (i32) -> ()
    }) : () -> ()"""
    assert [fault.message for fault in find_faults(own_module(text))] == [
        "test.termop: operand 0 is not defined before this use"
    ]


def test_ops_get_their_place_in_the_text() -> None:
    text = '\n  %0 = "test.op"() : () -> i32\n"test.op"() : () -> () loc("node")'
    assert all(op.location == UNKNOWN_LOC for op in plain_module(text).walk() if op.results)
    first, second = own_module(text).ops
    assert isinstance(first.location, FileLineColLoc)
    assert (first.location.line.data, first.location.column.data) == (2, 3)
    assert isinstance(second.location, builtin.NameLoc)


class _Renewed(RewritePattern):
    """Replaces each op that has a result by a new one, once."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if op.results and "new" not in op.attributes:
            new = test.TestOp(result_types=[i32], attributes={"new": StringAttr("")})
            rewriter.replace(op, new)


def test_rewriting_keeps_locations() -> None:
    text = '%0 = "test.op"() : () -> i32\n"test.op"(%0) : (i32) -> ()'
    module = own_module(text)
    PatternRewriteWalker(_Renewed()).rewrite_module(module)
    assert next(iter(module.ops)).location == UNKNOWN_LOC
    module = own_module(text)
    before = next(iter(module.ops)).location
    apply_patterns(module, [_Renewed()], registry.new_context())
    assert next(iter(module.ops)).location == before


class _Silent(RewritePattern):
    """Changes an attribute and tells nobody."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        op.attributes["seen"] = StringAttr("")


def test_a_change_must_be_notified() -> None:
    module = plain_module('"test.op"() : () -> ()')
    assert not PatternRewriteWalker(_Silent()).rewrite_module(module)
    assert not apply_patterns(module, [_Silent()], registry.new_context())


class _PingPong(RewritePattern):
    """Replaces an op by an equal one, for ever."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        rewriter.replace(op, test.TestOp())


def test_rewriting_is_bounded() -> None:
    module = own_module('"test.op"() : () -> ()')
    with pytest.raises(CompileError, match="_PingPong goes on for ever"):
        apply_patterns(module, [_PingPong()], registry.new_context())


def test_greedy_rewriting_erases_dead_ops() -> None:
    text = "%0 = arith.constant 1 : i32"
    module = plain_module(text)
    PatternRewriteWalker(GreedyRewritePatternApplier([])).rewrite_module(module)
    assert not list(module.ops)
    kept = own_module(text)
    apply_patterns(kept, [], registry.new_context(), erase_dead=False)
    assert len(list(kept.ops)) == 1
    apply_patterns(kept, [], registry.new_context())
    assert not list(kept.ops)


def test_ops_without_stated_effects_are_never_dead() -> None:
    module = own_module('%0 = "test.op"() : () -> i32')
    apply_patterns(module, [], registry.new_context())
    assert len(list(module.ops)) == 1


class _OnConstants(OpRewrite[arith.ConstantOp]):
    """Replaces a constant by an op that stands for something else."""

    def rewrite(self, op: arith.ConstantOp, rewriter: PatternRewriter) -> None:
        rewriter.replace(op, test.TestOp(result_types=[op.result.type]))


def test_a_typed_pattern_sees_its_ops_only_and_is_counted() -> None:
    text = '%0 = arith.constant 1 : i32\n%1 = "test.op"() : () -> i32\n%2 = arith.constant 2 : i32'
    context = registry.new_context()
    context.rewrites = RewriteCounter(limit=1)
    module = own_module(text)
    apply_patterns(module, [_OnConstants()], context, erase_dead=False)
    assert [op.name for op in module.ops] == ["test.op", "test.op", "arith.constant"]
    assert context.rewrites.last == "_OnConstants on arith.constant at here.mlir:1:1"


@irdl_op_definition
class _OptionalOp(IRDLOperation):
    """An op that may have an operand."""

    name = "ours.optional"
    operand = opt_operand_def()
    traits = traits_def(Pure())


def test_create_takes_operands_as_they_are() -> None:
    op = _OptionalOp.create()
    op.verify()
    assert op.operand is None


def test_collections_are_rare_while_passes_run() -> None:
    before = gc.get_threshold()
    PassManager([]).run(registry.new_context(), ModuleOp([]))
    assert gc.get_threshold() == before


def test_dialect_names_have_no_hyphen() -> None:
    context = plain_context()
    context.load_dialect(Dialect("fused-group", [], []))
    with pytest.raises(ParseError):
        Parser(context, "fused-group.yield").parse_module()


def test_our_gpu_stands_in_for_that_of_xdsl() -> None:
    context = registry.new_context()
    with pytest.raises(AlreadyRegisteredConstructException):
        context.register_dialect("gpu", lambda: test.Test)
    dialect = context.get_optional_dialect("gpu")
    assert dialect is registry.load_dialect("gpu")


def test_a_fault_does_not_print_the_module() -> None:
    text = '%0 = "arith.addi"(%a, %a) : (i32, i32) -> i64\n%a = "test.op"() : () -> i32'
    with pytest.raises(VerifyException) as caught:
        plain_module(text).verify()
    assert "builtin.module" in "".join(caught.value.__notes__)
    with pytest.raises(InvalidModule) as own:
        verify(own_module(text))
    assert not hasattr(own.value, "__notes__")
    assert own.value.faults[0].op.name == "arith.addi"


def test_every_fault_is_found() -> None:
    one = '"arith.addi"(%a, %a) : (i32, i32) -> i64\n'
    module = own_module(f'%a = "test.op"() : () -> i32\n%0 = {one}%1 = {one}')
    assert len(find_faults(module)) == 2


def test_wrong_pass_options_escape_except_exception() -> None:
    assert not issubclass(ArgSpecParseError, Exception), "hence dlc.core.options"


def test_non_ascii_strings_become_bytes() -> None:
    module = plain_module('"test.op"() {value = "\\C3\\A9"} : () -> ()')
    assert isinstance(next(iter(module.ops)).attributes["value"], BytesAttr)


def test_a_cloned_context_keeps_weights_and_counter() -> None:
    assert type(plain_context().clone()) is Context
    context = registry.new_context()
    copy = context.clone()
    assert isinstance(copy, DlcContext)
    assert copy.weights is context.weights
    assert copy.rewrites is context.rewrites


def test_resources_are_lost_on_the_second_parse() -> None:
    text = (
        '"test.op"() {value = dense_resource<blob1> : tensor<1xi8>} : () -> ()\n'
        '{-# dialect_resources: { builtin: { blob1: "0x0100000002" } } #-}'
    )
    first, second = (str(next(iter(plain_module(text).ops))) for _ in range(2))
    assert first != second, "hence no dense_resource in dlc"


def test_deep_nesting_parses() -> None:
    depth = 300
    text = '"test.op"() ({' * depth + '"test.termop"() : () -> ()'
    text += '"test.termop"() : () -> ()'.join(["}) : () -> ()"] * depth)
    import sys

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    try:
        assert len(list(own_module(text).walk())) == 2 * depth + 1
    finally:
        sys.setrecursionlimit(limit)


def test_odd_syntax_errors_become_parse_errors() -> None:
    text = '"test.op"() {v = 0x1FFFF : f16} : () -> ()'
    with pytest.raises(OverflowError):
        plain_module(text)
    with pytest.raises(ParseError, match="malformed operation: OverflowError"):
        own_module(text)


def test_an_open_string_is_found_at_once() -> None:
    pattern = MLIRLexer._unescaped_characters_regex.pattern  # pyright: ignore[reportPrivateUsage]  (what is held to)
    assert "]+|" in pattern, "xDSL takes 2**n steps for n characters"
    with pytest.raises(ParseError, match="before closing string"):
        own_module('"' + "a" * 10_000)


def test_escapes_that_are_utf_8_make_a_string() -> None:
    text = '"test.op"() {v = "gr\\C3\\B6", w = "\\FF"} : () -> ()'
    assert isinstance(next(iter(plain_module(text).ops)).attributes["v"], BytesAttr)
    found = next(iter(own_module(text).ops)).attributes
    assert found["v"] == StringAttr("grö")
    assert found["w"] == BytesAttr(b"\xff")


def test_types_are_parsed_once_per_text() -> None:
    own_module('%0, %1 = "test.op"() : () -> (tensor<7x5xf32>, tensor<7x5xf32>)')
    first = DlcParser.TYPES["tensor<7x5xf32>"]
    module = own_module('%0 = "test.op"() : () -> tensor<7x5xf32>')
    assert next(iter(module.ops)).results[0].type is first


def test_printing_assigns_the_text_that_xdsl_reads() -> None:
    module = own_module('%0 = "test.op"() : () -> i32\n"test.op"(%0) : (i32) -> ()')
    text = operation_as_text(module, generic=True)
    assert plain_module(text).is_structurally_equivalent(module)
