"""A kernel as a list of instructions, so that threads can stand anywhere in it.

Where threads of one block wait for each other in different branches, conditions and loops that hold
such waits are laid out as branches and jumps; all the rest stays one step that runs by masks.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from xdsl.dialects import scf
from xdsl.ir import Block, Operation

from dlc.analysis.uniformity import runs_uniformly
from dlc.arch.scope import Scope
from dlc.dialects.gpu import KernelOp
from dlc.ir.order import FROM_OTHERS, OrderingOp
from dlc.simulator._bundle import Bundle
from dlc.simulator._control import yielded
from dlc.simulator._machine import Machine, Step, nothing
from dlc.simulator._threads import Active, Booleans


class Turns(Protocol):
    """What instructions ask of the scheduler."""

    def divide(self, bundle: Bundle, mask: Booleans, at: int) -> None:
        """Let those threads of a bundle for which ``mask`` does not hold go on at ``at``."""
        ...

    def rest(self, bundle: Bundle) -> None:
        """Let others have their turn."""
        ...

    def meet(self, bundle: Bundle, scope: Scope, op: Operation) -> None:
        """Let the bundle go on once all threads of each group are here."""
        ...

    def wait(self, bundle: Bundle, op: Operation) -> None:
        """Let those threads go on for which what ``op`` waits for has come."""
        ...


Instruction = Callable[[Turns, Bundle], None]
"""Does one thing in the threads of a bundle, and says where they go on."""


def has_tokens(kernel: KernelOp) -> bool:
    """Return whether threads wait for tokens of each other."""
    return any(_is_of_a_token(op) for op in kernel.walk())


def runs_in_lockstep(kernel: KernelOp) -> bool:
    """Return whether all threads of a block surely come to each wait together."""
    return (
        not has_tokens(kernel)
        and kernel.cluster is None
        and all(
            _is_reached_together(op)
            for op in kernel.walk()
            if isinstance(op, OrderingOp) and op.together > Scope.WARP
        )
    )


def _is_of_a_token(op: Operation) -> bool:
    tokens = (op.acquires, op.releases) if isinstance(op, OrderingOp) else ()
    return any(token is not None and token.kind in FROM_OTHERS for token in tokens)


def _is_reached_together(op: Operation) -> bool:
    """Return whether all threads of a block go the same way to ``op``."""
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, KernelOp):
        if not runs_uniformly(parent):
            return False
        parent = parent.parent_op()
    return True


def _stops(op: Operation) -> bool:
    """Return whether threads may have to wait for others at ``op``, or in it."""
    if isinstance(op, OrderingOp) and (op.together > Scope.THREAD or _is_of_a_token(op)):
        return True
    return any(_stops(inner) for r in op.regions for b in r.blocks for inner in b.ops)


class Flow:
    """Lays out a kernel. code: its instructions; a bundle that comes to their end is done."""

    def __init__(self, machine: Machine):
        self.machine = machine
        self.code: list[Instruction] = []
        self._block(machine.kernel.body.block)

    def _block(self, block: Block) -> None:
        for op in block.ops:
            match op:
                case scf.IfOp() if _stops(op):
                    self._if(op)
                case scf.ForOp() if _stops(op):
                    self._for(op)
                case _:
                    self._operation(op)

    def _operation(self, op: Operation) -> None:
        if isinstance(op, OrderingOp) and op.together > Scope.THREAD:
            scope = op.together
            self._add(lambda turns, bundle: turns.meet(bundle, scope, op))
        self._step(self.machine.step(op))
        if op in self.machine.waits:
            self._add(lambda turns, bundle: turns.wait(bundle, op))

    def _if(self, op: scf.IfOp) -> None:
        values, condition = self.machine.values, self.machine.slot(op.cond)
        after: list[int] = []  # the place after both branches, once it is known
        otherwise: list[int] = []

        def branch(turns: Turns, bundle: Bundle) -> None:
            chosen = np.broadcast_to(values[condition], bundle.active.mask.shape)
            turns.divide(bundle, chosen, otherwise[0])

        self._add(branch)
        self._branch(op, op.true_region.block)
        self._jump(after)
        otherwise.append(len(self.code))
        if op.false_region.blocks:
            self._branch(op, op.false_region.block)
        after.append(len(self.code))
        self._add(lambda turns, bundle: turns.rest(bundle))

    def _branch(self, op: scf.IfOp, block: Block) -> None:
        self._block(block)
        self._copy(yielded(self.machine, block), self.machine.slots(op.results))

    def _for(self, op: scf.ForOp) -> None:
        machine, values, body = self.machine, self.machine.values, op.body.block
        lower, upper, step = machine.slots([op.lb, op.ub, op.step])
        variable, *carried = machine.slots(body.args)
        after: list[int] = []

        def head(turns: Turns, bundle: Bundle) -> None:
            inside = np.asarray(values[variable] < values[upper])
            turns.divide(bundle, np.broadcast_to(inside, bundle.active.mask.shape), after[0])

        def advance(active: Active) -> None:
            values[variable] = values[variable] + values[step]

        self._copy([lower, *machine.slots(op.iter_args)], [variable, *carried])
        again = [len(self.code)]
        self._add(head)
        self._block(body)
        self._copy(yielded(machine, body), carried)
        self._step(advance)
        self._jump(again)
        after.append(len(self.code))
        self._copy(carried, machine.slots(op.results))
        self._add(lambda turns, bundle: turns.rest(bundle))

    def _add(self, instruction: Instruction) -> None:
        self.code.append(instruction)

    def _step(self, step: Step) -> None:
        if step is nothing:
            return

        def run(turns: Turns, bundle: Bundle) -> None:
            step(bundle.active)
            bundle.at += 1

        self._add(run)

    def _jump(self, target: Sequence[int]) -> None:
        def jump(turns: Turns, bundle: Bundle) -> None:
            bundle.at = target[0]

        self._add(jump)

    def _copy(self, sources: Sequence[int], targets: Sequence[int]) -> None:
        """Copy values; all are read before any is set, for loops may swap what they carry."""
        values = self.machine.values

        def copy(active: Active) -> None:
            given = [values[slot] for slot in sources]
            for slot, value in zip(targets, given, strict=True):
                values[slot] = value

        if targets:
            self._step(copy)
