"""A group on its own, lowered with a schedule: kernels, and the launches that run them."""

from collections.abc import Mapping
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
from dlc.runtime.packing import TENSOR_ALIGNMENT
from dlc.strategies import Schedule


@dataclass(frozen=True)
class Program:
    """What runs a group once. module: its kernels. host: their launches.

    constants: the arrays among its weights, by offset.
    """

    module: ModuleOp
    host: HostProgram
    constants: Mapping[int, Array]

    @property
    def constant_bytes(self) -> int:
        """The bytes of all constants."""
        return max((_aligned(n + x.nbytes) for n, x in self.constants.items()), default=0)


def weights_of(group: GroupOp) -> list[WeightOp]:
    """Return the weights that a group reads; every other input of it is computed in the model."""
    return [value.owner for value in group.inputs if isinstance(value.owner, WeightOp)]


def computed_inputs(group: GroupOp) -> list[SSAValue]:
    """Return the inputs of a group that are no weights: those of its program, in order."""
    return [value for value in group.inputs if not isinstance(value.owner, WeightOp)]


def lower_alone(
    group: GroupOp, schedule: Schedule, weights: Mapping[str, Array], pipeline: str
) -> Program:
    """Return a group as a program.

    weights: by symbol. pipeline: the passes that lead from groups to kernels with a memory plan.
    Raises CompileError.
    """
    store = WeightStore()
    for symbol, array in weights.items():
        store.define(symbol, array)
    module = _module(group, schedule)
    context = registry.new_context(store)
    PassManager(registry.build_passes(pipeline), verify_each=False).run(context, module)
    constants = _Constants(store)
    return Program(module, read_program(module, constants.place), constants.arrays)


def _module(group: GroupOp, schedule: Schedule) -> ModuleOp:
    """Return a module whose ``main`` is the group; weights stay weights: kernels ask for them."""
    outer = computed_inputs(group)
    block = Block(arg_types=[value.type for value in outer])
    inner: dict[SSAValue, SSAValue] = dict(zip(outer, block.args, strict=True))
    for weight in dict.fromkeys(weights_of(group)):
        copy = weight.clone()
        block.add_op(copy)
        inner[weight.output] = copy.output
    alone = group.clone(inner)
    alone.schedule, alone.bound = schedule.attribute(), None
    ops: list[Operation] = [alone, ReturnOp(*alone.outputs)]
    block.add_ops(ops)
    types = ([value.type for value in outer], [value.type for value in group.outputs])
    return ModuleOp([FuncOp("main", types, Region(block))])


@dataclass
class _Constants:
    """Puts the constants of a program one after the other."""

    store: WeightStore
    arrays: dict[int, Array] = field(default_factory=dict[int, Array])
    end: int = 0

    def place(self, op: GraphOp) -> int:
        array = constant_value(op.results[0], self.store)
        assert array is not None
        offset, self.end = self.end, _aligned(self.end + array.nbytes)
        self.arrays[offset] = array
        return offset


def _aligned(bytes: int) -> int:
    return bytes + -bytes % TENSOR_ALIGNMENT


@dataclass(frozen=True)
class Layout:
    """Where the tensors of a program stand. What is given (inputs, weights) is in one piece of
    memory, what is made (outputs, workspace) in another.
    """

    starts: Mapping[tuple[str, int], int]
    given_bytes: int
    made_bytes: int

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
        return cls(starts, given, put({**outputs, ("workspace", 0): host.workspace_bytes}))

    def address(self, place: Address, given: int, made: int) -> int:
        """Return an address where the two pieces begin at ``given`` and ``made``."""
        base = given if place.space in ("input", "weight") else made
        buffer = place.buffer if place.space in ("input", "output") else 0
        return base + self.starts[place.space, buffer] + place.offset
