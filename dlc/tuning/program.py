"""A group on its own, lowered with a schedule: kernels, and the launches that run them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from dlc import registry
from dlc.analysis.evaluation import constant_value
from dlc.backends.host.program import Address, HostProgram
from dlc.backends.host.reader import read_program
from dlc.core.instrumentation import PassManager
from dlc.core.weights import WeightStore
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.graph.source import WeightOp
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.ir.tensor import tensor_bytes
from dlc.runtime.packing import TENSOR_ALIGNMENT
from dlc.strategies import Schedule
from dlc.tuning.named_weights import WeightName, declared


@dataclass(frozen=True)
class Program:
    """What runs a group once. host: the launches. constants: what stands among its weights, by
    offset. constant_bytes: all of them together.
    """

    host: HostProgram
    constants: Mapping[int, Array | WeightName]
    constant_bytes: int

    def arrays(self, weights: Mapping[str, Array]) -> dict[int, Array]:
        """Return the constants, by offset. weights: by symbol.

        Raises CompileError for a weight that has another shape than the program was built for.
        """
        return {
            offset: each.array(weights) if isinstance(each, WeightName) else each
            for offset, each in self.constants.items()
        }


def weights_of(group: GroupOp) -> list[WeightOp]:
    """Return the weights that a group reads; every other input of it is computed in the model."""
    return [value.owner for value in group.inputs if isinstance(value.owner, WeightOp)]


def computed_inputs(group: GroupOp) -> list[SSAValue]:
    """Return the inputs of a group that are no weights: those of its program, in order."""
    return [value for value in group.inputs if not isinstance(value.owner, WeightOp)]


def alone(group: GroupOp, schedule: Schedule) -> ModuleOp:
    """Return a module whose ``main`` is the group; weights stay weights: kernels ask for them."""
    outer = computed_inputs(group)
    block = Block(arg_types=[value.type for value in outer])
    inner: dict[SSAValue, SSAValue] = dict(zip(outer, block.args, strict=True))
    for weight in dict.fromkeys(weights_of(group)):
        copy = weight.clone()
        block.add_op(copy)
        inner[weight.output] = copy.output
    own = group.clone(inner)
    own.schedule, own.bound = schedule.attribute(), None
    ops: list[Operation] = [own, ReturnOp(*own.outputs)]
    block.add_ops(ops)
    types = ([value.type for value in outer], [value.type for value in group.outputs])
    return ModuleOp([FuncOp("main", types, Region(block))])


def lower_alone(module: ModuleOp, pipeline: str, weights: Mapping[str, Array] | None) -> Program:
    """Lower a module that ``alone`` made to kernels, in place; return the launches of these.

    pipeline: the passes that lead from groups to kernels with a memory plan. weights: by symbol;
    without them the constants are names. Raises CompileError.
    """
    store = declared(module) if weights is None else WeightStore()
    for symbol, array in (weights or {}).items():
        store.define(symbol, array)
    passes = registry.build_passes(pipeline)
    PassManager(passes, verify_each=False).run(registry.new_context(store), module)
    constants = _Constants(lambda op: _constant(op, store, is_named=weights is None))
    host = read_program(module, constants.place)
    return Program(host, constants.found, constants.end)


def _constant(op: GraphOp, store: WeightStore, is_named: bool) -> Array | WeightName:
    if is_named and isinstance(op, WeightOp):
        return WeightName.of(op, store)
    array = constant_value(op.results[0], store)
    assert array is not None
    return array


@dataclass
class _Constants:
    """Puts the constants of a program one after the other."""

    constant: Callable[[GraphOp], Array | WeightName]
    found: dict[int, Array | WeightName] = field(default_factory=dict[int, Array | WeightName])
    end: int = 0

    def place(self, op: GraphOp) -> int:
        offset, self.end = self.end, _aligned(self.end + tensor_bytes(op.results[0]))
        self.found[offset] = self.constant(op)
        return offset


def _aligned(bytes: int) -> int:
    return bytes + -bytes % TENSOR_ALIGNMENT


@dataclass(frozen=True)
class Layout:
    """Where the tensors of a program stand, in three pieces of memory: what is given (inputs,
    weights), what is made (outputs), and the workspace. sizes: the bytes of each.
    """

    starts: Mapping[tuple[str, int], int]
    sizes: tuple[int, int, int]

    @classmethod
    def of(cls, program: Program) -> "Layout":
        """Return the layout of a program."""
        host, starts = program.host, dict[tuple[str, int], int]()

        def put(names: Mapping[tuple[str, int], int]) -> int:
            end = 0
            for name, bytes in names.items():
                starts[name], end = end, _aligned(end + bytes)
            return max(end, TENSOR_ALIGNMENT)

        inputs = {("input", n): x.bytes for n, x in enumerate(host.inputs)}
        outputs = {("output", n): x.bytes for n, x in enumerate(host.outputs)}
        given = put({**inputs, ("weight", 0): program.constant_bytes})
        return cls(starts, (given, put(outputs), put({("workspace", 0): host.workspace_bytes})))

    def address(self, place: Address, given: int, made: int, workspace: int) -> int:
        """Return an address where the three pieces begin at ``given``, ``made``, ``workspace``."""
        bases = {"input": given, "weight": given, "output": made, "workspace": workspace}
        buffer = place.buffer if place.space in ("input", "output") else 0
        return bases[place.space] + self.starts[place.space, buffer] + place.offset

    def given(
        self, inputs: Sequence[Array], constants: Mapping[int, Array]
    ) -> list[tuple[int, Array]]:
        """Return what is given, each array with where it stands."""
        placed = [(self.starts["input", n], array) for n, array in enumerate(inputs)]
        first = self.starts["weight", 0]
        return [*placed, *((first + offset, array) for offset, array in constants.items())]
