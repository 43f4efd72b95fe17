"""Append the gradients of the weights to the results of a function."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, count

from xdsl.context import Context
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    ArrayAttr,
    DictionaryAttr,
    LocationAttr,
    ModuleOp,
    NameLoc,
    NoneAttr,
    StringAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from dlc.analysis.entry import find_main, input_names, output_names
from dlc.core.locations import node_names
from dlc.core.passes import DlcPass
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.composite import decompose_composites
from dlc.dialects.graph.gradient import NoRuleError, gradient, rule_of
from dlc.dialects.graph.source import WeightOp
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.tensor import element_type, is_float

INPUT, WEIGHT = "input", "weight"
"""Whose gradient an op of a node computes: of what the node reads of others, or of its weights."""


class GraphAppendGradientsPass(DlcPass):
    """Makes of a model a step of its training: its results, then the gradients of its weights.

    A weight is a tensor of floats of the weight store: a constant of the model of more than four
    elements that are not all equal. It becomes an input, since it changes with every step. So does
    the gradient of each result of floats that depends on a weight: of a result ``y`` it is
    ``gradient of y``. Where an op has no rule (``dialects/graph/gradient``), the gradients of its
    operands are inputs instead. An op that computes a gradient of a node of the model comes from a
    node ``gradient of input, <node>`` or ``gradient of weight, <node>``.

    Runs on: ``graph``. Leaves: ``graph``. Order: first; composite ops without a rule are taken
    apart.

    ::

        func @main(%x) {                     func @main(%x, %w, %dy) {
          %w = graph.weight @w                 %y = graph.matmul %x, %w
          %y = graph.matmul %x, %w       ->    %dw = graph.matmul %x, %dy {transpose_lhs}
          return %y                            return %y, %dw
    """

    name = "graph-append-gradients"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        append_gradients(ctx, op)


def gradient_name(of: str, node: str) -> str:
    """Return the node that ops come from which compute a gradient of a node."""
    return f"gradient of {of}, {node}"


@dataclass(frozen=True)
class Missing:
    """node: of the model. what: which op of it has no rule, in words."""

    node: str
    what: str


def append_gradients(context: Context, module: ModuleOp) -> Sequence[Missing]:
    """Do what the pass does; return what has no rule."""
    decompose_composites(context, module, lambda op: rule_of(op) is None)
    return _Chain(find_main(module)).append()


@dataclass
class _Chain:
    """known: of each value its gradient so far. trained: values that depend on a weight. fed: those
    that depend on an input of the model.
    """

    main: FuncOp
    known: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    trained: set[SSAValue] = field(default_factory=set[SSAValue])
    fed: set[SSAValue] = field(default_factory=set[SSAValue])
    missing: dict[Missing, None] = field(default_factory=dict[Missing, None])

    def append(self) -> Sequence[Missing]:
        block, ends = self.main.body.block, output_names(self.main)
        self.names = input_names(self.main)
        self.fed |= {*block.args}
        weights = self._weights()
        self._follow()
        for value, name in zip(self._end.operands, ends, strict=True):
            if value in self.trained:
                given = self._argument(value.type, f"gradient of {name}")
                self._add(value, given, self._composer("", WEIGHT))  # one may be two results
        for op in reversed([op for op in block.ops if isinstance(op, GraphOp)]):
            self._pass_back(op)
        found = {name: self.known[x] for name, x in weights.items() if x in self.known}
        self._close([*ends, *(f"gradient of {name}" for name in found)], [*found.values()])
        return [*self.missing]

    @property
    def _end(self) -> Operation:
        end = self.main.body.block.last_op
        assert end is not None
        return end

    def _weights(self) -> dict[str, SSAValue]:
        """Make inputs of the weights. Each op is one of its own: those of equal numbers share a
        symbol, but will differ when they are trained.
        """
        found: dict[str, SSAValue] = {}
        for op in [*self.main.body.block.ops]:
            if isinstance(op, WeightOp) and is_float(element_type(op.output)):
                symbol = op.symbol.root_reference.data
                given = self._argument(op.output.type, symbol)
                found[self.names[-1]] = given
                op.output.replace_all_uses_with(given)
                op.detach()
                op.erase()
        self.trained |= {*found.values()}
        return found

    def _argument(self, type: Attribute, name: str) -> BlockArgument:
        """Make an input, whose name gets a number where another one has it."""
        others = (f"{name}_{number}" for number in count(1))
        self.names.append(next(x for x in chain([name], others) if x not in self.names))
        return self.main.body.block.insert_arg(type, len(self.names) - 1)

    def _follow(self) -> None:
        for op in self.main.body.block.ops:
            if not self.fed.isdisjoint(op.operands):
                self.fed |= {*op.results}
            if not self.trained.isdisjoint(op.operands):
                self.trained |= {x for x in op.results if is_float(element_type(x))}

    def _pass_back(self, op: GraphOp) -> None:
        """Write the gradients of what an op reads, where its results have some."""
        given = [self.known[x] for x in op.results if x in self.known]
        if given:
            for number, operand in enumerate(op.operands):
                if operand in self.trained:
                    self._pass_to(op, given[0], number)

    def _pass_to(self, op: GraphOp, given: SSAValue, number: int) -> None:
        operand, node = op.operands[number], next(node_names(op.location), "")
        g = self._composer(node, INPUT if operand in self.fed else WEIGHT)
        try:
            found = gradient(op, g, given, number)
        except NoRuleError as error:
            self.missing[Missing(node, str(error))] = None
            found = self._argument(operand.type, f"gradient of an operand of {node or op.name}")
        if found is not None:
            self._add(operand, found, g)

    def _add(self, value: SSAValue, found: SSAValue, g: Composer) -> None:
        """Add to the gradient of a value."""
        before = self.known.get(value)
        self.known[value] = found if before is None else g.add(before, found)

    def _composer(self, node: str, of: str) -> Composer:
        name = StringAttr(gradient_name(of, node))
        place: LocationAttr = NameLoc(name, NoneAttr()) if node else UNKNOWN_LOC

        def insert(op: GraphOp) -> SSAValue:
            op.location = place
            self.main.body.block.insert_op_before(op, self._end)
            return op.results[0]

        return Composer(insert)

    def _close(self, names: Sequence[str], gradients: Sequence[SSAValue]) -> None:
        self._end.operands = [*self._end.operands, *gradients]
        self.main.update_function_type()
        self.main.arg_attrs, self.main.res_attrs = _named(self.names), _named(names)


def _named(names: Sequence[str]) -> ArrayAttr[DictionaryAttr]:
    return ArrayAttr([DictionaryAttr({"graph.name": StringAttr(name)}) for name in names])
