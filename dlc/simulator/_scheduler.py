"""Lets bundles of threads take turns until all have come to the end of a kernel."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from xdsl.ir import Operation

from dlc.arch.scope import Scope
from dlc.ir.order import OrderingOp
from dlc.simulator._bundle import Bundle, State, merged
from dlc.simulator._flow import Flow
from dlc.simulator._machine import Machine
from dlc.simulator._stalls import Stall
from dlc.simulator._threads import Active, Batch, Booleans

Order = Literal["forward", "backward"] | int
"""A number is the seed of a random order."""


class Scheduler:
    """The bundles of a batch.

    order: without one, all threads begin as one bundle, the bundle that is furthest behind has its
    turn, and those at the same place become one, so that as many threads as can run in lockstep.
    With one, each warp is a bundle that goes its own way: what a kernel does may depend on it only
    where something is wrong.
    """

    def __init__(self, machine: Machine, flow: Flow, order: Order | None):
        self.machine = machine
        self.batch: Batch = machine.batch
        self.code = flow.code
        self.order = order
        self._random = np.random.default_rng(order if isinstance(order, int) else 0)
        self.bundles = self._beginning()
        self._running: Bundle | None = None
        self._resting = False
        self.last_op: dict[Bundle, Operation] = {}

    def _beginning(self) -> list[Bundle]:
        everyone = Bundle(0, self.batch.everyone, list(self.machine.values))
        if self.order is None:
            return [everyone]
        warps = np.unique(self.batch.warp)
        parts = [everyone.part(self.batch.warp == warp) for warp in warps]
        return [part for part in parts if part is not None]

    def run(self) -> None:
        """Run all threads to the end; fail where some wait for ever."""
        while self.bundles:
            bundle = self._next()
            if bundle is not None:
                self._turn(bundle)
            elif not self.machine.tokens.deliver(self.machine.copies):
                self._save()
                Stall(self.machine, self.bundles, self.last_op).report()
        self.machine.tokens.check_end()

    def _turn(self, bundle: Bundle) -> None:
        """Let a bundle run until it waits, rests or ends."""
        self._activate(bundle)
        self._resting = False
        while not self._resting and bundle.at < len(self.code):
            self.code[bundle.at](self, bundle)
        if bundle.at == len(self.code):
            self.bundles.remove(bundle)
            self._let_go_on()

    def _activate(self, bundle: Bundle) -> None:
        """Put what the threads of a bundle hold where the steps look for it."""
        if self._running is not bundle:
            self._save()
            self.machine.values[:] = bundle.values
            self._running = bundle

    def _save(self) -> None:
        """Note what the threads hold that have run last."""
        if self._running is not None:
            self._running.values = list(self.machine.values)
            self._running = None

    def _next(self) -> Bundle | None:
        ready = [bundle for bundle in self.bundles if self._may_go_on(bundle)]
        if not ready:
            return None
        match self.order:
            case None:
                return self._together(min(ready, key=lambda b: b.at), ready)
            case "forward":
                return min(ready, key=lambda b: b.active.threads[0])
            case "backward":
                return max(ready, key=lambda b: b.active.threads[0])
            case _:
                return ready[int(self._random.integers(len(ready)))]

    def _may_go_on(self, bundle: Bundle) -> bool:
        if bundle.state is State.WAITING:
            return bundle.seen != self.machine.tokens.changes
        return bundle.state is State.READY

    def _together(self, bundle: Bundle, ready: Sequence[Bundle]) -> Bundle:
        return self._merge([other for other in ready if other.at == bundle.at])

    def _merge(self, bundles: Sequence[Bundle]) -> Bundle:
        if len(bundles) == 1:
            return bundles[0]
        self._save()
        one = merged(bundles)
        self.bundles = [b for b in self.bundles if b not in bundles] + [one]
        return one

    # What instructions ask for.

    def divide(self, bundle: Bundle, mask: Booleans, at: int) -> None:
        """Let those threads of a bundle for which ``mask`` does not hold go on at ``at``."""
        inside = bundle.active.mask & mask
        if not inside.any():
            bundle.at = at
            return
        if not (inside == bundle.active.mask).all():
            self._leave(bundle, ~mask).at = at
        bundle.at += 1

    def _leave(self, bundle: Bundle, mask: Booleans) -> Bundle:
        """Part from the threads of a running bundle that ``mask`` holds for; return them."""
        bundle.values = list(self.machine.values)
        other = bundle.part(mask)
        assert other is not None
        self.bundles.append(other)
        bundle.active = Active(bundle.active.mask & ~mask)
        return other

    def rest(self, bundle: Bundle) -> None:
        """Let others have their turn."""
        bundle.at += 1
        self._resting = True

    def meet(self, bundle: Bundle, scope: Scope, op: Operation) -> None:
        """Let the bundle go on once all threads of each group are here."""
        if bundle.active.full:
            bundle.at += 1
            return
        self._resting = True
        here = [b for b in self.bundles if b.state is State.MEETING and b.at == bundle.at]
        mask = np.logical_or.reduce([b.active.mask for b in (bundle, *here)])
        complete = self._complete_groups(mask, scope)
        bundle.state = State.MEETING
        self.last_op[bundle] = op
        passing: list[Bundle] = []
        for one in (bundle, *here):
            if (one.active.mask & complete).any():
                if (one.active.mask & ~complete).any():
                    self._stay(one, ~complete, op)
                passing.append(one)
        if passing:
            together = self._merge(passing)
            together.state = State.READY
            together.at += 1
            self._resting = together is not bundle

    def _stay(self, bundle: Bundle, mask: Booleans, op: Operation) -> None:
        if bundle is self._running:
            bundle.values = list(self.machine.values)
        other = bundle.part(mask)
        assert other is not None
        self.bundles.append(other)
        self.last_op[other] = op
        bundle.active = Active(bundle.active.mask & ~mask)

    def _complete_groups(self, mask: Booleans, scope: Scope) -> Booleans:
        """Return the threads of those groups that ``mask`` holds for as a whole. A cluster does not
        wait for warps that have ended (PTX ISA, "barrier.cluster").
        """
        groups = self.batch.groups(scope)
        expected = self._going if scope is Scope.CLUSTER else self.batch.everyone.mask
        sizes = (np.bincount(groups[of], minlength=len(groups)) for of in (mask, expected))
        return mask & np.equal(*sizes)[groups]

    @property
    def _going(self) -> Booleans:
        """The threads of the warps that have not ended."""
        going = np.logical_or.reduce([bundle.active.mask for bundle in self.bundles])
        return np.isin(self.batch.warp, self.batch.warp[going])

    def _let_go_on(self) -> None:
        """Let the threads look again that wait for a cluster, some of whose threads have ended."""
        for bundle in self.bundles:
            if bundle.state is State.MEETING:
                op = self.last_op[bundle]
                assert isinstance(op, OrderingOp)
                if op.together is Scope.CLUSTER:
                    bundle.state = State.READY

    def wait(self, bundle: Bundle, op: Operation) -> None:
        """Let those threads go on for which what ``op`` waits for has come."""
        waiting = self.machine.waits[op]
        over = waiting.is_over(bundle.active)
        self.last_op[bundle] = op
        if not over.all():
            mask = np.zeros(self.batch.size, np.bool_)
            mask[bundle.active.threads[over]] = True
            if over.any():
                later = self._leave(bundle, bundle.active.mask & ~mask)
            else:
                later = bundle
                self._resting = True
            later.state, later.seen = State.WAITING, self.machine.tokens.changes
            self.last_op[later] = op
            if later is bundle:
                return
        bundle.state = State.READY
        waiting.go_on(bundle.active)
        bundle.at += 1
