"""Index expressions over SSA values in IR text: ``[%i * 4 + %j, 0]``."""

from collections.abc import Sequence

from xdsl.ir import SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.parser.affine_parser import AffineParser
from xdsl.printer import Printer


def parse_index_expressions(parser: Parser) -> tuple[AffineMap, list[UnresolvedOperand]]:
    """Parse ``[%i + 1, 0]``; the dims of the map stand for the operands in order."""
    # xDSL's parser of index expressions has no public way in.
    state = parser._parser_state  # pyright: ignore[reportPrivateUsage]
    map, spans = AffineParser(state).parse_affine_map_of_ssa_ids()
    dims = [AffineExpr.dimension(i) for i in range(len(spans))]
    exprs = tuple(e.replace_dims_and_symbols((), dims) for e in map.results)
    return AffineMap(len(dims), 0, exprs), [UnresolvedOperand(span, 0) for span in spans]


def starts_index_expressions(parser: Parser) -> bool:
    """Return whether index expressions come next."""
    # Looking ahead without taking the token has no public name.
    token = parser._current_token  # pyright: ignore[reportPrivateUsage]
    return token.text == "["


def print_index_expressions(printer: Printer, map: AffineMap, operands: Sequence[SSAValue]) -> None:
    """Print ``[%i + 1, 0]``."""
    with printer.in_square_brackets():
        printer.print_list(map.results, lambda e: _print_expr(printer, e, operands, 0))


_PRECEDENCE = {AffineBinaryOpKind.Add: 1}
"""Of the binary operators; the multiplicative ones have 2."""


def _print_expr(
    printer: Printer, expr: AffineExpr, operands: Sequence[SSAValue], outer: int
) -> None:
    match expr:
        case AffineConstantExpr():
            printer.print_string(str(expr.value))
        case AffineDimExpr():
            printer.print_ssa_value(operands[expr.position])
        case AffineBinaryOpExpr():
            precedence = _PRECEDENCE.get(expr.kind, 2)
            parenthesised = precedence < outer
            printer.print_string("(" if parenthesised else "")
            _print_binary(printer, expr, operands, precedence)
            printer.print_string(")" if parenthesised else "")
        case _:
            raise AssertionError(f"an index expression has no symbols: {expr}")


def _print_binary(
    printer: Printer, expr: AffineBinaryOpExpr, operands: Sequence[SSAValue], precedence: int
) -> None:
    _print_expr(printer, expr.lhs, operands, precedence)
    token, right = expr.kind.get_token(), expr.rhs
    if token == "+" and isinstance(right, AffineConstantExpr) and right.value < 0:
        token, right = "-", AffineExpr.constant(-right.value)
    printer.print_string(f" {token} ")
    _print_expr(printer, right, operands, precedence + 1)
