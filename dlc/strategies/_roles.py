"""The warps of a block that bring slices and those that multiply them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, i64
from xdsl.ir import SSAValue

from dlc.arch.fragments import WARP_LANES
from dlc.arch.instruction import WARPGROUP_WARPS
from dlc.dialects.gpu.registers import FEWEST, MOST, STEP, registers_at_launch, registers_of_roles
from dlc.dialects.loop.attributes import LoopKind
from dlc.dialects.loop.structure import ForOp
from dlc.errors import CompileError
from dlc.strategies._key import count


def kept_registers() -> Any:
    """Return the field of a schedule for what producers keep."""
    return count(
        "registers that a thread of a producer keeps; those that multiply share the rest. 0: all "
        "threads have the same",
        most=MOST,
    )


@dataclass(frozen=True)
class Roles:
    """What a schedule says about them.

    threads: those that multiply a tile together. producers: warps that do nothing but bring slices;
    0: who multiplies brings. kept: the registers of a thread of a producer, the rest is for those
    that multiply; 0: all threads have the same. turns: teams of ``threads``, which multiply one
    after the other, each a tile of its own.
    """

    threads: int
    producers: int = 0
    kept: int = 0
    turns: int = 1

    @property
    def multiplying(self) -> int:
        """The threads of a block that multiply."""
        return self.threads * self.turns

    @property
    def bringing(self) -> int:
        """The threads of a block that bring slices."""
        return self.producers * WARP_LANES or self.threads

    @property
    def block_threads(self) -> int:
        """All threads of a block."""
        return self.multiplying + self.producers * WARP_LANES

    @property
    def launch_registers(self) -> int:
        """The registers that each thread of a block has at first."""
        return registers_at_launch(self.block_threads)

    @property
    def registers(self) -> tuple[int, int]:
        """The registers of a thread that multiplies and of one that brings."""
        if not self.kept:
            return self.launch_registers, self.launch_registers
        return registers_of_roles(self.multiplying, self.bringing, self.kept)

    @property
    def needs(self) -> Mapping[str, str]:
        """The capabilities of a chip that the keys need, by their text."""
        return {
            **({f"producers = {self.producers}": "mbarrier"} if self.producers else {}),
            **({f"producer_registers = {self.kept}": "setmaxnreg"} if self.kept else {}),
        }

    def slices(self, count: int, stages: int, name: str, until: SSAValue | None = None) -> ForOp:
        """Return the loop over slices, ``stages`` of them in shared memory at a time.

        until: how many there are, where these are not all. name: of the number of a slice.
        """
        loop = ForOp(0, count, kind=LoopKind.REDUCTION, until=until)
        loop.induction.name_hint = name
        loop.pipeline = IntegerAttr(stages, i64)
        if self.producers:
            loop.producers = IntegerAttr(self.producers, i64)
        if self.turns > 1:
            loop.turns = IntegerAttr(self.turns, i64)
        if self.kept:
            loop.registers = DenseArrayBase.from_list(i64, list(self.registers))
        return loop

    def check(self, blocks: int, split: int) -> None:
        """Raise CompileError for keys that do not fit each other.

        blocks: those that walk over tiles; 0 where each tile has its own. split: parts of a sum.
        """
        if blocks and not self.producers:
            raise CompileError(
                f"blocks = {blocks} walk over tiles so that producers bring the next one; say how "
                "many producers there are, or leave blocks out"
            )
        if self.turns > 1 and not blocks:
            raise CompileError(
                f"turns = {self.turns} are taken in the tiles that a block walks over; say how "
                "many blocks there are, or leave turns out"
            )
        if blocks and split > 1:
            raise CompileError(
                f"blocks = {blocks} do not go with split = {split}: a block walks over whole "
                "tiles; leave one of the two out"
            )
        if self.kept:
            self._check_registers()

    def _check_registers(self) -> None:
        groups = self.threads // WARP_LANES, self.producers
        if not self.producers or any(warps % WARPGROUP_WARPS for warps in groups):
            raise CompileError(
                f"producer_registers = {self.kept}: {WARPGROUP_WARPS} warps together give "
                f"registers away, {groups[0]} multiply and {groups[1]} bring; make both multiples "
                f"of {WARPGROUP_WARPS} (warps, producers), or leave producer_registers out"
            )
        if any(not FEWEST <= n <= MOST or n % STEP for n in self.registers):
            raise CompileError(
                f"producer_registers = {self.kept} leaves {self.registers[0]} to threads that "
                f"multiply; both are multiples of {STEP} from {FEWEST} to {MOST}"
            )
