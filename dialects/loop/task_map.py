"""The task-mapping attribute."""

from xdsl.ir import Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from dlc.core.task_map import Factor, TaskMap
from dlc.errors import CompileError


@irdl_attr_definition
class TaskMapAttr(Data[TaskMap]):
    """Which worker does which tasks (see ``dlc.core.task_map``).

    ``#loop.task_map<spatial(2, 2) * repeat(2, 8)>``
    """

    name = "loop.task_map"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> TaskMap:
        with parser.in_angle_brackets():
            return parse_task_map(parser)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{self.data}>")


def parse_task_map(parser: AttrParser) -> TaskMap:
    """Read a task mapping, as it is printed."""
    factors = [_parse_factor(parser)]
    while parser.parse_optional_characters("*"):
        factors.append(_parse_factor(parser))
    try:
        return TaskMap(tuple(factors))
    except CompileError as error:
        parser.raise_error(error.message)


def _parse_factor(parser: AttrParser) -> Factor:
    kind = "spatial" if parser.parse_optional_keyword("spatial") else "repeat"
    if kind == "repeat":
        parser.parse_keyword("repeat")
    sizes = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_integer)
    try:
        return Factor(kind, tuple(sizes))
    except CompileError as error:
        parser.raise_error(error.message)
